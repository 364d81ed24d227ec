#include "contents.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

#include "splitmix.h"

namespace heddle::agent {
namespace {

constexpr std::uint64_t kBlockBytes = (std::uint64_t{4} << 20) + 8 * 1009;

bool repeats(const Tensor& tensor) {
  switch (tensor.contents.kind) {
    case ContentsKind::zeros:
    case ContentsKind::constant:
      return true;
    case ContentsKind::random:
    case ContentsKind::normal:
    case ContentsKind::uniform:
      return is_floating(tensor.dtype) || tensor.dtype == Dtype::boolean;
    default:
      return false;
  }
}

double normal_number(Splitmix& random) {
  const double radius = std::sqrt(-2 * std::log(1 - random.unit()));
  return radius * std::cos(2 * std::numbers::pi * random.unit());
}

double next_number(const Tensor& tensor, Splitmix& random, std::uint64_t index) {
  const Contents& contents = tensor.contents;
  const bool floating = is_floating(tensor.dtype);
  switch (contents.kind) {
    case ContentsKind::random:
      if (tensor.dtype == Dtype::boolean) return static_cast<double>(random.below(2));
      return floating ? random.unit() * 2 - 1 : static_cast<double>(random.below(10));
    case ContentsKind::normal:
      return normal_number(random);
    case ContentsKind::uniform: {
      if (floating) return contents.low + (contents.high - contents.low) * random.unit();
      const double count = std::ceil(contents.high) - std::ceil(contents.low);
      return std::ceil(contents.low) +
             static_cast<double>(random.below(static_cast<std::uint64_t>(std::max(count, 1.0))));
    }
    case ContentsKind::constant:
      return contents.low;
    case ContentsKind::range:
      return static_cast<double>(index);
    default:
      return 0;
  }
}

}  // namespace

HostContents make_contents(const Tensor& tensor, const ContentsRequest& request) {
  HostContents contents;
  contents.bytes = tensor.bytes;
  if (tensor.contents.kind == ContentsKind::file) {
    const std::string text = read_file(file_of(request.folder, tensor.contents.path), tensor.bytes);
    contents.block.assign(text.begin(), text.end());
    contents.block.resize(tensor.bytes);
    return contents;
  }
  const std::uint64_t bytes = repeats(tensor) ? std::min(tensor.bytes, kBlockBytes) : tensor.bytes;
  contents.block.resize(bytes);
  if (tensor.contents.kind == ContentsKind::addresses) {
    for (std::size_t i = 0; i < tensor.contents.tensors.size(); ++i)
      std::memcpy(contents.block.data() + i * 8, &request.addresses[tensor.contents.tensors[i]], 8);
    return contents;
  }
  const std::size_t size = bytes_of(tensor.dtype);
  Splitmix random(Splitmix(request.seed * 4099 + request.number).next());
  for (std::uint64_t i = 0; i < bytes / size; ++i)
    encode(tensor.dtype, next_number(tensor, random, i), contents.block.data() + i * size);
  return contents;
}

void copy_contents(const HostContents& contents, std::uint64_t offset, std::uint64_t count,
                   unsigned char* to) {
  const std::uint64_t period = contents.block.size();
  while (count > 0) {
    const std::uint64_t at = offset % period;
    const std::uint64_t some = std::min(count, period - at);
    std::memcpy(to, contents.block.data() + at, some);
    to += some;
    offset += some;
    count -= some;
  }
}

}  // namespace heddle::agent
