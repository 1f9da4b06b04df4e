// Hostile files: cut at every byte, every byte changed, and zip archives that lie.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "iofiles.h"

#include <functional>
#include <zlib.h>

using namespace heed;

namespace {

/// A member of a zip archive made by hand; what is not set is as it should be.
struct Member {
    std::string name = "a.npy";
    std::string data;       ///< packed, as in the archive
    std::uint64_t size = 0; ///< unpacked, as claimed
    std::uint32_t crc = 0;
    std::uint16_t method = 0;
    std::uint16_t flags = 0;
    std::string localName = name;
    std::string extra;
    std::uint32_t offsetShift = 0;
    std::uint32_t packedShift = 0;
};

struct Archive {
    std::vector<Member> members;
    std::uint32_t countShift = 0;
    std::uint32_t offsetShift = 0;
    std::uint32_t sizeShift = 0;
    std::uint16_t disk = 0;
    std::string beforeEnd = {};
    std::string comment = {};
};

std::string number(std::uint64_t value, int bytes)
{
    std::string text;
    for (int byte = 0; byte < bytes; ++byte) {
        text += static_cast<char>(value & 0xFF);
        value >>= 8; // fields wider than the number end in zeros
    }
    return text;
}

Bytes build(const Archive& archive)
{
    std::string file;
    std::string directory;
    for (const Member& m : archive.members) {
        const std::size_t offset = file.size();
        const auto sizes =
            number(m.crc, 4) + number(m.data.size() + m.packedShift, 4) + number(m.size, 4);
        file += "PK\3\4" + number(20, 2) + number(m.flags, 2) + number(m.method, 2) + number(0, 4) +
                sizes + number(m.localName.size(), 2) + number(0, 2) + m.localName + m.data;
        directory += "PK\1\2" + number(20, 2) + number(20, 2) + number(m.flags, 2) +
                     number(m.method, 2) + number(0, 4) + sizes + number(m.name.size(), 2) +
                     number(m.extra.size(), 2) + number(0, 10) + number(offset + m.offsetShift, 4) +
                     m.name + m.extra;
    }
    const std::size_t offset = file.size();
    file += directory + archive.beforeEnd + "PK\5\6" + number(archive.disk, 2) + number(0, 2) +
            number(archive.members.size() + archive.countShift, 2) +
            number(archive.members.size() + archive.countShift, 2) +
            number(directory.size() + archive.sizeShift, 4) +
            number(offset + archive.offsetShift, 4) + number(archive.comment.size(), 2) +
            archive.comment;
    return toBytes(file);
}

std::string npyText(const std::string& shape, std::size_t dataBytes)
{
    const std::string header =
        "{'descr': '|u1', 'fortran_order': False, 'shape': " + shape + ", }\n";
    return std::string("\x93NUMPY\1\0", 8) + number(header.size(), 2) + header +
           std::string(dataBytes, '\1');
}

std::uint32_t crcOf(const std::string& data)
{
    return static_cast<std::uint32_t>(
        ::crc32_z(0, reinterpret_cast<const unsigned char*>(data.data()), data.size()));
}

Member stored(const std::string& data)
{
    Member member;
    member.data = data;
    member.size = data.size();
    member.crc = crcOf(data);
    return member;
}

Member deflated(const std::string& data)
{
    Member member;
    member.size = data.size();
    member.crc = crcOf(data);
    member.method = 8;
    member.data.resize(data.size() + 1000);
    z_stream stream = {};
    ::deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
    std::string input = data;
    stream.next_in = reinterpret_cast<unsigned char*>(input.data());
    stream.avail_in = static_cast<uInt>(input.size());
    stream.next_out = reinterpret_cast<unsigned char*>(member.data.data());
    stream.avail_out = static_cast<uInt>(member.data.size());
    ::deflate(&stream, Z_FINISH);
    member.data.resize(stream.total_out);
    ::deflateEnd(&stream);
    return member;
}

template <typename Change>
Member changed(Member member, Change change)
{
    change(member);
    return member;
}

/// Opens and reads everything. @return the first error, or Code::Internal with no message.
Error readAll(const Bytes& bytes, const std::string& format)
{
    const auto file = openArrays(bytes, format);
    if (!file) {
        return file.error();
    }
    for (const ArrayInfo& info : (*file)->arrays()) {
        const auto count = elementCount(info.shape);
        EXPECT_TRUE(count);
        const auto raw = (*file)->readRaw(info.name);
        const auto tensor = (*file)->read(info.name);
        const auto mapped = (*file)->mapped(info.name);
        EXPECT_EQ(raw.has_value(), tensor.has_value());
        if (!raw || !tensor) {
            return raw ? tensor.error() : raw.error();
        }
        EXPECT_EQ(tensor->size(), *count);
        EXPECT_EQ(static_cast<std::int64_t>(raw->size()), *count * elementSize(info.type));
        EXPECT_TRUE(mapped.empty() || static_cast<std::int64_t>(mapped.size()) == *count);
    }
    return {};
}

struct Sample {
    std::string name;
    std::string format;
    Bytes bytes;
};

std::vector<Sample> samples()
{
    std::vector<Sample> all;
    for (const char* name :
         {"c.npy", "fortran.npy", "version3.npy", "big_fortran_int64.npy", "scalar.npy",
          "other_members.npz", "mixed.npz", "nothing.npz", "shapes.safetensors"}) {
        const std::string extension = std::filesystem::path(name).extension().string().substr(1);
        all.push_back({name, extension, readBytes(golden(name))});
    }
    Bytes values = readBytes(golden("../gguf/values.gguf"));
    values.resize(values.size() - 60); // without what pads the last tensor, which may be missing
    all.push_back({"values.gguf", "gguf", std::move(values)});
    const std::vector<float> six{0.5F, -1, 2e-10F, 4, 5, 6};
    const std::vector<ArrayToWrite> arrays{toWrite("w", ElementType::Float32, {2, 3}, six)};
    all.push_back(
        {"written npz", "npz", written(ArrayFormat::Npz, arrays, {{{"I"}}, {{"a", "b"}}}).value()});
    all.push_back({"deflated npz", "npz", build({{deflated(npyText("(300,)", 300))}})});
    all.push_back({"written safetensors", "safetensors",
                   written(ArrayFormat::Safetensors, arrays, {{{"I"}}, {{"a", "b"}}}).value()});
    all.push_back({"written json", "json",
                   written(ArrayFormat::Json, arrays, {{{"I"}}, {{"a", "b"}}}).value()});
    all.push_back({"written csv", "csv", written(ArrayFormat::Csv, arrays).value()});
    return all;
}

} // namespace

