// JSON as a stream of events, with a limit on nesting; the only place that knows the JSON library.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/error.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace heed::detail {

/// Deepest nesting of arrays and objects in a file.
inline constexpr std::size_t maxJsonDepth = 32;

/// Gets the events of parseJson(). Every function returns whether to go on; to stop, they return
/// refuse(). An event that is not overridden goes on.
class JsonVisitor {
public:
    virtual ~JsonVisitor() = default;

    virtual bool startObject() { return true; }
    virtual bool key(std::string& /*name*/) { return true; }
    virtual bool endObject() { return true; }
    virtual bool startArray() { return true; }
    virtual bool endArray() { return true; }
    virtual bool null() { return true; }
    virtual bool boolean(bool /*value*/) { return true; }
    /// Below zero, or "-0" as 0.
    virtual bool negative(std::int64_t /*value*/) { return true; }
    virtual bool natural(std::uint64_t /*value*/) { return true; }
    /// With a point or an exponent, or too large for 64 bits; finite. @p text is as in the file.
    virtual bool decimal(double /*value*/, std::string_view /*text*/) { return true; }
    virtual bool text(std::string& /*value*/) { return true; }

    /// Near where in the text the present event is.
    [[nodiscard]] std::size_t offset() const { return m_offset; }

protected:
    /// Stops with Code::BadFormat at offset(), or at @p where in the text.
    bool refuse(std::string message);
    bool refuse(std::string message, std::size_t where);

private:
    friend Expected<void> parseJson(std::string_view, const std::string&, JsonVisitor&,
                                    std::size_t);
    std::size_t m_offset = 0;
    std::size_t m_refusedAt = 0;
    std::string m_refusal;
};

/// @param where  file, for the error; @p base  where the text begins in it.
/// @return Code::BadFormat: not JSON, a zero byte, deeper than maxJsonDepth, or refused.
[[nodiscard]] Expected<void> parseJson(std::string_view text, const std::string& where,
                                       JsonVisitor& visitor, std::size_t base = 0);

/// @p text in quotes; what is not UTF-8 becomes U+FFFD.
[[nodiscard]] std::string jsonString(std::string_view text);

} // namespace heed::detail
