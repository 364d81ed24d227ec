#include "trace/interpreter/tensor_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "config/float_bits.h"
#include "config/rounding.h"
#include "support/error.h"

namespace heddle::trace::interpreter {
namespace {

using config::DType;
using kernel::Opcode;

constexpr std::uint64_t kWordBytes = 8;
constexpr std::size_t kWordLimit = std::size_t{1} << 22;  // 32 MiB of data, a few times that held

/// Which tensors the pointers of some sites can lead to.
class Reached {
 public:
  Reached(const kernel::KernelProgram& program, const config::Launch& launch)
      : program_(program), launch_(launch), tensors_(launch.tensors.size(), false) {}

  void add(const kernel::Instruction& instruction) {
    const auto site = static_cast<std::size_t>(instruction.integers[0]);
    const std::vector<int>& parameters = program_.sites[site].parameters;
    if (parameters.empty()) tensors_.assign(tensors_.size(), true);
    for (const int parameter : parameters) add(parameter);
  }
  bool operator[](std::size_t tensor) const { return tensors_[tensor]; }

 private:
  void add(int parameter) {
    const auto index = static_cast<std::size_t>(parameter);
    const config::Value* value = parameter >= 0 && index < program_.parameters.size()
                                     ? parameter_value(program_.parameters[index], launch_)
                                     : nullptr;
    const auto* reference =
        value == nullptr ? nullptr : std::get_if<config::TensorReference>(&value->data);
    if (reference == nullptr || reference->index >= tensors_.size()) {
      tensors_.assign(tensors_.size(), true);
    } else {
      tensors_[reference->index] = true;
    }
  }

