#include <fmt/format.h>

#include <algorithm>

#include "config/job.h"
#include "config/layout.h"
#include "support/lists.h"

namespace heddle::config {
namespace {

/// Names that all have values.
class KnownNames : public Names {
 public:
  explicit KnownNames(const Arguments& arguments) : arguments_(arguments) {}

  std::optional<Value> find(const std::string& name) override {
    for (const NamedValue& entry : arguments_.names) {
      if (entry.name == name) return entry.value;
    }
    return std::nullopt;
  }
  std::vector<std::string> all() const override {
    std::vector<std::string> names;
    for (const NamedValue& entry : arguments_.names) names.push_back(entry.name);
    return names;
  }
  std::vector<std::int64_t> shape(TensorReference tensor) override {
    return arguments_.tensors[tensor.index].shape;
  }
  std::vector<std::int64_t> strides(TensorReference tensor) override {
    return arguments_.tensors[tensor.index].strides;
  }
  std::int64_t element_bytes(TensorReference tensor) override {
    return byte_width(arguments_.tensors[tensor.index].dtype);
  }
  std::int64_t csr_nonzeros(std::int64_t, std::int64_t, double, std::uint64_t) override {
    throw Error("csr_nnz has no place in a grid", "give it a name under [sizes]");
  }

 private:
  const Arguments& arguments_;
};

/// What the job itself gives: neither from the kernel's config nor from its heuristics.
bool job_gives(const Job& job, const std::string& name) {
  const std::vector<std::string> given = job.argument_names();
  if (is_one_of(name, given)) return true;
  return std::ranges::any_of(job.unplaced,
                             [&](const NamedExpression& entry) { return entry.name == name; });
}

void add_extra(const Job& job, Arguments& arguments, const NamedValue& extra) {
  if (job_gives(job, extra.name)) return;
  const auto same = [&](const auto& entry) { return entry.name == extra.name; };
  std::erase_if(arguments.arguments, same);
  std::erase_if(arguments.names, same);
  arguments.arguments.push_back({extra.name, extra.value, true, {}});
  arguments.names.push_back(extra);
}

std::vector<std::int64_t> grid_extents(const Job& job, const Arguments& arguments) {
  KnownNames names(arguments);
  std::vector<std::int64_t> extents;
  for (const Written& item : job.grid.items) {
    try {
      const Value value = evaluate(item.expression, names);
      const auto* list = std::get_if<ValueList>(&value.data);
      if (job.grid.is_array || list == nullptr) {
        extents.push_back(integer_of(value, "a grid extent"));
        continue;
      }
      for (const Value& part : *list) extents.push_back(integer_of(part, "a grid extent"));
    } catch (const Error& error) {
      throw placed(error, item);
    }
  }
  return extents;
}

Grid make_grid(const Job& job, const Arguments& arguments) {
  const std::vector<std::int64_t> extents = grid_extents(job, arguments);
  try {
    return Grid(extents);
  } catch (const Error& error) {
    const bool too_large =
        std::all_of(extents.begin(), extents.end(), [](std::int64_t one) { return one > 0; });
    throw Error(fmt::format("the grid is [{}]: {}", fmt::join(extents, ", "), error.message()),
                "check the expressions of 'grid' and the sizes in them")
        .because({too_large ? Cause::Kind::size : Cause::Kind::unknown})
        .at(job.grid.source, job.grid.position);
  }
}

}  // namespace

Launch make_launch(const Job& job, Arguments arguments, const std::vector<NamedValue>& extra) {
  for (const NamedValue& entry : extra) add_extra(job, arguments, entry);
  Launch launch;
  launch.kernel_path = job.kernel_path;
  launch.function = job.function;
  launch.include = job.include;
  launch.defines = job.defines;
  launch.grid = make_grid(job, arguments);
  launch.tensors = std::move(arguments.tensors);
  try {
    lay_out(launch.tensors, arguments.address_given);
  } catch (const Error& error) {
    throw error.in(job.path);
  }
  launch.arguments = std::move(arguments.arguments);
  launch.warps = arguments.warps;
  launch.stages = arguments.stages;
  launch.threads = arguments.threads;
  launch.registers = arguments.registers;
  launch.shared_bytes = arguments.shared_bytes;
  launch.target = job.target;
  return launch;
}

}  // namespace heddle::config
