#include "config/job.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <mutex>

#include "config/job_override.h"
#include "config/kept_job.h"
#include "config/toml_document.h"
#include "support/file.h"
#include "support/lists.h"
#include "support/spelling.h"

namespace heddle::config {
namespace {

using NodeKind = TomlNode::Kind;
using Keys = std::vector<std::string>;

const Keys kJobKeys = {"kernel", "function", "include", "defines",    "grid",   "config",
                       "sizes",  "tensors",  "scalars", "constexprs", "launch", "captured"};
const Keys kTensorKeys = {"dtype", "shape",   "strides", "contents",
                          "seed",  "address", "block",   "parameter"};
const Keys kScalarKeys = {"value", "dtype"};

TomlNode read_root(const std::string& path) {
  if (const auto text = kept_job(path)) return parse_toml(*text, path, "docs/jobs.md");
  return read_toml(path);
}

class JobReader {
 public:
  explicit JobReader(const std::string& path) : shown_(display_name(path)), root_(read_root(path)) {
    job_.path = shown_;
  }

  Job run() {
    check_keys(root_, kJobKeys, "a job");
    read_kernel();
    read_grid();
    if (const TomlNode* node = root_.find("config")) read_config(*node);
    read_names("sizes", job_.sizes);
    if (const TomlNode* node = root_.find("tensors")) read_tensors(*node);
    read_scalars();
    read_names("constexprs", job_.constexprs);
    if (const TomlNode* node = root_.find("launch")) read_launch(*node);
    // What heddle capture saw besides.
    if (const TomlNode* node = root_.find("captured")) {
      need_table(*node);
      if (const TomlNode* gpu = node->find("gpu"))
        job_.captured_gpu = plain_text(*gpu, "NVIDIA H200");
    }
    return std::move(job_);
  }

 private:
  [[noreturn]] void fail(const TomlNode& node, std::string what, std::string hint) const {
    throw Error(std::move(what), std::move(hint)).at(shown_, node.position);
  }

  [[noreturn]] void fail_at_key(const TomlNode& node, std::string what, std::string hint) const {
    throw Error(std::move(what), std::move(hint)).at(shown_, node.key_position);
  }

  void check_keys(const TomlNode& table, const Keys& allowed, std::string_view what) const {
    for (const TomlNode& item : table.items) {
      if (is_one_of(item.key, allowed)) continue;
      fail_at_key(
          item, fmt::format("'{}' is not a key of {}", item.key, what),
          fmt::format("{}the keys are: {}", did_you_mean(item.key, allowed), word_list(allowed)));
    }
  }

  void need_table(const TomlNode& node) const {
    if (node.kind == NodeKind::table) return;
    fail(node, fmt::format("'{}' must be a table, not {}", node.key, node.kind_text()),
         fmt::format("write [{}] and its keys in the lines below", node.key));
  }

  /// Plain text that is not an expression: a path, a function's name, a type.
  const std::string& plain_text(const TomlNode& node, std::string_view sample) const {
    if (node.kind != NodeKind::text || node.text.empty()) {
      fail(node,
           fmt::format("'{}' must be a text, not {}", node.key,
                       node.kind == NodeKind::text ? "an empty one" : node.kind_text()),
           fmt::format("write {} = \"{}\"", node.key, sample));
    }
    return node.text;
  }

  void read_kernel() {
    const TomlNode* kernel = root_.find("kernel");
    if (kernel == nullptr) {
      throw Error("the job has no 'kernel'", "add kernel = \"kernel.py\", relative to this file")
          .in(shown_);
    }
    const std::filesystem::path folder =
        shown_ == "<stdin>" ? "" : std::filesystem::path(shown_).parent_path();
    job_.kernel_path = (folder / plain_text(*kernel, "kernel.py")).string();
    if (const TomlNode* function = root_.find("function")) {
      job_.function = plain_text(*function, "gemm_kernel");
    }
    if (const TomlNode* include = root_.find("include"))
      for (const std::string& one : texts(*include, "../include"))
        job_.include.push_back((folder / one).string());
    if (const TomlNode* defines = root_.find("defines")) job_.defines = texts(*defines, "N=4");
  }

