#include "trace/native/contents.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <span>

#include "config/contents.h"
#include "support/error.h"

namespace heddle::trace::native {
namespace {

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
          std::span<char> piece) {
  const config::Tensor& tensor = launch.tensors[placed.tensor];
  const std::span<char> bytes = piece.subspan(std::min<std::size_t>(piece.size(), placed.offset));
  config::write_contents(launch, tensor, bytes);
  if (tensor.contents.kind != config::Contents::Kind::addresses) return;
  const auto width = static_cast<std::size_t>(config::byte_width(tensor.dtype));
  const std::size_t count = std::min(static_cast<std::size_t>(tensor.bytes), bytes.size()) / width;
  for (std::size_t element = 0; element < count; ++element) {
    std::uint64_t address = 0;
    std::memcpy(&address, bytes.data() + element * width, width);
    address = moved_address(moved, address).value_or(address);
    std::memcpy(bytes.data() + element * width, &address, width);
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
