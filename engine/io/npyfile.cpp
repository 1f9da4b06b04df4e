// Reads .npy: one array without a name.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/npyheader.h"
#include "io/readers.h"

namespace heed::detail {

Expected<ArrayFilePtr> openNpy(const Source& source)
{
    auto header = parseNpyHeader(source.bytes, source.name);
    if (!header) {
        return tl::unexpected(header.error());
    }
    const auto data = source.bytes.subspan(header->headerBytes);
    if (data.size() < header->dataBytes) {
        return badFormat(source.name, source.bytes.size(),
                         "The array is cut short: " + toString(header->info.shape) + " " +
                             std::string(elementTypeName(header->info.type)) + " takes " +
                             std::to_string(header->dataBytes) + " bytes, " +
                             std::to_string(data.size()) + " are there.");
    }
    if (data.size() > header->dataBytes) {
        return badFormat(source.name, header->headerBytes + header->dataBytes,
                         std::to_string(data.size() - header->dataBytes) +
                             " bytes follow the array. Several arrays in one file are read from "
                             ".npz only.");
    }
    auto file = std::make_shared<PlainArrayFile>("npy", source);
    file->add(std::move(header->info), header->bigEndian, data);
    return file;
}

} // namespace heed::detail