TEST(MalformedFiles, anArrayCutAnywhereIsAnError)
{
    for (const Sample& sample : samples()) {
        EXPECT_TRUE(readAll(sample.bytes, sample.format).message.empty()) << sample.name;
        // Text may lose the white space at its end, and a table its last rows.
        const std::size_t must = sample.format == "csv"    ? 0
                                 : sample.format == "json" ? sample.bytes.size() - 1
                                                           : sample.bytes.size();
        for (std::size_t length = 0; length < sample.bytes.size(); ++length) {
            const Bytes cut(sample.bytes.begin(),
                            sample.bytes.begin() + static_cast<std::ptrdiff_t>(length));
            const Error error = readAll(cut, sample.format);
            if (length < must) {
                ASSERT_FALSE(error.message.empty()) << sample.name << " cut to " << length;
            }
        }
    }
}

TEST(MalformedFiles, anyByteMayBeWrong)
{
    for (const Sample& sample : samples()) {
        Bytes bytes = sample.bytes;
        for (std::byte& byte : bytes) {
            const std::byte before = byte;
            for (const unsigned mask : {0x01U, 0x80U, 0xFFU}) {
                byte = before ^ static_cast<std::byte>(mask);
                const Error error = readAll(bytes, sample.format);
                EXPECT_NE(error.message.substr(0, 10), "Unexpected") << describe(error);
            }
            byte = before;
        }
    }
}

