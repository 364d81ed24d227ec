#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "config/job.h"
#include "config/job_contents.h"
#include "config/resolver.h"
#include "support/lists.h"
#include "support/spelling.h"

namespace heddle::config {
namespace {

/// Bytes from the first element to the end of the last one. Throws Error from 2^63 on.
std::int64_t span_bytes(const Tensor& tensor) {
  std::int64_t last = 0;
  bool overflow = false;
  for (std::size_t axis = 0; axis < tensor.shape.size(); ++axis) {
    if (tensor.shape[axis] == 0) return 0;
    std::int64_t reach = 0;
    overflow |= __builtin_mul_overflow(tensor.shape[axis] - 1, tensor.strides[axis], &reach);
    overflow |= __builtin_add_overflow(last, reach, &last);
  }
  std::int64_t bytes = 0;
  overflow |= __builtin_add_overflow(last, 1, &last);
  overflow |= __builtin_mul_overflow(last, std::int64_t{byte_width(tensor.dtype)}, &bytes);
  if (overflow) {
    throw Error(fmt::format("tensor '{}' has 2^63 bytes or more", tensor.name), "make it smaller")
        .because({Cause::Kind::size});
  }
  return bytes;
}

class ArgumentMaker {
 public:
  ArgumentMaker(const Job& job, const std::vector<NamedValue>& defaults)
      : job_(job), defaults_(defaults), names_(job, defaults) {}

  Arguments run() {
    check_overrides();
    for (std::size_t i = 0; i < job_.tensors.size(); ++i) add_tensor(i);
    for (const NamedExpression& scalar : job_.scalars) add_scalar(scalar);
    for (const NamedExpression& entry : job_.constexprs) add_constexpr(entry);
    for (const NamedExpression& entry : job_.unplaced) add_constexpr(entry);
    add_defaults();
    add_launch();
    // Every expression is evaluated, also of names that nothing uses.
    for (const std::string& name : names_.all()) {
      result_.names.push_back({name, *names_.find(name)});
    }
    return std::move(result_);
  }

 private:
  /// --set of what neither the job nor the kernel's config has.
  void check_overrides() const {
    for (const NamedExpression& entry : job_.unplaced) {
      const auto same = [&](const NamedValue& given) { return given.name == entry.name; };
      if (std::ranges::any_of(defaults_, same)) continue;
      std::vector<std::string> known;
      for (const auto* list : {&job_.sizes, &job_.scalars, &job_.constexprs}) {
        for (const NamedExpression& item : *list) known.push_back(item.name);
      }
      for (const NamedValue& item : defaults_) known.push_back(item.name);
      append(known, kLaunchKeys);
      throw Error(
          fmt::format("the job has no '{}' to set", entry.name),
          fmt::format("{}the names are: {}", did_you_mean(entry.name, known), word_list(known)))
          .in(entry.written.source);
    }
  }

  void add_tensor(std::size_t index) {
    const JobTensor& described = job_.tensors[index];
    Tensor tensor;
    tensor.name = described.name;
    tensor.dtype = described.dtype;
    tensor.shape = names_.shape({index});
    tensor.strides = names_.strides({index});
    try {
      tensor.bytes = span_bytes(tensor);
    } catch (const Error& error) {
      throw error.at(job_.path, described.position);
    }
    if (described.block) tensor.block = block_of(described, tensor.shape.size());
    if (described.contents) add_contents(described, tensor);
    if (described.address) tensor.address = address_of(*described.address, tensor);
    result_.address_given.push_back(described.address.has_value());
    result_.tensors.push_back(std::move(tensor));
    if (described.is_parameter) {
      result_.arguments.push_back({described.name, Value{TensorReference{index}}, false, {}});
    }
  }

  std::vector<std::int64_t> block_of(const JobTensor& described, std::size_t rank) {
    const WrittenList& list = *described.block;
    std::vector<std::int64_t> block = names_.integers(list, "a block's extent");
    const bool positive = std::ranges::all_of(block, [](auto n) { return n >= 1; });
    if (block.size() == rank && rank > 0 && positive) return block;
    throw Error(fmt::format("tensor '{}' needs a block of {} extents, each at least 1",
                            described.name, rank),
                "give one extent for each axis of the tensor: block = [128, 64]")
        .at(list.source, list.position);
  }

  void add_contents(const JobTensor& described, Tensor& tensor) {
    const Written& text = *described.contents;
    const std::string folder = std::filesystem::path(job_.path).parent_path().string();
    names_.at_place(text, [&] {
      tensor.contents = read_contents(text.expression, tensor.dtype,
                                      tensor.bytes / byte_width(tensor.dtype), names_, folder);
    });
    if (!described.seed) return;
    const Value seed = names_.value(*described.seed);
    names_.at_place(*described.seed, [&] {
      const std::int64_t number = integer_of(seed, "a seed");
      if (number < 0) throw Error("a seed is negative", "use 0 or more");
      tensor.contents.seed = static_cast<std::uint64_t>(number);
    });
  }

  std::uint64_t address_of(const Written& written, const Tensor& tensor) {
    const Value value = names_.value(written);
    std::int64_t address = 0;
    names_.at_place(written, [&] {
      address = integer_of(value, "an address");
      std::int64_t end = 0;
      if (address < 0 || __builtin_add_overflow(address, tensor.bytes, &end)) {
        throw Error("the tensor does not fit there", "use an address such as 0x7f0000000000");
      }
      if (address % byte_width(tensor.dtype) != 0) {
        throw Error(fmt::format("the address is not a multiple of {} bytes, the element's size",
                                byte_width(tensor.dtype)),
                    "allocators give multiples of 512");
      }
    });
    return static_cast<std::uint64_t>(address);
  }