  /// A text, or a list of texts, that are not expressions.
  std::vector<std::string> texts(const TomlNode& node, std::string_view sample) const {
    if (node.kind != NodeKind::array) return {plain_text(node, sample)};
    std::vector<std::string> all;
    for (const TomlNode& item : node.items) all.push_back(plain_text(item, sample));
    return all;
  }

  void read_grid() {
    const TomlNode* grid = root_.find("grid");
    if (grid == nullptr) {
      throw Error("the job has no 'grid'",
                  "add grid = [\"cdiv(M, BLOCK_M)\", \"cdiv(N, BLOCK_N)\"], axis 0 first")
          .in(shown_);
    }
    job_.grid = written_list(*grid);
  }

  void read_config(const TomlNode& node) {
    job_.config_position = node.position;
    if (node.kind == NodeKind::integer && node.integer >= 0) {
      job_.config = node.integer;
      return;
    }
    if (node.kind != NodeKind::table) {
      fail(node, "'config' is the number of a triton.Config, from 0, or a table of its values",
           "write config = 0 or config = { BLOCK_M = 128 }");
    }
    std::vector<NamedValue> values;
    for (const TomlNode& item : node.items) {
      values.push_back({item.key, constant(written(item))});
    }
    job_.config = std::move(values);
  }

  /// The value of an expression that names nothing.
  Value constant(const Written& value) const {
    class NoNames : public Names {
     public:
      std::optional<Value> find(const std::string&) override { return std::nullopt; }
      std::vector<std::string> all() const override { return {}; }
      std::vector<std::int64_t> shape(TensorReference) override { return {}; }
      std::vector<std::int64_t> strides(TensorReference) override { return {}; }
      std::int64_t element_bytes(TensorReference) override { return 1; }
      std::int64_t csr_nonzeros(std::int64_t, std::int64_t, double, std::uint64_t) override {
        throw Error("csr_nnz has no place here", "write the number");
      }
    } nothing;
    try {
      return evaluate(value.expression, nothing);
    } catch (const Error& error) {
      throw placed(error, value);
    }
  }

  Written written(const TomlNode& node) const {
    Written result;
    result.source = shown_;
    result.position = node.position;
    result.expression = expression(node, result);
    return result;
  }

  /// Also notes how the value was written.
  Expression expression(const TomlNode& node, Written& noted) const {
    Expression result;
    switch (node.kind) {
      case NodeKind::text:
        noted.text = node.text;
        try {
          return parse_expression(node.text);
        } catch (const Error& error) {
          throw placed(error, noted);
        }
      case NodeKind::array:
        return list_expression(node, noted);
      case NodeKind::integer:
        result.value = Value{node.integer};
        break;
      case NodeKind::real:
        result.value = Value{node.real};
        break;
      case NodeKind::boolean:
        result.value = Value{node.boolean};
        break;
      case NodeKind::table:
        fail(node, fmt::format("'{}' must be a value, not a table", node.key),
             "write a number, or an expression in quotes");
    }
    noted.text = value_text(result.value);
    return result;
  }

  Expression list_expression(const TomlNode& node, Written& noted) const {
    Expression result;
    result.kind = Expression::Kind::list;
    std::string text = "[";
    for (const TomlNode& item : node.items) {
      Written part = written(item);
      result.height = std::max(result.height, part.expression.height + 1);
      result.operands.push_back(std::move(part.expression));
      text += (text.size() > 1 ? ", " : "") + part.text;
    }
    noted.text = text + "]";
    return result;
  }

  WrittenList written_list(const TomlNode& node) const {
    WrittenList list;
    list.source = shown_;
    list.position = node.position;
    list.is_array = node.kind == NodeKind::array;
    if (!list.is_array) {
      list.items.push_back(written(node));
      return list;
    }
    if (node.items.size() > kRankLimit) {
      fail(node, fmt::format("'{}' has {} entries", node.key, node.items.size()),
           fmt::format("there are {} axes at most", kRankLimit));
    }
    for (const TomlNode& item : node.items) list.items.push_back(written(item));
    return list;
  }

