// Reads .json: an object whose values are nested arrays of numbers, or one nested array.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/jsonreader.h"
#include "io/numberlist.h"
#include "io/readers.h"
#include "io/textpieces.h"

#include <charconv>
#include <limits>
#include <unordered_set>

namespace heed::detail {

namespace {

/// One value of the file, from its first bracket to its last.
struct Candidate {
    Shape shape;
    std::vector<std::int64_t> counts; ///< elements so far of every open bracket
    NumberList numbers;
    bool hasNumber = false;
    bool hasText = false;  ///< a text that is no number
    bool hasOther = false; ///< null or an object
    bool hasSpecial = false;
    bool ragged = false;
    std::size_t raggedAt = 0;
};

class ArraysVisitor : public JsonVisitor {
public:
    explicit ArraysVisitor(ParsedArrayFile& file)
        : m_file(file)
    {
    }

    TextMap metadata;
    TextLists tokens;

    bool startObject() override
    {
        ++m_objects;
        if (m_array) {
            m_array->hasOther = true;
            countElement();
        } else if (m_objects == 1) {
            m_root = true;
        }
        return true;
    }

    bool endObject() override
    {
        --m_objects;
        return true;
    }

    bool key(std::string& name) override
    {
        if (m_array || m_skippedArrays > 0) {
            return true;
        }
        if (m_objects != 1) {
            if (m_objects == 2 && m_name == "metadata") {
                m_metadataKey = std::move(name);
            }
            return true;
        }
        if (!m_names.insert(name).second) {
            return refuse("The name " + inQuotes(name) + " occurs twice.");
        }
        m_name = std::move(name);
        return true;
    }

    bool startArray() override
    {
        const bool insideObject = m_objects > (m_root ? 1U : 0U);
        if (insideObject || m_skippedArrays > 0) {
            ++m_skippedArrays;
            return true;
        }
        if (!m_array) {
            m_array.emplace();
        } else {
            countElement();
        }
        Candidate& array = *m_array;
        array.counts.push_back(0);
        if (array.counts.size() > array.shape.size()) {
            if (array.hasNumber || array.hasSpecial) {
                markRagged(); // a bracket beside a number
            }
            array.shape.push_back(-1);
        }
        return true;
    }

    bool endArray() override
    {
        if (m_skippedArrays > 0) {
            --m_skippedArrays;
            return true;
        }
        Candidate& array = *m_array;
        const std::int64_t count = array.counts.back();
        array.counts.pop_back();
        std::int64_t& extent = array.shape[array.counts.size()];
        if (extent >= 0 && extent != count) {
            markRagged();
        }
        extent = count;
        return !array.counts.empty() || finishArray();
    }

    bool null() override
    {
        if (inArray()) {
            m_array->hasOther = true;
            countElement();
        }
        return notRoot();
    }

    bool boolean(bool value) override
    {
        if (inArray()) {
            number();
            m_array->numbers.addBool(value);
        }
        return notRoot();
    }

    bool natural(std::uint64_t value) override
    {
        if (inArray()) {
            number();
            constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
            if (value <= most) {
                m_array->numbers.addInteger(static_cast<std::int64_t>(value));
            } else {
                m_array->numbers.addDecimal(static_cast<double>(value), static_cast<float>(value));
            }
        }
        return notRoot();
    }

    bool negative(std::int64_t value) override
    {
        if (inArray()) {
            number();
            if (value == 0) {
                m_array->numbers.addDecimal(-0.0, -0.0F);
            } else {
                m_array->numbers.addInteger(value);
            }
        }
        return notRoot();
    }

    bool decimal(double value, std::string_view text) override
    {
        if (inArray()) {
            number();
            float nearest = 0;
            const auto status = std::from_chars(text.data(), text.data() + text.size(), nearest).ec;
            m_array->numbers.addDecimal(value, status == std::errc{} ? nearest
                                                                     : static_cast<float>(value));
        }
        return notRoot();
    }

    bool text(std::string& value) override
    {
        if (!inArray()) {
            if (m_objects == 2 && m_name == "metadata" && m_skippedArrays == 0) {
                metadata.emplace_back(m_metadataKey, std::move(value));
            }
            return notRoot();
        }
        if (const auto special = parseSpecialNumber(value); special && m_name != "tokens") {
            countLeaf();
            m_array->hasSpecial = true;
            m_array->numbers.addDecimal(special->value, special->nearest);
        } else {
            keepToken(value);
            m_array->hasText = true;
            countElement();
        }
        return true;
    }

private:
    [[nodiscard]] bool inArray() const
    {
        return m_array && m_skippedArrays == 0 && m_objects == (m_root ? 1U : 0U);
    }

    /// Texts two brackets deep in "tokens".
    void keepToken(std::string& value)
    {
        if (m_root && m_name == "tokens" && m_array->counts.size() == 2) {
            tokens.resize(static_cast<std::size_t>(m_array->counts[0]));
            tokens.back().push_back(std::move(value));
        }
    }

    bool notRoot() { return m_array || m_root || refuse("Expected an object or an array."); }

    void markRagged()
    {
        if (!m_array->ragged) {
            m_array->ragged = true;
            m_array->raggedAt = offset();
        }
    }

    void countElement() { ++m_array->counts.back(); }

    void countLeaf()
    {
        countElement();
        if (m_array->counts.size() != m_array->shape.size()) {
            markRagged();
        }
    }

    void number()
    {
        countLeaf();
        m_array->hasNumber = true;
    }

    /// Keeps the array if it is one of numbers; lists of text and objects are somebody else's.
    bool finishArray()
    {
        Candidate array = std::move(*m_array);
        m_array.reset();
        if (array.hasText || array.hasOther) {
            return !array.hasNumber ||
                   refuse("The array " + inQuotes(m_name) +
                          " mixes numbers with text, objects or null. Write inf, -inf and nan as "
                          "texts.");
        }
        if (array.ragged) {
            return refuse("The array " + inQuotes(m_name) +
                              " is not rectangular: its rows have different lengths.",
                          array.raggedAt);
        }
        for (std::int64_t& extent : array.shape) {
            extent = extent < 0 ? 0 : extent;
        }
        m_file.add(m_name, std::move(array.shape), array.numbers);
        return true;
    }

    ParsedArrayFile& m_file;
    std::optional<Candidate> m_array;
    std::string m_name;
    std::string m_metadataKey;
    std::unordered_set<std::string> m_names;
    bool m_root = false; ///< the file is an object
    std::size_t m_objects = 0;
    std::size_t m_skippedArrays = 0; ///< open brackets inside an object that is ignored
};

} // namespace

Expected<ArrayFilePtr> openJson(const Source& source)
{
    auto file = std::make_shared<ParsedArrayFile>("json", source.name);
    ArraysVisitor visitor(*file);
    if (auto parsed = parseJson(asText(source.bytes), source.name, visitor); !parsed) {
        return tl::unexpected(parsed.error());
    }
    file->setMetadata(std::move(visitor.metadata));
    file->setTokens(std::move(visitor.tokens));
    return file;
}

} // namespace heed::detail
