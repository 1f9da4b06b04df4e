// Reads what torch.save() writes, .pt and .bin: a zip archive, or the pickles of before 2020. Only
// tensors are taken from it; what else a pickle would make is never made.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/pickle.h"
#include "io/readers.h"
#include "io/ziparchive.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <unordered_set>

namespace heed::detail {

namespace {

using Kind = PickleValue::Kind;

/// The numbers of a storage in the file.
struct Storage {
    ElementType type = ElementType::Float32;
    std::span<const std::byte> bytes;
};
using Storages = std::map<std::string_view, std::span<const std::byte>>;

constexpr std::string_view pickleSuffix = "/data.pkl";
constexpr std::int64_t oldProtocol = 1001; ///< of the second pickle of an old file
// The magic number 0x1950a86a20f9469cfc6c as a pickle of its own.
constexpr std::string_view oldMagic("\x80\x02\x8A\x0A\x6C\xFC\x9C\x46\xF9\x20\x6A\xA8\x50\x19.",
                                    15);

constexpr std::array<std::pair<std::string_view, ElementType>, 10> StorageTypes = {
    {{"FloatStorage", ElementType::Float32},
     {"DoubleStorage", ElementType::Float64},
     {"HalfStorage", ElementType::Float16},
     {"BFloat16Storage", ElementType::BFloat16},
     {"LongStorage", ElementType::Int64},
     {"IntStorage", ElementType::Int32},
     {"ShortStorage", ElementType::Int16},
     {"CharStorage", ElementType::Int8},
     {"ByteStorage", ElementType::UInt8},
     {"BoolStorage", ElementType::Bool}}};

std::optional<ElementType> typeOf(const PickleValue& global)
{
    const auto* const known =
        std::ranges::find(StorageTypes, global.name, [](const auto& entry) { return entry.first; });
    return global.kind == Kind::Global && global.text == "torch" && known != StorageTypes.end()
               ? std::optional(known->second)
               : std::nullopt;
}

/// Tensors whose numbers lie in the file, and copies of those that do not lie there in order.
class TorchFile final : public PlainArrayFile {
public:
    explicit TorchFile(const Source& source)
        : PlainArrayFile("torch", source)
    {
    }