TEST(MalformedFiles, readsTheArchivesThatTheRowsBelowSpoil)
{
    const std::string array = npyText("(5,)", 5);
    EXPECT_EQ(describe(readAll(build({{stored(array)}}), "npz")), "");
    EXPECT_EQ(describe(readAll(build({{deflated(npyText("(100000,)", 100000))}}), "npz")), "");
    Archive commented{{stored(array)}};
    commented.comment = "PK\5\6 is not the end";
    EXPECT_EQ(describe(readAll(build(commented), "npz")), "");
}

TEST(MalformedFiles, archivesThatLieAreRefused)
{
    const std::string array = npyText("(5,)", 5);
    const Member good = stored(array);
    const Member packed = deflated(npyText("(100000,)", 100000));
    struct Row {
        const char* what;
        Archive archive;
        const char* says;
        Code code = Code::BadFormat;
    };
    const auto one = [](Member member) { return Archive{{std::move(member)}}; };
    std::vector<Row> rows = {
        {"wrong checksum", one(changed(good, [](Member& m) { m.crc ^= 1; })), "checksum"},
        {"wrong checksum, deflated", one(changed(packed, [](Member& m) { m.crc ^= 1; })),
         "checksum"},
        {"unpacks to more than it claims", one(changed(packed, [](Member& m) { m.size -= 1; })),
         "member has"},
        {"unpacks to less than it claims", one(changed(packed, [](Member& m) { m.size += 1; })),
         "member has"},
        {"claims what deflate cannot do",
         one(changed(packed, [](Member& m) { m.size = 4000000000U; })), "impossible"},
        {"stored with two sizes", one(changed(good, [](Member& m) { m.size += 1; })), "impossible"},
        {"damaged stream", one(changed(packed, [](Member& m) { m.data[0] = '\7'; })), "damaged"},
        {"stream not complete", one(changed(packed, [](Member& m) { m.data.pop_back(); })),
         "unpack"},
        {"bytes behind the stream", one(changed(packed, [](Member& m) { m.data += "x"; })),
         "unpack"},
        {"encrypted", one(changed(good, [](Member& m) { m.flags = 1; })), "encrypted",
         Code::Unsupported},
        {"unknown method", one(changed(good, [](Member& m) { m.method = 14; })), "method 14",
         Code::Unsupported},
        {"two names", one(changed(good, [](Member& m) { m.localName = "b.npy"; })), "another name"},
        {"zero byte in the name",
         one(changed(good, [](Member& m) { m.name = m.localName = std::string("a\0b.npy", 7); })),
         "zero byte"},
        {"place past the directory",
         one(changed(good, [](Member& m) { m.offsetShift = 4000000000U; })), "not where"},
        {"place inside a member", one(changed(good, [](Member& m) { m.offsetShift = 1; })),
         "not where"},
        {"bytes past the directory", one(changed(good, [](Member& m) { m.packedShift = 1; })),
         "more than the archive"},
        {"zip64 sizes missing", one(changed(good, [](Member& m) { m.size = 0xFFFFFFFF; })),
         "zip64"},
        {"zip64 size of 2^64-1",
         one(changed(good,
                     [](Member& m) {
                         m.size = 0xFFFFFFFF;
                         m.extra = number(1, 2) + number(8, 2) + std::string(8, '\xFF');
                     })),
         "impossible"},
        {"same name twice", Archive{{good, good}}, "have the name"},
        {"header past the member", one(stored(array.substr(0, 40))), "claims to end"},
        {"header of the deflated member past its end", one(deflated(array.substr(0, 40))),
         "claims to end"},
        {"array longer than the member", one(stored(npyText("(6,)", 5))), "member has"},
        {"array shorter than the member", one(stored(npyText("(4,)", 5))), "member has"},
        {"empty member", one(stored("")), "does not begin"},
        {"no array", one(changed(good, [](Member& m) { m.name = m.localName = "data.pkl"; })),
         "PyTorch", Code::Unsupported},
    };
    const auto archive = [&](const char* what, auto change, const char* says,
                             Code code = Code::BadFormat) {
        Archive spoiled{{good}};
        change(spoiled);
        rows.push_back({what, std::move(spoiled), says, code});
    };
    archive(
        "too many members", [](Archive& a) { a.countShift = 1; }, "claims a place");
    archive(
        "65535 members", [](Archive& a) { a.countShift = 65534; }, "claims a place");
    archive(
        "one member too few", [](Archive& a) { a.countShift = 0xFFFF; }, "does not end");
    archive(
        "directory elsewhere", [](Archive& a) { a.offsetShift = 1; }, "claims a place");
    archive(
        "directory past the end", [](Archive& a) { a.offsetShift = 1U << 31; }, "claims a place");
    archive(
        "directory longer", [](Archive& a) { a.sizeShift = 1; }, "claims a place");
    archive(
        "bytes before the end", [](Archive& a) { a.beforeEnd = "x"; }, "claims a place");
    archive(
        "second volume", [](Archive& a) { a.disk = 1; }, "volumes", Code::Unsupported);
    archive(
        "zip64 record missing", [](Archive& a) { a.beforeEnd = "PK\6\7" + std::string(16, '\0'); },
        "zip64 record");
    archive(
        "zip64 record at 2^64-1",
        [](Archive& a) {
            a.beforeEnd = std::string(56, 'x') + "PK\6\7" + number(0, 4) + std::string(8, '\xFF') +
                          number(1, 4);
        },
        "zip64 record");
    // The second entry points at the first member: unpacking both would double the bytes.
    Member twin = good;
    twin.offsetShift = static_cast<std::uint32_t>(0 - (30 + 5 + array.size()));
    archive(
        "members that share bytes",
        [&](Archive& a) {
            a.members.push_back(twin);
            a.members[1].name = "b.npy";
            a.members[0].localName = "a.npy";
        },
        "another name");
    for (const Row& row : rows) {
        SCOPED_TRACE(row.what);
        const Error error = readAll(build(row.archive), "npz");
        EXPECT_EQ(error.code, row.code) << describe(error);
        EXPECT_NE(error.message.find(row.says), std::string::npos) << describe(error);
    }
}

