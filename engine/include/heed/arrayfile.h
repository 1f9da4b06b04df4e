// Named arrays in files: npy, npz, safetensors, gguf, json, csv.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/error.h"
#include "heed/tensor.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

enum class ElementType {
    Bool,
    UInt8,
    Int8,
    UInt16,
    Int16,
    UInt32,
    Int32,
    UInt64,
    Int64,
    Float16,
    BFloat16,
    Float32,
    Float64
};

/// "float32", "bool", … as NumPy says them.
[[nodiscard]] std::string_view elementTypeName(ElementType type);
[[nodiscard]] std::int64_t elementSize(ElementType type);

/// What a file says about one array, without its numbers.
struct ArrayInfo {
    std::string name; ///< as in the file; "" in a plain .npy
    ElementType type = ElementType::Float32;
    Shape shape;
    bool fortranOrder = false;
    /// "Q4_K", …: stored in blocks that share a scale, not as elements; `type` is then Float32,
    /// what reading makes of them. Otherwise empty.
    std::string_view blockType = {};
    std::int64_t blockBytes = 0; ///< the array takes in the file, where blockType is set
};

/// Tokens of the rows and columns of attention maps, a list per batch item.
struct TokenTexts {
    std::vector<std::vector<std::string>> queries;
    std::vector<std::vector<std::string>> keys; ///< empty = those of the queries
};

/// An open file of named arrays. Memory-mapped where the format allows; numbers are converted on
/// demand. Every length is compared with the bytes that remain, every product overflow-checked,
/// before an allocation. Immutable after opening and re-entrant.
class ArrayFile {
public:
    virtual ~ArrayFile() = default;
    [[nodiscard]] virtual std::string_view format() const = 0; ///< "npy", "npz", …
    [[nodiscard]] virtual const std::vector<ArrayInfo>& arrays() const = 0;
    /// The numbers of @p name as float32, C order, whatever the stored type and order.
    /// Bool gives 0 and 1; 64-bit integers are rounded.
    /// @return Code::NotFound listing the names there are; Code::BadFormat with byte offset.
    [[nodiscard]] virtual Expected<Tensor> read(const std::string& name) const = 0;
    /// Some rows of @p name as float32, so that a large array is never held whole. A row is the
    /// last axis, the axes before it count as one; a single number is one row of one.
    /// @param first  the first row, from 0.
    /// @param out    [rows, last extent]; all of it is written.
    /// An array that lies in the file as it is, or in blocks, is read there alone; others whole.
    /// @return Code::InvalidShape when the array has no such rows; the errors of read().
    [[nodiscard]] virtual Expected<void> readRows(const std::string& name, std::int64_t first,
                                                  MatrixView<float> out) const;
    /// As stored (C order): raw little-endian bytes. For bool masks, ids and exact float64.
    /// Bytes of a bool array are 0 or 1. Blocks give the float32 that they become.
    [[nodiscard]] virtual Expected<std::vector<std::byte>>
    readRaw(const std::string& name) const = 0;
    /// The stored float32, C-order, aligned bytes without a copy, or an empty span when the file
    /// does not allow that (compressed, other type). Valid while the file object lives. The
    /// checksum of an npz member is compared by read() and readRaw(), not here.
    [[nodiscard]] virtual std::span<const float> mapped(const std::string& name) const = 0;
    /// Free-text metadata (safetensors `__metadata__`, "metadata" of json, metadata.json in an npz;
    /// "columns" of a csv), name and value. Of a GGUF file all values as text; ggufMetadata() has
    /// them with their types.
    [[nodiscard]] virtual std::vector<std::pair<std::string, std::string>> metadata() const = 0;

    /// What writeArrays() puts in as ArrayFileNotes::tokens, and metadata "key_tokens"; the token
    /// columns of a table of cells. Empty where the file has none, or something else of that name.
    [[nodiscard]] virtual TokenTexts tokens() const { return {}; }

    [[nodiscard]] const ArrayInfo* find(const std::string& name) const;
};
using ArrayFilePtr = std::shared_ptr<const ArrayFile>;

/// Opens by content first (magic bytes), then by extension: .npy .npz .safetensors .gguf .json
/// .csv, and what torch.save() writes (.pt, .bin), whose pickles are read and never executed.
/// JSON: an object whose values are nested number arrays (other keys are ignored), or one nested
/// array (name ""). A *.safetensors.index.json or *.bin.index.json stands for the files beside it
/// that it names, as one file; NAME-00001-of-00003.gguf and so on stand for all of them. CSV: a
/// matrix (name ""); a first row that is not numbers is a header.
/// @return Code::NotFound, Code::Io, Code::BadFormat (file and byte offset, what was expected),
///         Code::Unsupported (e.g. object arrays, other pickles), Code::OutOfMemory.
[[nodiscard]] Expected<ArrayFilePtr> openArrays(const std::filesystem::path& path);