    void addCopy(ArrayInfo info, std::vector<std::byte> bytes)
    {
        m_copies.push_back(std::move(bytes));
        add(std::move(info), false, m_copies.back());
    }

private:
    std::deque<std::vector<std::byte>> m_copies;
};

tl::unexpected<Error> refuse(const std::string& where, std::string message,
                             Code code = Code::BadFormat)
{
    return fail(code, std::move(message), where);
}

/// A tuple of whole numbers of 0 or more.
std::optional<std::vector<std::int64_t>> naturals(const PickleValue& tuple)
{
    if (tuple.kind != Kind::Tuple || tuple.items.size() > maxRank) {
        return {};
    }
    std::vector<std::int64_t> numbers;
    for (const PickleValue* item : tuple.items) {
        if (item->kind != Kind::Whole || item->whole < 0) {
            return {};
        }
        numbers.push_back(item->whole);
    }
    return numbers;
}

/// ('storage', <type>, '<key>', '<device>', <elements>, …)
Expected<Storage> storageOf(const PickleValue& persistent, const Storages& storages,
                            const std::string& where)
{
    const PickleValue* tuple =
        persistent.kind == Kind::Persistent ? persistent.items.front() : nullptr;
    if (tuple == nullptr || tuple->kind != Kind::Tuple || tuple->items.size() < 5 ||
        tuple->items[0]->text != "storage" || tuple->items[2]->kind != Kind::Text) {
        return refuse(where, "The tensor does not say where its numbers are.");
    }
    const auto type = typeOf(*tuple->items[1]);
    constexpr std::size_t place = 5; // of what says that the numbers are a part of others
    if (tuple->items.size() > place && tuple->items[place]->kind != Kind::Nothing) {
        return refuse(where,
                      "The numbers are a part of others, as very old files have it. Save the "
                      "weights again with a current PyTorch.",
                      Code::Unsupported);
    }
    if (!type) {
        return refuse(where,
                      "The numbers are of the kind " + inQuotes(tuple->items[1]->name) +
                          ", which is not read. Save the weights as .safetensors.",
                      Code::Unsupported);
    }
    const auto found = storages.find(tuple->items[2]->text);
    if (found == storages.end()) {
        return refuse(where, "The numbers " + inQuotes(tuple->items[2]->text) +
                                 " of the tensor are not in the file.");
    }
    return Storage{*type, found->second};
}

/// A tensor as _rebuild_tensor_v2() would make it.
struct View {
    Storage storage;
    std::uint64_t offset = 0;
    Shape shape;
    std::vector<std::int64_t> strides; ///< in elements, as the offset
};

bool isInOrder(const View& view)
{
    std::int64_t step = 1;
    for (std::size_t axis = view.shape.size(); axis-- > 0;) {
        if (view.shape[axis] != 1 && view.strides[axis] != step) {
            return false;
        }
        step *= std::max<std::int64_t>(1, view.shape[axis]);
    }
    return true;
}

/// Looks through parameters to the tensor; null when there is none.
const PickleValue* tensorIn(const PickleValue& value)
{
    const PickleValue* object = &value;
    const auto is = [&](std::string_view name) {
        return object->items.front()->isGlobal("torch._utils", name);
    };
    if (object->kind == Kind::Object && object->items.size() > 1 && is("_rebuild_parameter")) {
        object = object->items[1];
    }
    const bool isTensor = object->kind == Kind::Object && object->items.size() >= 5 &&
                          (is("_rebuild_tensor_v2") || is("_rebuild_tensor"));
    return isTensor ? object : nullptr;
}

Expected<View> viewOf(const PickleValue& tensor, const Storages& storages, const std::string& where)
{
    auto storage = storageOf(*tensor.items[1], storages, where);
    if (!storage) {
        return tl::unexpected(storage.error());
    }
    const PickleValue& offset = *tensor.items[2];
    auto shape = naturals(*tensor.items[3]);
    auto strides = naturals(*tensor.items[4]);
    if (offset.kind != Kind::Whole || offset.whole < 0 || !shape || !strides ||
        shape->size() != strides->size()) {
        return refuse(where, "The tensor has no proper shape.");
    }
    View view{*storage, static_cast<std::uint64_t>(offset.whole), *shape, *strides};
    const auto size = static_cast<std::uint64_t>(elementSize(view.storage.type));
    const std::uint64_t there = view.storage.bytes.size() / size;
    const auto count = elementCount(view.shape);
    std::uint64_t last = view.offset;
    bool fits = count.has_value();
    for (std::size_t axis = 0; axis < view.shape.size() && fits && *count > 0; ++axis) {
        std::uint64_t reach = 0;
        fits = !__builtin_mul_overflow(static_cast<std::uint64_t>(view.shape[axis] - 1),
                                       static_cast<std::uint64_t>(view.strides[axis]), &reach) &&
               !__builtin_add_overflow(last, reach, &last);
    }
    // As many numbers as there are at most: a tensor that repeats itself could fill any memory.
    if (!fits || (*count > 0 && last >= there) || static_cast<std::uint64_t>(*count) > there) {
        return refuse(where, "The tensor " + toString(view.shape) +
                                 " does not fit the numbers it is said to be made of, " +
                                 std::to_string(there) + " of them.");
    }
    return view;
}

std::vector<std::byte> gathered(const View& view)
{
    const auto size = static_cast<std::size_t>(elementSize(view.storage.type));
    const auto count = static_cast<std::size_t>(*elementCount(view.shape));
    std::vector<std::byte> bytes(count * size);
    std::vector<std::int64_t> at(view.shape.size());
    for (std::size_t i = 0; i < count; ++i) {
        std::uint64_t element = view.offset;
        for (std::size_t axis = 0; axis < at.size(); ++axis) {
            element += static_cast<std::uint64_t>(at[axis] * view.strides[axis]);
        }
        std::copy_n(view.storage.bytes.begin() + static_cast<std::ptrdiff_t>(element * size), size,
                    bytes.begin() + static_cast<std::ptrdiff_t>(i * size));
        for (std::size_t axis = at.size(); axis-- > 0;) {
            if (++at[axis] < view.shape[axis]) {
                break;
            }
            at[axis] = 0;
        }
    }
    return bytes;
}

bool isDictionary(const PickleValue& value)
{
    return value.kind == Kind::Dictionary ||
           (value.kind == Kind::Object &&
            value.items.front()->isGlobal("collections", "OrderedDict"));
}

/// The dictionary of tensors: the root, or what it has under a usual name.
const PickleValue* stateIn(const PickleValue& root)
{
    if (!isDictionary(root)) {
        return nullptr;
    }
    const auto& pairs = root.pairs();
    for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
        if (tensorIn(*pairs[i + 1]) != nullptr) {
            return &root;
        }
    }
    for (const std::string_view name :
         {"state_dict", "model_state_dict", "model", "module", "net"}) {
        for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
            if (pairs[i]->kind == Kind::Text && pairs[i]->text == name &&
                isDictionary(*pairs[i + 1])) {
                return pairs[i + 1];
            }
        }
    }
    return &root;
}

