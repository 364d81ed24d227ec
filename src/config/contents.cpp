#include "config/contents.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <utility>

#include "config/float_bits.h"
#include "config/npy.h"
#include "config/random.h"
#include "config/rounding.h"
#include "support/error.h"
#include "support/text.h"

namespace heddle::config {
namespace {

using ContentsKind = Contents::Kind;
constexpr std::int64_t kStoredBytes = 8;
constexpr std::int64_t kMostStoredBytes = std::int64_t{2} << 30;  ///< of write_contents

std::vector<std::int64_t> make_permutation(std::int64_t count, std::uint64_t seed) {
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), std::int64_t{0});
  const RandomStream stream(seed);
  for (std::size_t i = numbers.size(); i > 1; --i) {
    std::swap(numbers[i - 1], numbers[static_cast<std::size_t>(stream.below(i, i))]);
  }
  return numbers;
}

std::vector<std::int64_t> addresses_of(const Launch& launch, const Contents& contents) {
  std::vector<std::int64_t> addresses;
  for (const std::string& name : contents.tensors) {
    const Tensor* found = nullptr;
    for (const Tensor& tensor : launch.tensors) {
      if (tensor.name == name) found = &tensor;
    }
    if (found == nullptr) {
      throw Error(fmt::format("addresses: there is no tensor '{}'", name),
                  "name tensors of the job");
    }
    addresses.push_back(static_cast<std::int64_t>(found->address));
  }
  return addresses;
}

template <class Item>
std::shared_ptr<const std::vector<Item>> shared(std::vector<Item> items) {
  return std::make_shared<const std::vector<Item>>(std::move(items));
}

void require_count(std::int64_t have, std::int64_t need, std::string_view what,
                   const std::string& hint) {
  if (have == need) return;
  throw Error(fmt::format("{} {} for {} in memory", what, count_of(have, "number"),
                          count_of(need, "element")),
              hint);
}

}  // namespace

TensorData::TensorData(const Launch& launch, const Tensor& tensor, std::int64_t limit_bytes)
    : contents_(tensor.contents),
      dtype_(tensor.dtype),
      elements_(tensor.bytes / byte_width(tensor.dtype)) {
  try {
    store(launch, tensor, limit_bytes);
  } catch (const Error& error) {
    throw error.source().empty() ? error.in(fmt::format("tensor {}", tensor.name)) : error;
  }
}

void TensorData::store(const Launch& launch, const Tensor& tensor, std::int64_t limit_bytes) {
  switch (contents_.kind) {
    case ContentsKind::csr_offsets:
    case ContentsKind::csr_columns: {
      const bool offsets = contents_.kind == ContentsKind::csr_offsets;
      CsrMatrix matrix = make_csr(contents_.rows, contents_.columns, contents_.density,
                                  contents_.seed, limit_bytes);
      std::vector<std::int64_t>& numbers = offsets ? matrix.offsets : matrix.columns;
      require_count(static_cast<std::int64_t>(numbers.size()), elements_,
                    offsets ? "csr_offsets makes" : "csr_columns makes",
                    offsets ? "give it a shape of [rows + 1]"
                            : "give it a shape of [\"csr_nnz(rows, columns, density, seed)\"]");
      integers_ = shared(std::move(numbers));
      return;
    }
    case ContentsKind::permutation:
      if (elements_ > limit_bytes / kStoredBytes) {
        throw Error(fmt::format("a permutation of {} passes the limit of {}",
                                count_of(elements_, "element"),
                                count_of(limit_bytes / kStoredBytes, "element")),
                    "use a smaller tensor, or contents = \"range\"");
      }
      integers_ = shared(make_permutation(elements_, contents_.seed));
      return;
    case ContentsKind::file:
      store_file(limit_bytes);
      return;
    case ContentsKind::addresses:
      integers_ = shared(addresses_of(launch, contents_));
      require_count(static_cast<std::int64_t>(integers_->size()), elements_, "addresses gives",
                    fmt::format("name as many tensors as {} has elements", tensor.name));
      return;
    case ContentsKind::values:
      reals_ = shared(contents_.values);
      require_count(static_cast<std::int64_t>(reals_->size()), elements_, "values gives",
                    fmt::format("list as many numbers as {} has elements", tensor.name));
      return;
    default:
      return;
  }
}

