// The post-processors of a tokenizer.json: what is put around the tokens of a text.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "text/subword/postprocessor.h"

#include <array>

namespace heed::detail {
namespace {

using Kind = TemplateItem::Kind;

constexpr std::array<std::string_view, 5> Names = {"TemplateProcessing", "BertProcessing",
                                                   "RobertaProcessing", "ByteLevel", "Sequence"};

std::vector<TemplateItem> readTemplate(const Settings& settings, const Settings& owner)
{
    std::vector<TemplateItem> items;
    for (const Settings& entry : settings.items()) {
        const auto special = entry.find("SpecialToken");
        const Settings part = special ? *special : entry.at("Sequence");
        TemplateItem item;
        const auto segment = part.find("type_id");
        item.segment = segment ? static_cast<std::int32_t>(segment->id()) : 0;
        const std::string& id = part.at("id").text();
        if (special) {
            item.kind = Kind::Special;
            for (const Settings& number : owner.at("special_tokens").at(id).at("ids").items()) {
                item.ids.push_back(number.id());
            }
        } else if (id == "A" || id == "B") {
            item.kind = id == "A" ? Kind::First : Kind::Second;
        } else {
            part.refuse("is the text " + id + ", but there are only A and B.");
        }
        items.push_back(std::move(item));
    }
    return items;
}

/// ["[SEP]", 102]
std::uint32_t tokenOf(const Settings& settings)
{
    const auto items = settings.items();
    if (items.size() != 2) {
        settings.refuse("must be a token and its number.");
    }
    return items[1].id();
}

void add(PostProcessor& processor, const Settings& settings, bool& hasTemplate)
{
    const std::string type = settings.at("type").text();
    if (type == "Sequence") {
        for (const Settings& part : settings.at("processors").items()) {
            add(processor, part, hasTemplate);
        }
        return;
    }
    if (type == "ByteLevel" || type == "RobertaProcessing") {
        processor.trimsOffsets = settings.flag("trim_offsets", true);
        processor.addPrefixSpace = settings.flag("add_prefix_space", true);
    }
    if (type == "ByteLevel") {
        return;
    }
    if (hasTemplate) {
        settings.refuse("is the second one that puts tokens around the text.", Code::Unsupported);
    }
    hasTemplate = true;
    if (type == "TemplateProcessing") {
        processor.single = readTemplate(settings.at("single"), settings);
        processor.pair = readTemplate(settings.at("pair"), settings);
    } else if (type == "BertProcessing") {
        surroundLikeBert(processor, tokenOf(settings.at("cls")), tokenOf(settings.at("sep")));
    } else if (type == "RobertaProcessing") {
        surroundLikeRoberta(processor, tokenOf(settings.at("cls")), tokenOf(settings.at("sep")));
    } else {
        settings.refuseUnknown("post-processor", type, Names);
    }
}

} // namespace

void surroundLikeBert(PostProcessor& processor, std::uint32_t begin, std::uint32_t end)
{
    processor.single = {
        {Kind::Special, {begin}, 0}, {Kind::First, {}, 0}, {Kind::Special, {end}, 0}};
    processor.pair = processor.single;
    processor.pair.push_back({Kind::Second, {}, 1});
    processor.pair.push_back({Kind::Special, {end}, 1});
}

void surroundLikeRoberta(PostProcessor& processor, std::uint32_t begin, std::uint32_t end)
{
    processor.single = {
        {Kind::Special, {begin}, 0}, {Kind::First, {}, 0}, {Kind::Special, {end}, 0}};
    processor.pair = processor.single;
    processor.pair.push_back({Kind::Special, {end}, 0});
    processor.pair.push_back({Kind::Second, {}, 0});
    processor.pair.push_back({Kind::Special, {end}, 0});
}

PostProcessor readPostProcessor(const Settings& settings)
{
    PostProcessor processor;
    bool hasTemplate = false;
    add(processor, settings, hasTemplate);
    return processor;
}

} // namespace heed::detail