Expected<ArrayFilePtr> openState(const Source& source, const PickleValue& root,
                                 const Storages& storages)
{
    const PickleValue* state = stateIn(root);
    if (state == nullptr) {
        return refuse(source.name, "The file holds no tensors by name.", Code::Unsupported);
    }
    auto file = std::make_shared<TorchFile>(source);
    std::unordered_set<std::string_view> names;
    const auto& pairs = state->pairs();
    for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
        const PickleValue* tensor = tensorIn(*pairs[i + 1]);
        if (pairs[i]->kind != Kind::Text || tensor == nullptr) {
            continue; // settings, counters and the like
        }
        const std::string name(pairs[i]->text);
        const std::string where = source.name + ", array " + inQuotes(name);
        if (!names.insert(pairs[i]->text).second) {
            return refuse(where, "Two tensors have this name.");
        }
        const auto view = viewOf(*tensor, storages, where);
        if (!view && view.error().code == Code::Unsupported) {
            file->addUnreadable(name, view.error());
            continue;
        }
        if (!view) {
            return tl::unexpected(view.error());
        }
        ArrayInfo info{name, view->storage.type, view->shape, false};
        if (isInOrder(*view)) {
            const auto size = static_cast<std::size_t>(elementSize(info.type));
            const auto count = static_cast<std::size_t>(*elementCount(info.shape));
            file->add(std::move(info), false,
                      count == 0 ? std::span<const std::byte>()
                                 : view->storage.bytes.subspan(view->offset * size, count * size));
        } else {
            file->addCopy(std::move(info), gathered(*view));
        }
    }
    return file;
}

Expected<ArrayFilePtr> openZip(const Source& source)
{
    const auto members = readZipDirectory(source.bytes, source.name);
    if (!members) {
        return tl::unexpected(members.error());
    }
    const auto pickled = std::ranges::find_if(
        *members, [](const ZipMember& member) { return member.name.ends_with(pickleSuffix); });
    if (pickled == members->end()) {
        return refuse(source.name, "The archive holds no data.pkl, so it is no torch file.");
    }
    const std::string folder =
        pickled->name.substr(0, pickled->name.size() - pickleSuffix.size()) + "/data/";
    Storages storages;
    for (const ZipMember& member : *members) {
        if (member.name == pickled->name.substr(0, pickled->name.size() - pickleSuffix.size()) +
                               "/byteorder" &&
            asText(member.bytes) != "little") {
            return refuse(source.name, "The file is for big-endian machines.", Code::Unsupported);
        }
        if (!member.name.starts_with(folder)) {
            continue;
        }
        const std::string where = source.name + ", " + inQuotes(member.name);
        if (member.method != zipStored || member.encrypted) {
            return refuse(where,
                          "The numbers of a torch file are stored as they are; these are not.");
        }
        storages.emplace(std::string_view(member.name).substr(folder.size()), member.bytes);
    }
    const std::string where = source.name + ", " + inQuotes(pickled->name);
    const auto bytes = unpack(*pickled, where);
    if (!bytes) {
        return tl::unexpected(bytes.error());
    }
    const auto pickle = readPickle(*bytes, where);
    if (!pickle) {
        return tl::unexpected(pickle.error());
    }
    return openState(source, *pickle->root, storages);
}