void TensorData::store_file(std::int64_t limit_bytes) {
  NpyArray array = read_npy(contents_.path, limit_bytes);
  const std::size_t count = array.is_real ? array.reals.size() : array.integers.size();
  require_count(static_cast<std::int64_t>(count), elements_,
                fmt::format("'{}' holds", contents_.path),
                "give the tensor the shape of the file's array, row-major");
  if (array.is_real) {
    reals_ = shared(std::move(array.reals));
  } else {
    integers_ = shared(std::move(array.integers));
  }
}

bool TensorData::is_known() const {
  return contents_.kind != ContentsKind::unspecified;
}

std::int64_t TensorData::integer(std::int64_t element) const {
  if (is_float(dtype_)) return truncate(real(element));
  if (element < 0 || element >= elements_) return 0;
  return wrap_to(dtype_, integer_of(element));
}

double TensorData::real(std::int64_t element) const {
  if (element < 0 || element >= elements_) return 0;
  if (is_float(dtype_)) return round_to(dtype_, real_of(element));
  const std::int64_t value = integer(element);
  return dtype_ == DType::uint64 ? static_cast<double>(static_cast<std::uint64_t>(value))
                                 : static_cast<double>(value);
}

/// Of a tensor of integers, before it is wrapped.
std::int64_t TensorData::integer_of(std::int64_t element) const {
  const auto index = static_cast<std::size_t>(element);
  if (integers_) return (*integers_)[index];
  if (reals_) return truncate((*reals_)[index]);
  switch (contents_.kind) {
    case ContentsKind::constant:
      return truncate(contents_.lo);
    case ContentsKind::range:
      return element;
    case ContentsKind::uniform: {
      const std::int64_t first = truncate(std::ceil(contents_.lo));
      const std::int64_t end = truncate(std::ceil(contents_.hi));
      if (end <= first) return first;
      const std::uint64_t count =
          static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(first);
      const std::uint64_t offset = RandomStream(contents_.seed).below(count, index);
      return static_cast<std::int64_t>(static_cast<std::uint64_t>(first) + offset);
    }
    case ContentsKind::normal:
      return truncate(RandomStream(contents_.seed).normal(index));
    default:
      return 0;
  }
}

/// Of a tensor of floating numbers, before it is rounded.
double TensorData::real_of(std::int64_t element) const {
  const auto index = static_cast<std::size_t>(element);
  if (reals_) return (*reals_)[index];
  if (integers_) return static_cast<double>((*integers_)[index]);
  switch (contents_.kind) {
    case ContentsKind::constant:
      return contents_.lo;
    case ContentsKind::range:
      return static_cast<double>(element);
    case ContentsKind::uniform: {
      const double share = RandomStream(contents_.seed).unit(index);
      return contents_.lo + (contents_.hi - contents_.lo) * share;
    }
    case ContentsKind::normal:
      return RandomStream(contents_.seed).normal(index);
    default:
      return 0;
  }
}

void write_contents(const Launch& launch, const Tensor& tensor, std::span<char> bytes) {
  const TensorData data(launch, tensor, kMostStoredBytes);
  if (!data.is_known() || tensor.contents.kind == Contents::Kind::zeros) return;
  const auto width = static_cast<std::size_t>(byte_width(tensor.dtype));
  const bool is_float = config::is_float(tensor.dtype);
  const std::size_t count = std::min(static_cast<std::size_t>(tensor.bytes), bytes.size()) / width;
  for (std::size_t element = 0; element < count; ++element) {
    const auto index = static_cast<std::int64_t>(element);
    const std::uint64_t bits = is_float ? to_bits(tensor.dtype, data.real(index))
                                        : static_cast<std::uint64_t>(data.integer(index));
    // little-endian, as every machine that heddle runs on
    std::memcpy(bytes.data() + element * width, &bits, width);
  }
}

}  // namespace heddle::config