  const kernel::KernelProgram& program_;
  const config::Launch& launch_;
  std::vector<bool> tensors_;
};

bool is_stored(config::Contents::Kind kind) {
  using Kind = config::Contents::Kind;
  switch (kind) {
    case Kind::csr_offsets:
    case Kind::csr_columns:
    case Kind::file:
    case Kind::addresses:
    case Kind::permutation:
    case Kind::values:
      return true;
    default:
      return false;
  }
}

}  // namespace

const config::Value* parameter_value(const kernel::Parameter& parameter,
                                     const config::Launch& launch) {
  if (parameter.argument >= launch.arguments.size()) return nullptr;
  const config::Value& value = launch.arguments[parameter.argument].value;
  if (parameter.element < 0) return &value;
  const auto* list = std::get_if<config::ValueList>(&value.data);
  const auto element = static_cast<std::size_t>(parameter.element);
  return list == nullptr || element >= list->size() ? nullptr : &(*list)[element];
}

TensorMemory::TensorMemory(const kernel::KernelProgram& program, const config::Launch& launch,
                           std::int64_t content_bytes)
    : launch_(launch),
      content_bytes_left_(content_bytes),
      kept_(launch.tensors.size(), false),
      data_(launch.tensors.size()) {
  for (const config::Tensor& tensor : launch.tensors) {
    std::int64_t end = 0;
    const auto start = static_cast<std::int64_t>(tensor.address);
    if (start < 0 || tensor.bytes < 0 || __builtin_add_overflow(start, tensor.bytes, &end)) {
      throw Error(fmt::format("tensor '{}' ends past the address space", tensor.name),
                  "give it a smaller address or shape");
    }
    by_address_.emplace_back(start, static_cast<int>(spans_.size()));
    const auto width = static_cast<unsigned>(config::byte_width(tensor.dtype));
    spans_.push_back({start, end, tensor.dtype, std::countr_zero(width)});
  }
  std::ranges::sort(by_address_);
  for (std::size_t i = 1; i < by_address_.size(); ++i) {
    const auto before = static_cast<std::size_t>(by_address_[i - 1].second);
    overlapping_ |= spans_[before].end > by_address_[i].first;
  }
  Reached read(program, launch);
  Reached written(program, launch);
  for (const kernel::Block& block : kernel::code_of(program).blocks) {
    for (const kernel::Instruction& instruction : block.code) {
      const Opcode op = instruction.op;
      if ((op == Opcode::load || op == Opcode::atomic) && !instruction.results.empty())
        read.add(instruction);
      if (op == Opcode::store || op == Opcode::atomic) written.add(instruction);
    }
  }
  for (std::size_t tensor = 0; tensor < kept_.size(); ++tensor) {
    kept_[tensor] = read[tensor] && written[tensor];
    any_kept_ |= kept_[tensor];
  }
}

int TensorMemory::find(std::int64_t address) const {
  const auto after = std::ranges::upper_bound(by_address_, address, {},
                                              [](const auto& entry) { return entry.first; });
  for (auto at = after; at != by_address_.begin();) {
    --at;
    if (holds(at->second, address, address, 1)) return at->second;
    if (!overlapping_) break;
  }
  return -1;
}

const config::TensorData& TensorMemory::make_data(int tensor) {
  const auto index = static_cast<std::size_t>(tensor);
  const config::Tensor& described = launch_.tensors[index];
  auto made = std::make_unique<config::TensorData>(launch_, described, content_bytes_left_);
  if (!made->is_known()) {
    throw Error(fmt::format("an address, mask or bound depends on what '{}' holds, and the job "
                            "does not say what that is",
                            described.name),
                fmt::format("give it contents in the job, such as [tensors.{}] contents = "
                            "\"zeros\" or \"uniform(0, 100)\"",
                            described.name))
        .because({Cause::Kind::contents, described.name});
  }
  if (is_stored(described.contents.kind)) {
    constexpr std::int64_t kStoredBytes = 8;
    const std::int64_t elements = described.bytes / config::byte_width(described.dtype);
    content_bytes_left_ = std::max<std::int64_t>(0, content_bytes_left_ - elements * kStoredBytes);
  }
  data_[index] = std::move(made);
  return *data_[index];
}

std::uint64_t TensorMemory::element_bits(int tensor, std::int64_t element) {
  const DType dtype = spans_[static_cast<std::size_t>(tensor)].dtype;
  return config::is_float(dtype) ? config::to_bits(dtype, data(tensor).real(element))
                                 : static_cast<std::uint64_t>(data(tensor).integer(element));
}

std::uint64_t TensorMemory::bits(int tensor, std::int64_t address, int bytes) {
  const Span& span = spans_[static_cast<std::size_t>(tensor)];
  std::int64_t element = -1;  // the one that `whole` holds
  std::uint64_t whole = 0;
  std::uint64_t result = 0;
  for (int i = 0; i < bytes; ++i) {
    const std::int64_t at = address + i;
    const auto word = written_.find(static_cast<std::uint64_t>(at) / kWordBytes);
    const auto lane = static_cast<int>(static_cast<std::uint64_t>(at) % kWordBytes);
    std::uint64_t byte = 0;
    if (word != written_.end() && (word->second.valid >> lane & 1) != 0) {
      if ((word->second.unknown >> lane & 1) != 0) {
        throw Error(
            "an address, mask or bound depends on what the tile itself has stored there, "
            "and heddle did not compute that",
            "keep indices in a tensor that the kernel does not write");
      }
      byte = word->second.bits >> (8 * lane) & 0xFF;
    } else {
      if (element != span.element(at)) {
        element = span.element(at);
        whole = element_bits(tensor, element);
      }
      const std::int64_t inside = (at - span.start) - (element << span.width_bits);
      byte = whole >> (8 * inside) & 0xFF;
    }
    result |= byte << (8 * i);
  }
  return result;
}

std::int64_t TensorMemory::integer(int tensor, std::int64_t address, DType element) {
  if (is_plain(tensor, address, element)) return data(tensor).integer(element_of(tensor, address));
  const std::uint64_t raw = bits(tensor, address, config::byte_width(element));
  return config::wrap_to(element, static_cast<std::int64_t>(raw));
}

double TensorMemory::real(int tensor, std::int64_t address, DType element) {
  if (is_plain(tensor, address, element)) return data(tensor).real(element_of(tensor, address));
  return config::from_bits(element, bits(tensor, address, config::byte_width(element)));
}

void TensorMemory::write(std::int64_t address, std::uint64_t bits, int bytes) {
  for (int i = 0; i < bytes; ++i) {
    const auto at = static_cast<std::uint64_t>(address + i);
    Word& word = written_[at / kWordBytes];
    const int lane = static_cast<int>(at % kWordBytes);
    const std::uint64_t mask = std::uint64_t{0xFF} << (8 * lane);
    word.bits = (word.bits & ~mask) | ((bits >> (8 * i) & 0xFF) << (8 * lane));
    word.valid = static_cast<std::uint8_t>(word.valid | 1 << lane);
    word.unknown = static_cast<std::uint8_t>(word.unknown & ~(1 << lane));
  }
  check_size();
}

void TensorMemory::write_unknown(std::int64_t address, int bytes) {
  for (int i = 0; i < bytes; ++i) {
    const auto at = static_cast<std::uint64_t>(address + i);
    Word& word = written_[at / kWordBytes];
    const int lane = static_cast<int>(at % kWordBytes);
    word.valid = static_cast<std::uint8_t>(word.valid | 1 << lane);
    word.unknown = static_cast<std::uint8_t>(word.unknown | 1 << lane);
  }
  check_size();
}

void TensorMemory::check_size() const {
  if (written_.size() > kWordLimit) {
    throw Error("a tile writes too much that its own addresses depend on", "use smaller tensors",
                ExitCode::inconclusive);
  }
}

}  // namespace heddle::trace::interpreter