// A member whose bytes begin with a whole second member, which the directory lists as well.
TEST(MalformedFiles, membersThatOverlapAreRefused)
{
    const Member inner = stored(npyText("(5,)", 5));
    Member outer;
    outer.name = outer.localName = "outer.txt";
    // The local header of the inner member, written by an archive that holds it alone.
    const Bytes alone = build({{inner}});
    const std::size_t localBytes = 30 + inner.name.size() + inner.data.size();
    outer.data.assign(reinterpret_cast<const char*>(alone.data()), localBytes);
    outer.size = outer.data.size();
    outer.crc = crcOf(outer.data);
    Member pointer = inner;
    // It says that it begins inside the outer member and not behind it.
    const std::size_t outerBytes = 30 + outer.name.size() + outer.data.size();
    pointer.offsetShift =
        static_cast<std::uint32_t>(30 + outer.name.size()) - static_cast<std::uint32_t>(outerBytes);
    const Error error = readAll(build({{outer, pointer}}), "npz");
    EXPECT_NE(error.message.find("overlap"), std::string::npos) << describe(error);
}

TEST(MalformedFiles, aBombIsRefusedBeforeItsMemoryIsTaken)
{
    // 10 MB of ones pack to 10 KB; the directory claims a hundred times as much.
    Member bomb = deflated(npyText("(10000000,)", 10000000));
    EXPECT_LT(bomb.data.size(), 20000U);
    bomb.size = 1000000000;
    const Error error = readAll(build({{bomb}}), "npz");
    EXPECT_NE(error.message.find("impossible"), std::string::npos) << describe(error);
}