  void add_scalar(const NamedExpression& scalar) {
    const Value value = *names_.find(scalar.name);
    names_.at_place(scalar.written, [&] {
      if (std::holds_alternative<std::string>(value.data)) {
        throw Error(fmt::format("the scalar '{}' is a text", scalar.name),
                    "texts go under [constexprs]");
      }
      if (scalar.dtype) check_scalar(value, *scalar.dtype);
    });
    result_.arguments.push_back({scalar.name, value, false, scalar.dtype});
  }

  static void check_scalar(const Value& value, DType dtype) {
    if (is_float(dtype)) {
      number_of(value, "a scalar with a dtype");
      return;
    }
    const std::int64_t number = integer_of(value, "a scalar of an integer type");
    const int bits = bit_width(dtype) - (is_signed(dtype) ? 1 : 0);
    const std::int64_t most =
        bits >= 63 ? std::numeric_limits<std::int64_t>::max() : (std::int64_t{1} << bits) - 1;
    const std::int64_t least = is_signed(dtype) ? -most - 1 : 0;
    if (number < least || number > most) {
      throw Error(fmt::format("{} does not fit into {}", number, dtype_text(dtype)),
                  "use a wider dtype");
    }
  }

  void add_constexpr(const NamedExpression& entry) {
    const Value value = *names_.find(entry.name);
    names_.at_place(entry.written, [&] {
      if (std::holds_alternative<TensorReference>(value.data)) {
        throw Error(fmt::format("the constexpr '{}' is a tensor", entry.name),
                    "pass it under [scalars]");
      }
    });
    result_.arguments.push_back({entry.name, value, true, {}});
  }

  void add_defaults() {
    for (const NamedValue& entry : defaults_) {
      for (const NamedExpression& size : job_.sizes) {
        if (size.name != entry.name) continue;
        throw Error(fmt::format("'{}' is a size here and a constexpr of the kernel", size.name),
                    "sizes are not passed to the kernel: move it to [constexprs]")
            .at(size.written.source, size.written.position);
      }
      const bool launch = entry.name == "num_warps" || entry.name == "num_stages";
      if (launch || result_.find(entry.name) != nullptr) continue;
      result_.arguments.push_back({entry.name, entry.value, true, {}});
    }
  }

  /// A launch value: what the job says, else the config, else nothing.
  std::optional<std::int64_t> launch_value(const std::string& key, const std::string& config_name,
                                           std::int64_t least, std::int64_t most) {
    const auto check = [&](const Value& value) {
      const std::int64_t number = integer_of(value, fmt::format("'{}'", key));
      if (number < least || number > most) {
        throw Error(fmt::format("'{}' is {}", key, number),
                    fmt::format("use {} to {}", least, most));
      }
      return number;
    };
    const auto written = job_.launch.find(key);
    if (written != job_.launch.end()) {
      const Value value = names_.value(written->second);
      std::int64_t number = 0;
      names_.at_place(written->second, [&] { number = check(value); });
      return number;
    }
    for (const NamedValue& entry : defaults_) {
      if (!config_name.empty() && entry.name == config_name) return check(entry.value);
    }
    return std::nullopt;
  }

  void add_launch() {
    constexpr std::int64_t kMostWarps = 64;
    constexpr std::int64_t kMostStages = 64;
    constexpr std::int64_t kMostRegisters = 1024;
    constexpr std::int64_t kMostSharedBytes = std::int64_t{1} << 30;
    if (const auto warps = launch_value("warps", "num_warps", 1, kMostWarps)) {
      if ((*warps & (*warps - 1)) != 0) {
        const auto written = job_.launch.find("warps");
        const Error error(fmt::format("'warps' is {}", *warps), "Triton takes powers of two");
        if (written == job_.launch.end()) throw error;
        throw error.at(written->second.source, written->second.position);
      }
      result_.warps = static_cast<int>(*warps);
    }
    if (const auto stages = launch_value("stages", "num_stages", 0, kMostStages)) {
      result_.stages = static_cast<int>(*stages);
    }
    add_threads();
    if (const auto registers = launch_value("registers", "", 1, kMostRegisters)) {
      result_.registers = static_cast<int>(*registers);
    }
    result_.shared_bytes = launch_value("shared_bytes", "", 0, kMostSharedBytes);
  }

  /// `threads = 256` or `threads = [16, 16]`, x first.
  void add_threads() {
    constexpr std::int64_t kMostThreads = 1024;
    const auto written = job_.launch.find("threads");
    if (written == job_.launch.end()) return;
    const Value value = names_.value(written->second);
    names_.at_place(written->second, [&] {
      const auto* list = std::get_if<ValueList>(&value.data);
      const ValueList extents = list != nullptr ? *list : ValueList{value};
      std::int64_t all = 1;
      result_.threads = {1, 1, 1};
      for (std::size_t axis = 0; axis < extents.size() && axis < 3; ++axis) {
        const auto* extent = std::get_if<std::int64_t>(&extents[axis].data);
        if (extent == nullptr || *extent < 1 || *extent > kMostThreads) {
          all = 0;
          break;
        }
        all *= *extent;
        result_.threads[axis] = static_cast<int>(*extent);
      }
      if (extents.empty() || extents.size() > 3 || all < 1 || all > kMostThreads)
        throw Error(fmt::format("'threads' is {}", value_text(value)),
                    "write threads = 256, or threads = [16, 16]: at most 1024 in all");
    });
  }

  const Job& job_;
  const std::vector<NamedValue>& defaults_;
  Resolver names_;
  Arguments result_;
};

}  // namespace

Arguments resolve_arguments(const Job& job, const std::vector<NamedValue>& defaults) {
  return ArgumentMaker(job, defaults).run();
}

}  // namespace heddle::config