  /// "", "[0]", "[0][12]".
  static bool is_index(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = text.find_first_not_of("0123456789", 1);
      if (text.front() != '[' || end == std::string_view::npos || end < 2 || text[end] != ']')
        return false;
      text.remove_prefix(end + 1);
    }
    return true;
  }

  /// Notes a name; each stands for one thing.
  void claim(const TomlNode& node, std::string_view what, const std::string& of = {}) {
    // Of a struct's member that is an array: ne[0].
    const std::string plain = of.empty() ? node.key : node.key.substr(0, node.key.find('['));
    if (!is_parameter_name(plain) || !is_index(std::string_view(node.key).substr(plain.size()))) {
      fail_at_key(node, fmt::format("'{}' cannot be a name", node.key),
                  "use letters, digits and underscores; no word of Python");
    }
    const auto [place, is_new] = claimed_.emplace(of + node.key, what);
    if (is_new) return;
    fail_at_key(node, fmt::format("'{}' is both {} and {}", of + node.key, place->second, what),
                "expressions can name scalars, constexprs and tensors, too: leave one of them out");
  }

  void read_names(const std::string& table, std::vector<NamedExpression>& names) {
    const TomlNode* node = root_.find(table);
    if (node == nullptr) return;
    need_table(*node);
    for (const TomlNode& item : node->items) {
      claim(item, table == "sizes" ? "a size" : "a constexpr");
      names.push_back({item.key, written(item), {}});
    }
  }

  DType dtype(const TomlNode& node) const {
    const std::optional<DType> type = dtype_from_text(plain_text(node, "fp16"));
    if (type) return *type;
    fail(node, fmt::format("'{}' is not a type", node.text),
         "use int1 int8 uint8 int16 uint16 int32 uint32 int64 uint64 fp8e4nv fp8e5 fp16 bf16 fp32 "
         "fp64, or PyTorch's names");
  }

  void read_scalars() {
    const TomlNode* node = root_.find("scalars");
    if (node == nullptr) return;
    need_table(*node);
    read_scalars(*node, "");
  }

  /// A table without value and dtype is a struct: its keys are the members.
  void read_scalars(const TomlNode& node, const std::string& of) {
    for (const TomlNode& item : node.items) {
      claim(item, "a scalar", of);
      const std::string name = of + item.key;
      if (item.kind != NodeKind::table) {
        job_.scalars.push_back({name, written(item), {}});
        continue;
      }
      if (item.items.empty()) {
        Written nothing;
        nothing.source = shown_;
        nothing.position = item.position;
        nothing.text = "None";
        job_.scalars.push_back({name, nothing, {}});
        continue;
      }
      if (item.find("value") == nullptr && item.find("dtype") == nullptr) {
        read_scalars(item, name + ".");
        continue;
      }
      check_keys(item, kScalarKeys, "a scalar");
      const TomlNode* value = item.find("value");
      const TomlNode* type = item.find("dtype");
      if (value == nullptr) {
        fail(item, fmt::format("'{}' has no 'value'", item.key),
             "write { value = 5, dtype = \"int64\" }");
      }
      job_.scalars.push_back(
          {name, written(*value), type != nullptr ? std::optional(dtype(*type)) : std::nullopt});
    }
  }

  void read_tensors(const TomlNode& node) {
    need_table(node);
    read_tensors(node, "");
  }

  void read_tensors(const TomlNode& node, const std::string& of) {
    for (const TomlNode& item : node.items) {
      const bool is_struct = item.kind == NodeKind::table && !item.items.empty() &&
                             std::ranges::all_of(item.items, [](const TomlNode& member) {
                               return member.kind == NodeKind::table;
                             });
      if (is_struct) {
        read_tensors(item, of + item.key + ".");
        continue;
      }
      claim(item, "a tensor", of);
      if (item.kind != NodeKind::table) {
        fail(item, fmt::format("tensor '{}' must be a table, not {}", item.key, item.kind_text()),
             fmt::format("write [tensors.{}] and its keys in the lines below", item.key));
      }
      job_.tensors.push_back(read_tensor(item));
      job_.tensors.back().name = of + item.key;
    }
  }