/// The numbers behind the pickles of an old file: of each key a count of elements, then they.
Expected<Storages> oldStorages(const Source& source, const Pickle& keys, const Pickle& object,
                               std::size_t at)
{
    // How large an element is stands where a tensor names its numbers.
    std::map<std::string_view, ElementType> types;
    for (const PickleValue& value : object.values) {
        if (value.kind != Kind::Persistent || value.items.front()->kind != Kind::Tuple ||
            value.items.front()->items.size() < 5) {
            continue;
        }
        const auto& items = value.items.front()->items;
        if (const auto type = typeOf(*items[1])) {
            types.emplace(items[2]->text, *type);
        }
    }
    Storages storages;
    if (keys.root->kind != Kind::List) {
        return badFormat(source.name, at, "There is no list of what the numbers belong to.");
    }
    for (const PickleValue* key : keys.root->items) {
        const auto type = types.find(key->text);
        if (key->kind != Kind::Text || type == types.end()) {
            return badFormat(source.name, at,
                             "There are numbers " + inQuotes(key->text) +
                                 " of a kind that is not read or not named.");
        }
        const std::size_t left = source.bytes.size() - at;
        const auto size = static_cast<std::uint64_t>(elementSize(type->second));
        if (left < sizeof(std::uint64_t)) {
            return badFormat(source.name, at, "The file is cut short before a count of numbers.");
        }
        const auto count = readLittleEndian<std::uint64_t>(source.bytes, at);
        at += sizeof count;
        if (count > (left - sizeof count) / size) {
            return badFormat(source.name, at - sizeof count,
                             "The file claims " + std::to_string(count) + " numbers, but only " +
                                 std::to_string(left - sizeof count) + " bytes follow.");
        }
        storages.emplace(key->text, source.bytes.subspan(at, count * size));
        at += count * size;
    }
    return storages;
}

Expected<ArrayFilePtr> openOld(const Source& source)
{
    // The magic number, the protocol, the machine, the object, the keys of its numbers.
    std::array<Pickle, 5> pickles;
    std::size_t at = 0;
    for (Pickle& pickle : pickles) {
        auto read = readPickle(source.bytes.subspan(at), source.name, at);
        if (!read) {
            return tl::unexpected(read.error());
        }
        pickle = std::move(*read);
        at += pickle.size;
    }
    if (pickles[1].root->kind != Kind::Whole || pickles[1].root->whole != oldProtocol) {
        return badFormat(source.name, oldMagic.size(),
                         "The file is of a version of torch.save() that is not known.");
    }
    const auto storages = oldStorages(source, pickles[4], pickles[3], at);
    if (!storages) {
        return tl::unexpected(storages.error());
    }
    return openState(source, *pickles[3].root, *storages);
}

} // namespace

bool looksLikeTorch(std::span<const std::byte> bytes)
{
    if (asText(bytes).starts_with(oldMagic)) {
        return true;
    }
    if (!asText(bytes).starts_with("PK\3\4")) {
        return false;
    }
    const auto members = readZipDirectory(bytes, "");
    return members && std::ranges::any_of(*members, [](const ZipMember& member) {
               return member.name.ends_with(pickleSuffix);
           });
}

Expected<ArrayFilePtr> openTorch(const Source& source)
{
    return asText(source.bytes).starts_with(oldMagic) ? openOld(source) : openZip(source);
}

} // namespace heed::detail
