// Session files: what is written comes back, what is wrong is named.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "heed/session.h"

#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>

using namespace heed;
namespace fs = std::filesystem;

namespace {

Session example()
{
    Session session;
    session.source.lines = {"I like eating apple", "我喜欢 \"it\"\\"};
    session.source.contextLines = {"other"};
    session.source.tokenizer = "chars";
    session.source.padSide = PadSide::Left;
    session.source.padTo = 12;
    session.source.layer = {128, 8, 2, 18446744073709551615U, Positions::Rotary, false, false};
    session.source.padding = true;
    session.source.causal = true;
    session.source.mask = "window(4) | prefix(2)";
    session.view.quantity = Quantity::Scaled;
    session.view.colourMap = "cividis";
    session.view.range = "manual";
    session.view.low = -0.25;
    session.view.map = {0, 1, 3};
    session.view.headOrder = "induction";
    session.view.headBar = "entropy";
    session.view.headColour = "self";
    session.view.pinnedQuery = 2;
    session.view.pinnedKey = 1;
    session.view.cells = {0.5, 1.0, 4.0, 4.0};
    return session;
}

Expected<Session> parse(const std::string& json)
{
    return parseSession(json, "/data", "s.heed");
}

class SessionFile : public testing::Test {
protected:
    void SetUp() override
    {
        m_folder =
            fs::temp_directory_path() /
            ("heed_session_" + std::to_string(testing::UnitTest::GetInstance()->random_seed()) +
             testing::UnitTest::GetInstance()->current_test_info()->name());
        fs::create_directories(m_folder / "data");
    }
    void TearDown() override { fs::remove_all(m_folder); }
    fs::path m_folder;
};

} // namespace

TEST(Session, comesBackAsItWasWritten)
{
    Session session = example();
    const auto back = parse(formatSession(session, "/data"));
    ASSERT_TRUE(back) << describe(back.error());
    session.source.maskFolder = "/data";
    EXPECT_EQ(*back, session);
}

TEST(Session, missingMembersKeepTheirDefaults)
{
    const auto session = parse(R"({"schema": "heedmap.session/1", "source": {"lines": ["a"]}})");
    ASSERT_TRUE(session);
    EXPECT_EQ(session->source.layer, LayerConfig{});
    EXPECT_EQ(session->view, SessionView{});
}

TEST(Session, wrongMembersAreNamed)
{
    const std::pair<const char*, const char*> cases[] = {
        {R"({"source": {"heads": "four"}, "schema": "heedmap.session/1"})", "source.heads"},
        {R"({"source": {"heads": -1}, "schema": "heedmap.session/1"})", "source.heads"},
        {R"({"source": {"heads": 18446744073709551615}, "schema": "heedmap.session/1"})",
         "source.heads"},
        {R"({"source": {"seed": 1.5}, "schema": "heedmap.session/1"})", "source.seed"},
        {R"({"source": {"lines": [1]}, "schema": "heedmap.session/1"})", "source.lines"},
        {R"({"source": {"positions": "alibi"}, "schema": "heedmap.session/1"})",
         "source.positions"},
        {R"({"source": [], "schema": "heedmap.session/1"})", "source should be an object"},
        {R"({"view": {"cells": [0, 0, 0, 1]}, "schema": "heedmap.session/1"})", "view.cells"},
        {R"({"view": {"pinned": [1]}, "schema": "heedmap.session/1"})", "view.pinned"},
        {R"({"view": {"low": 1e999}, "schema": "heedmap.session/1"})", "not a Heedmap session"},
        {R"({"files": {"weights": 3}, "schema": "heedmap.session/1"})", "files.weights"},
        {"[]", "not a Heedmap session"},
        {"", "not a Heedmap session"},
        {R"({"schema": "other"})", "other"},
    };
    for (const auto& [json, text] : cases) {
        const auto session = parse(json);
        ASSERT_FALSE(session) << json;
        EXPECT_EQ(session.error().code, Code::BadFormat) << json;
        EXPECT_NE(session.error().message.find(text), std::string::npos) << session.error().message;
    }
    EXPECT_EQ(parse(R"({"schema": "heedmap.session/2"})").error().code, Code::UnsupportedVersion);
}

TEST_F(SessionFile, refersToFilesRelativelyAndNoticesTheirChange)
{
    std::ofstream(m_folder / "data" / "x.npy") << "numbers";
    Session session;
    session.source.input = m_folder / "data" / "x.npy";
    const fs::path path = m_folder / "a.heed";
    ASSERT_TRUE(writeSession(path, session));

    fs::create_directories(m_folder / "moved");
    fs::rename(m_folder / "data", m_folder / "moved" / "data");
    fs::rename(path, m_folder / "moved" / "a.heed");
    const auto back = readSession(m_folder / "moved" / "a.heed");
    ASSERT_TRUE(back) << describe(back.error());
    EXPECT_EQ(back->source.input, m_folder / "moved" / "data" / "x.npy");
    EXPECT_TRUE(changedFiles(*back).empty());

    std::ofstream(m_folder / "moved" / "data" / "x.npy") << "Numbers";
    ASSERT_EQ(changedFiles(*back).size(), 1U);
    fs::remove(m_folder / "moved" / "data" / "x.npy");
    EXPECT_NE(changedFiles(*back).at(0).find("missing"), std::string::npos);
}

TEST_F(SessionFile, namesADeviceOrAPipeWithoutReadingIt)
{
    ASSERT_EQ(::mkfifo((m_folder / "pipe").c_str(), 0600), 0);
    for (const fs::path& path : {fs::path("/dev/zero"), m_folder / "pipe"}) {
        Session session;
        session.source.input = path;
        const auto notes = changedFiles(session);
        ASSERT_EQ(notes.size(), 1U);
        EXPECT_NE(notes.front().find("a device"), std::string::npos);
        ASSERT_TRUE(writeSession(m_folder / "a.heed", session));
        EXPECT_TRUE(readSession(m_folder / "a.heed").value().stamps.empty());
    }
}

TEST_F(SessionFile, aMissingFileOrAFolderIsAnError)
{
    EXPECT_EQ(readSession(m_folder / "none.heed").error().code, Code::NotFound);
    EXPECT_FALSE(readSession(m_folder / "data"));
}

TEST(CommandLine, saysTheSourceAndQuotesForTheShell)
{
    Source source;
    source.lines = {"it's", "two words"};
    source.causal = true;
    source.layer.heads = 2;
    source.mask = "window(4)";
    EXPECT_EQ(shellCommand(sourceArguments(source)),
              R"(--text 'it'\''s' --text 'two words' --heads 2 --causal --mask 'window(4)')");
    EXPECT_EQ(shellCommand({""}), "''");
    EXPECT_TRUE(sourceArguments({}).empty());
}

TEST(CommandLine, namesMaskFilesFromTheirFolder)
{
    Source source;
    source.mask = R"(~file("a.npy",reads="keep")&file("/b.npy",reads="keep"))";
    EXPECT_EQ(sourceArguments(source).back(), source.mask);
    source.maskFolder = "/home/ann";
    EXPECT_EQ(sourceArguments(source).back(),
              R"(~file("/home/ann/a.npy", reads="keep") & file("/b.npy", reads="keep"))");
    source.mask = "file(";
    EXPECT_EQ(sourceArguments(source).back(), "file(") << "a mistake is the reader's to report";
}