  JobTensor read_tensor(const TomlNode& node) const {
    check_keys(node, kTensorKeys, "a tensor");
    for (const std::string& needed : {std::string("dtype"), std::string("shape")}) {
      if (node.find(needed) != nullptr) continue;
      fail(node, fmt::format("tensor '{}' has no '{}'", node.key, needed),
           needed == "dtype" ? "add dtype = \"fp16\"" : "add shape = [\"M\", \"N\"]");
    }
    JobTensor tensor;
    tensor.name = node.key;
    tensor.position = node.key_position;
    tensor.dtype = dtype(*node.find("dtype"));
    tensor.shape = written_list(*node.find("shape"));
    if (const TomlNode* strides = node.find("strides")) tensor.strides = written_list(*strides);
    if (const TomlNode* block = node.find("block")) tensor.block = written_list(*block);
    if (const TomlNode* seed = node.find("seed")) tensor.seed = written(*seed);
    if (const TomlNode* address = node.find("address")) tensor.address = written(*address);
    if (const TomlNode* contents = node.find("contents")) {
      plain_text(*contents, "uniform(0, 100)");
      tensor.contents = written(*contents);
    }
    if (const TomlNode* parameter = node.find("parameter")) {
      if (parameter->kind != NodeKind::boolean) {
        fail(*parameter, "'parameter' is true or false", "write parameter = false");
      }
      tensor.is_parameter = parameter->boolean;
    }
    return tensor;
  }

  void read_launch(const TomlNode& node) {
    need_table(node);
    check_keys(node, {kLaunchKeys.begin(), kLaunchKeys.end()}, "[launch]");
    for (const TomlNode& item : node.items) job_.launch.emplace(item.key, written(item));
  }

  std::string shown_;
  TomlNode root_;
  Job job_;
  std::map<std::string, std::string> claimed_;
};

}  // namespace

std::vector<std::string> Job::argument_names() const {
  std::vector<std::string> names;
  for (const JobTensor& tensor : tensors) {
    if (tensor.is_parameter) names.push_back(tensor.name);
  }
  for (const NamedExpression& scalar : scalars) names.push_back(scalar.name);
  for (const NamedExpression& constant : constexprs) names.push_back(constant.name);
  return names;
}

const Argument* Arguments::find(const std::string& name) const {
  for (const Argument& argument : arguments) {
    if (argument.name == name) return &argument;
  }
  return nullptr;
}

namespace {

struct KeptJobs {
  std::mutex mutex;
  std::map<std::string, std::string> texts;
};

KeptJobs& kept_jobs() {
  static KeptJobs kept;
  return kept;
}

}  // namespace

void keep_job(const std::string& path, std::string text) {
  const std::lock_guard lock(kept_jobs().mutex);
  kept_jobs().texts[path] = std::move(text);
}

std::optional<std::string> kept_job(const std::string& path) {
  const std::lock_guard lock(kept_jobs().mutex);
  const auto found = kept_jobs().texts.find(path);
  if (found == kept_jobs().texts.end()) return std::nullopt;
  return found->second;
}

Job read_job(const std::string& path, const std::vector<std::string>& overrides,
             const Target& target) {
  Job job = JobReader(path).run();
  job.target = target;
  // What a compiler made for a GPU of the other vendor says nothing about this one.
  const char* const other = target.vendor == Vendor::amd ? "NVIDIA" : "AMD";
  if (job.captured_gpu.starts_with(other))
    for (const char* const made : {"registers", "shared_bytes"}) job.launch.erase(made);
  apply_overrides(job, overrides);
  return job;
}

}  // namespace heddle::config