/// The same from bytes in memory (used by the fuzz targets and stdin). @p format as
/// ArrayFile::format(), or "" to go by the content, which finds all but csv.
[[nodiscard]] Expected<ArrayFilePtr> openArrays(std::vector<std::byte> bytes,
                                                std::string_view format);

/// Gives bytes in order, a piece a call; an empty piece is the end. A piece holds until the next
/// call. An error, also Code::Cancelled, ends whatever was made of the bytes.
using ByteSource = std::function<Expected<std::span<const std::byte>>()>;

/// One array to write: C order, little-endian, elementCount * elementSize bytes. They lie in
/// memory, where they stay with the caller until the writer returns, or are made while they are
/// written, so that an array can be larger than memory.
struct ArrayToWrite {
    std::string name;
    ElementType type = ElementType::Float32;
    Shape shape;
    std::span<const std::byte> bytes;
    /// Starts at the first byte with each call; instead of `bytes` where it is set. Pieces hold
    /// whole elements.
    std::function<ByteSource()> pieces = {};
};

/// Reads the numbers of an array to write from the first to the last.
class ArrayCursor {
public:
    explicit ArrayCursor(const ArrayToWrite& array);

    /// The next piece; empty at the end.
    /// @return the source's error; Code::Internal when it does not give what the shape says.
    [[nodiscard]] Expected<std::span<const std::byte>> nextPiece();
    /// The bytes of the next element; for no more calls than there are elements. @return as above.
    [[nodiscard]] Expected<const std::byte*> nextElement();

private:
    std::string m_name;
    ByteSource m_source;
    std::size_t m_elementSize;
    std::size_t m_left = 0; ///< bytes the source has still to give
    std::span<const std::byte> m_piece;
};

enum class ArrayFormat { Npy, Npz, Safetensors, Json, Csv };

/// By extension of @p path. @return Code::InvalidArgument listing the known extensions.
[[nodiscard]] Expected<ArrayFormat> arrayFormatOf(const std::filesystem::path& path);

/// Text beside the arrays: JSON gets "schema", "tokens" and "metadata" members; safetensors gets
/// metadata, with the tokens as JSON in "tokens"; npz gets an array of text "tokens" [items,
/// longest item] and a member metadata.json. Npy and csv have no place for it.
struct ArrayFileNotes {
    std::vector<std::vector<std::string>> tokens; ///< a list per batch item
    std::vector<std::pair<std::string, std::string>> metadata;
};

/// Takes finished bytes; returns an error to stop. Lets writers go to a file, a pipe or memory.
using ByteSink = std::function<Expected<void>(std::span<const std::byte>)>;

/// Writes @p arrays in order (safetensors: larger elements first, then by name). Npy and Csv take
/// exactly one array; Csv rank ≤ 2 or leading axes are written as index columns. JSON numbers:
/// shortest text that reads back to the same float; −inf, inf and NaN are written as the strings
/// "-inf", "inf", "nan".
/// @return Code::InvalidArgument for a wrong number of arrays; the sink's error.
[[nodiscard]] Expected<void> writeArrays(const ByteSink& sink, ArrayFormat format,
                                         std::span<const ArrayToWrite> arrays,
                                         const ArrayFileNotes& notes = {});

/// The same to a file, whole or not at all (a temporary beside it, renamed at the end).
/// @return also Code::Io before the first number is made when the file system has no room.
[[nodiscard]] Expected<void> writeArrays(const std::filesystem::path& path, ArrayFormat format,
                                         std::span<const ArrayToWrite> arrays,
                                         const ArrayFileNotes& notes = {});
/// In the format of the extension.
[[nodiscard]] Expected<void> writeArrays(const std::filesystem::path& path,
                                         std::span<const ArrayToWrite> arrays,
                                         const ArrayFileNotes& notes = {});

/// Bytes that a file of @p arrays takes at least: their numbers, or two characters each as text.
[[nodiscard]] std::int64_t leastBytes(ArrayFormat format, std::span<const ArrayToWrite> arrays);

/// Replaces @p path by @p bytes, whole or not at all. @return Code::Io with the system's reason.
[[nodiscard]] Expected<void> writeFile(const std::filesystem::path& path,
                                       std::span<const std::byte> bytes);
/// Replaces @p path by what @p fill sends, whole or not at all.
/// @param least  bytes that will come at least, for which the file system must have room.
/// @return also the error of @p fill.
[[nodiscard]] Expected<void> writeFile(const std::filesystem::path& path, std::int64_t least,
                                       const std::function<Expected<void>(const ByteSink&)>& fill);

} // namespace heed
