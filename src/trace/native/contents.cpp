#include "trace/native/contents.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>

#include "config/contents.h"
#include "support/error.h"
#include "trace/interpreter/float_bits.h"

namespace heddle::trace::native {
namespace {

constexpr std::int64_t kMostStoredBytes = std::int64_t{2} << 30;

using Moved = std::vector<MovedTensor>;

/// Everything that decides what a tensor holds.
std::string description(const config::Tensor& tensor, std::uint64_t offset) {
  const config::Contents& contents = tensor.contents;
  std::string text = fmt::format("{} {} {} {} {} {} {} {} {} {} {}\n", offset, tensor.bytes,
                                 static_cast<int>(tensor.dtype), static_cast<int>(contents.kind),
                                 contents.lo, contents.hi, contents.rows, contents.columns,
                                 contents.density, contents.path, contents.seed);
  for (const double value : contents.values) text += fmt::format(" {}", value);
  return text;
}

void fill(const config::Launch& launch, const PlacedTensor& placed, const Moved& moved,
          std::vector<char>& bytes) {
  const config::Tensor& tensor = launch.tensors[placed.tensor];
  const config::TensorData data(launch, tensor, kMostStoredBytes);
  if (!data.is_known() || tensor.contents.kind == config::Contents::Kind::zeros) return;
  const auto width = static_cast<std::uint64_t>(config::byte_width(tensor.dtype));
  const bool is_float = config::is_float(tensor.dtype);
  const bool is_address = tensor.contents.kind == config::Contents::Kind::addresses;
  const std::uint64_t room = bytes.size() - std::min<std::uint64_t>(bytes.size(), placed.offset);
  const std::uint64_t count = std::min(static_cast<std::uint64_t>(tensor.bytes), room) / width;
  char* at = bytes.data() + placed.offset;
  for (std::uint64_t element = 0; element < count; ++element, at += width) {
    const auto index = static_cast<std::int64_t>(element);
    std::uint64_t bits = is_float ? interpreter::to_bits(tensor.dtype, data.real(index))
                                  : static_cast<std::uint64_t>(data.integer(index));
    if (is_address) bits = moved_address(moved, bits).value_or(bits);
    std::memcpy(at, &bits, width);  // little-endian, as every machine that heddle runs on
  }
}

}  // namespace

std::optional<std::uint64_t> moved_address(const Moved& moved, std::uint64_t address) {
  for (const bool ends_count : {false, true})
    for (const MovedTensor& tensor : moved)
      if (address >= tensor.begin &&
          (address < tensor.end || (ends_count && address == tensor.end)))
        return tensor.in_runner + (address - tensor.begin);
  return std::nullopt;
}

MemoryFile::MemoryFile(const std::vector<char>& bytes)
    : descriptor_(memfd_create("heddle-tensors", MFD_CLOEXEC)) {
  std::size_t done = 0;
  while (descriptor_ >= 0 && done < bytes.size()) {
    const ssize_t some = write(descriptor_, bytes.data() + done, bytes.size() - done);
    if (some <= 0) break;
    done += static_cast<std::size_t>(some);
  }
  if (done < bytes.size() || descriptor_ < 0)
    throw Error(fmt::format("there is no room for {} MiB of tensors", bytes.size() >> 20),
                "trace a smaller size with --set", ExitCode::missing);
}

MemoryFile::~MemoryFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

std::shared_ptr<const MemoryFile> make_contents(const config::Launch& launch,
                                                const std::vector<PlacedTensor>& tensors,
                                                std::uint64_t bytes, const Moved& moved) {
  static std::mutex mutex;
  static std::map<std::string, std::weak_ptr<const MemoryFile>> known;
  std::string key = fmt::format("{}\n", bytes);
  bool is_shared = true;
  for (const PlacedTensor& placed : tensors) {
    const config::Tensor& tensor = launch.tensors[placed.tensor];
    key += description(tensor, placed.offset);
    is_shared = is_shared && tensor.contents.kind != config::Contents::Kind::addresses;
  }
  const std::lock_guard guard(mutex);
  if (is_shared) {
    const auto found = known.find(key);
    if (found != known.end())
      if (auto file = found->second.lock()) return file;
  }
  std::vector<char> all(bytes, 0);
  for (const PlacedTensor& placed : tensors) fill(launch, placed, moved, all);
  auto file = std::make_shared<const MemoryFile>(all);
  if (is_shared) known[key] = file;
  return file;
}

}  // namespace heddle::trace::native
