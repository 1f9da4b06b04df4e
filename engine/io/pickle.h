// The part of Python's pickles that torch.save() writes, as data. Nothing is ever executed.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/error.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heed::detail {

/// A value. Texts point into the bytes that were read.
struct PickleValue {
    enum class Kind {
        Nothing,
        Bool,
        Whole, ///< of at most 64 bits; others are Text, their bytes
        Real,
        Text,
        Tuple,
        List,
        Dictionary, ///< items: key, value, key, value, …
        Global,     ///< text: the module, name: what it is called there
        Object,     ///< what a Global would make; items: the Global and its arguments
        Persistent, ///< items: what names a part of another place, a tuple as a rule
    } kind = Kind::Nothing;
    std::int64_t whole = 0; ///< also of Bool
    double real = 0;
    std::string_view text = {};
    std::string_view name = {};
    std::vector<const PickleValue*> items = {};
    std::vector<const PickleValue*> entries = {}; ///< of an Object that acts as a dictionary

    [[nodiscard]] bool isGlobal(std::string_view module, std::string_view called) const
    {
        return kind == Kind::Global && text == module && name == called;
    }
    /// Keys and values in turn of a Dictionary, or of an Object such as an OrderedDict.
    [[nodiscard]] const std::vector<const PickleValue*>& pairs() const
    {
        return kind == Kind::Object ? entries : items;
    }
};

/// All values of a pickle; they live as long as it.
struct Pickle {
    std::deque<PickleValue> values;
    const PickleValue* root = nullptr; ///< never null
    std::size_t size = 0;              ///< bytes up to the end of the pickle
};

/// Reads one pickle at the front of @p bytes. Opcodes are those of PyTorch's restricted loader.
/// Values can contain themselves: whoever walks over them has to stop somewhere.
/// @param begin  of @p bytes in the file, for errors.
/// @return Code::BadFormat with the byte; Code::Unsupported for an opcode or a protocol that
/// torch.save() does not write.
/// @complexity O(bytes), in memory too.
[[nodiscard]] Expected<Pickle> readPickle(std::span<const std::byte> bytes,
                                          const std::string& where, std::size_t begin = 0);

} // namespace heed::detail
