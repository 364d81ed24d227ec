#include "config/skeleton.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "config/draft.h"
#include "config/dtype.h"
#include "config/expression.h"
#include "support/lists.h"
#include "support/text.h"

namespace heddle::config {
namespace {

constexpr std::array<std::string_view, 28> kPointerNames = {
    "out",    "output",   "input",   "inp",   "in",   "src",   "dst",
    "weight", "weights",  "bias",    "mean",  "rstd", "query", "key",
    "value",  "logits",   "indices", "index", "grad", "lse",   "dout",
    "result", "residual", "states",  "cos",   "sin",  "mask",  "values"};

bool ends_with(std::string_view text, std::string_view ending) {
  return text.size() >= ending.size() && text.substr(text.size() - ending.size()) == ending;
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// X, y, Q, DO: one letter, or one after a d (a gradient). Those that sizes are called after are
/// none; K is one beside a Q.
bool is_tensor_letter(std::string_view name, const std::vector<SkeletonParameter>& all) {
  const bool gradient = name.size() == 2 && (name[0] == 'd' || name[0] == 'D');
  if (name.size() != 1 && !gradient) return false;
  const char letter = name.back();
  if (letter == 'K' || letter == 'k') {
    return std::ranges::any_of(
        all, [](const SkeletonParameter& other) { return other.name == "Q" || other.name == "q"; });
  }
  constexpr std::string_view kTensorLetters = "ABCFIJOPQRUVWXYZabcfghopqruvwxyz";
  return contains(kTensorLetters, std::string_view(&letter, 1));
}

bool is_stride(std::string_view lowered) {
  return lowered.substr(0, 6) == "stride" || ends_with(lowered, "stride") ||
         contains(lowered, "_stride_");
}

/// "a" of a_ptr, AP, A: what strides of it may be called after.
std::string stem(std::string_view pointer) {
  std::string lowered = lower_case(pointer);
  for (const std::string_view ending : {"_ptrs", "_ptr", "ptr", "_pointer"}) {
    if (ends_with(lowered, ending) && lowered.size() > ending.size()) {
      lowered.resize(lowered.size() - ending.size());
      break;
    }
  }
  return lowered;
}

class Writer {
 public:
  explicit Writer(const SkeletonInput& input) : input_(input) {
    for (const SkeletonParameter& parameter : input.parameters) {
      if (!parameter.members.empty()) {
        add_members(parameter, parameter.name);
        continue;
      }
      // What cannot be a key of a job cannot be a parameter of a kernel either.
      if (!is_parameter_name(parameter.name)) continue;
      if (parameter.is_strange) {
        strange_.push_back(&parameter);
      } else if (parameter.is_constexpr) {
        constexprs_.push_back(&parameter);
      } else if (guess_parameter(parameter, input.parameters) == ParameterGuess::pointer) {
        pointers_.push_back(&parameter);
      } else {
        scalars_.push_back(&parameter);
      }
    }
    guess_strides();
  }

  std::string run() {
    write_head();
    for (const SkeletonParameter* pointer : pointers_) write_tensor(*pointer);
    for (const SkeletonParameter& member : members_)
      if (member.guess == ParameterGuess::pointer) write_tensor(member);
    write_scalars();
    write_constexprs();
    text_ += "\n[launch]\n";
    if (input_.has_threads) {
      if (input_.threads.empty()) {
        text_ += "threads = 256            # guess: blockDim; [16, 16] for two axes\n";
      } else {
        text_ += fmt::format("threads = [{}]\n", quoted_items(input_.threads));
      }
      if (input_.shared_bytes.empty()) {
        text_ +=
            "# shared_bytes = 0       # of dynamic shared memory, the third value in <<< >>>\n";
      } else {
        text_ += fmt::format("shared_bytes = \"{}\"\n", input_.shared_bytes);
      }
      return text_;
    }
    const std::string_view unless = input_.configs > 0 ? "; what the config says, if left out" : "";
    text_ += fmt::format("# warps = 4              # of a block{}\n", unless);
    text_ += fmt::format("# stages = 2             # of pipelined loops{}\n", unless);
    text_ += "# registers = 128        # of a thread, where known\n";
    text_ += "# shared_bytes = 65536   # of a block, where known\n";
    return text_;
  }

 private:
  /// Members of structs have their struct's name in front.
  void add_members(const SkeletonParameter& parameter, const std::string& name) {
    for (SkeletonParameter member : parameter.members) {
      member.name = name + "." + member.name;
      if (member.members.empty()) {
        members_.push_back(std::move(member));
      } else {
        add_members(member, member.name);
      }
    }
  }

  /// "n, 16" -> "\"n\", 16": expressions in quotes.
  static std::string quoted_items(const std::string& items) {
    std::vector<std::string> all;
    for (const std::string_view item : split_outside_brackets(items, ',')) {
      const bool is_number = item.find_first_not_of("0123456789") == std::string_view::npos;
      all.push_back(is_number ? std::string(item) : toml_quoted(item));
    }
    return fmt::format("{}", fmt::join(all, ", "));
  }

  bool is_set(const std::string& name) const { return is_one_of(name, input_.set); }

  /// Strides in a row with the same stem belong to one tensor: stride_am, stride_ak -> a_ptr.
  void guess_strides() {
    for (const SkeletonParameter* scalar : scalars_) {
      if (guess_parameter(*scalar, input_.parameters) != ParameterGuess::stride) continue;
      const std::string lowered = lower_case(scalar->name);
      const SkeletonParameter* owner = nullptr;
      std::size_t longest = 0;
      for (const SkeletonParameter* pointer : pointers_) {
        const std::string name = stem(pointer->name);
        const bool named = lowered.rfind("stride_" + name, 0) == 0 ||
                           lowered.rfind("stride" + name, 0) == 0 ||
                           (lowered.rfind(name + "_", 0) == 0 && ends_with(lowered, "stride"));
        if (!named || name.size() <= longest) continue;
        owner = pointer;
        longest = name.size();
      }
      if (owner == nullptr) continue;
      strides_[scalar->name] = fmt::format("\"{}.stride({})\"", owner->name, ranks_[owner->name]++);
    }
  }

  void write_head() {
    text_ += fmt::format("# A job for {}: what heddle should know about one launch of it.\n",
                         one_line(input_.function));
    text_ +=
        "# Values marked 'guess' are to be checked. Strings are expressions, in Python's way;\n";
    text_ += "# a text inside needs quotes of its own: \"'relu'\".\n\n";
    text_ += fmt::format("kernel = {}\n", toml_quoted(input_.kernel_path));
    write_function();
    if (input_.grid.empty()) {
      text_ +=
          "grid = [1024]  # guess: 1 to 3 extents, axis 0 first, such as [\"cdiv(N, BLOCK)\"]\n";
    } else {
      text_ += fmt::format("grid = [{}]  # {}\n", quoted_items(input_.grid),
                           input_.launched_at.empty() ? "guess" : one_line(input_.launched_at));
    }
    if (input_.configs > 0) {
      text_ += fmt::format("config = 0  # which of {} of @triton.autotune, from 0\n",
                           count_of(input_.configs, "config"));
    }
    text_ += "\n[sizes]  # names for the expressions below; not passed to the kernel\n";
    if (input_.sizes.empty()) text_ += "# rows = 1024\n";
    for (const auto& [name, guess] : input_.sizes)
      text_ += fmt::format("{} = {}  # guess\n", name, guess);
  }

  /// Template arguments are guesses, and the comment says what each is.
  void write_function() {
    std::vector<std::string> arguments;
    std::vector<std::string> names;
    for (const std::string& parameter : input_.template_parameters) {
      const std::size_t space = parameter.find_last_of(' ');
      const std::string name = parameter.substr(space == std::string::npos ? 0 : space + 1);
      const bool is_type =
          starts_with_word(parameter, "typename") || starts_with_word(parameter, "class");
      const bool is_flag = starts_with_word(parameter, "bool");
      const std::size_t index = arguments.size();
      const bool is_given =
          index < input_.template_arguments.size() && !input_.template_arguments[index].empty();
      const std::string value = constexpr_value(name);
      arguments.push_back(is_given               ? input_.template_arguments[index]
                          : is_type              ? "float"
                          : is_flag              ? "true"
                          : value.front() == '"' ? "1"
                                                 : value);
      // template <class T, class U = T>
      const auto other = std::find(names.begin(), names.end(), arguments.back());
      if (other != names.end())
        arguments.back() = arguments[static_cast<std::size_t>(other - names.begin())];
      names.push_back(name);
    }
    if (arguments.empty()) {
      text_ += fmt::format("function = {}\n", toml_quoted(input_.function + input_.signature));
      return;
    }
    text_ += fmt::format("function = {}  # guess: template <{}>\n",
                         toml_quoted(fmt::format("{}<{}>{}", input_.function,
                                                 fmt::join(arguments, ", "), input_.signature)),
                         one_line(fmt::format("{}", fmt::join(input_.template_parameters, ", "))));
  }

  void write_tensor(const SkeletonParameter& pointer) {
    const auto rank = ranks_.find(pointer.name);
    const int axes = rank == ranks_.end() ? 1 : rank->second;
    std::string shape;
    for (int axis = 0; axis < axes; ++axis) shape += axis == 0 ? "1024" : ", 1024";
    text_ += fmt::format("\n[tensors.{}]\n", member_key(pointer.name));
    if (!pointer.default_text.empty()) {
      text_ += fmt::format("# the kernel's default: {}\n", one_line(pointer.default_text));
    }
    const bool is_known = !pointer.dtype.empty();
    text_ += fmt::format("dtype = \"{}\"{}\n", is_known ? pointer.dtype : "fp16",
                         !pointer.remark.empty() ? "  # " + one_line(pointer.remark)
                         : is_known              ? ""
                                                 : "  # guess");
    if (!pointer.shape.empty()) shape = quoted_items(pointer.shape);
    text_ += fmt::format("shape = [{}]  # guess; numbers or expressions, such as [\"M\", \"K\"]\n",
                         shape);
    text_ += "# strides = ...          # in elements; row-major if left out\n";
    if (pointer.contents.empty()) {
      text_ += "# contents = \"uniform(0, 100)\"  # only where addresses depend on what it holds\n";
    } else {
      text_ += fmt::format("contents = \"{}\"  # guess\n", pointer.contents);
    }
  }

  void write_scalars() {
    text_ += "\n[scalars]\n";
    for (const SkeletonParameter* one : strange_)
      text_ += fmt::format("# {} is a {}, which a job cannot give\n", one_line(one->name),
                           one_line(one->annotation));
    for (const SkeletonParameter& member : members_)
      if (member.guess != ParameterGuess::pointer)
        text_ += fmt::format("{} = {}  # guess\n", member_key(member.name),
                             member.value.empty() ? "0" : scalar_text(member.value));
    for (const SkeletonParameter* scalar : scalars_) {
      const std::string& name = scalar->name;
      if (!scalar->value.empty()) {
        text_ += fmt::format("{} = {}  # guess\n", name, scalar_text(scalar->value));
        continue;
      }
      if (!scalar->default_text.empty()) {
        text_ += fmt::format("# {} = ...  # the kernel's default: {}\n", name,
                             one_line(scalar->default_text));
        continue;
      }
      const auto stride = strides_.find(name);
      text_ += fmt::format("{} = {}  # guess\n", name,
                           stride != strides_.end() ? stride->second : scalar_value(*scalar));
    }
  }

  /// Numbers, truths and {} as they are, expressions in quotes.
  static std::string scalar_text(const std::string& value) {
    const bool is_plain = value == "true" || value == "false" || value == "{}" ||
                          value.find_first_not_of("0123456789.+-e") == std::string::npos;
    return is_plain ? value : toml_quoted(value);
  }

  /// a.ne[0] -> a."ne[0]".
  static std::string member_key(const std::string& name) {
    std::string key;
    for (const std::string_view part : split(name, '.')) {
      if (!key.empty()) key += '.';
      const bool is_bare = part.find('[') == std::string_view::npos;
      key += is_bare ? std::string(part) : fmt::format("\"{}\"", part);
    }
    return key;
  }

  std::string scalar_value(const SkeletonParameter& scalar) const {
    const std::string name = lower_case(scalar.name);
    if (guess_parameter(scalar, input_.parameters) == ParameterGuess::stride) return "1";
    if (scalar.dtype == "int1") return "true";
    const bool is_whole = !scalar.dtype.empty() && contains(scalar.dtype, "int");
    if (is_whole) return contains(name, "seed") ? "0" : "1024";
    if (contains(name, "eps")) return "1e-6";
    if (!scalar.dtype.empty()) return "1.0";
    for (const std::string_view word : {"scale", "alpha", "beta", "rate", "prob", "factor"}) {
      if (contains(name, word)) return "1.0";
    }
    if (contains(name, "seed")) return "0";
    return "1024";
  }

  void write_constexprs() {
    text_ += input_.constexprs_are_macros ? "\n[constexprs]  # macros: BLOCK = 16 is -DBLOCK=16\n"
                                          : "\n[constexprs]\n";
    for (const SkeletonParameter* parameter : constexprs_) {
      const std::string& name = parameter->name;
      if (is_set(name)) {
        text_ += fmt::format("# {} is set by the kernel's decorators\n", name);
      } else if (!parameter->default_text.empty()) {
        text_ += fmt::format("# {} = ...  # the kernel's default: {}\n", name,
                             one_line(parameter->default_text));
      } else {
        text_ += fmt::format("{} = {}  # guess\n", name, constexpr_value(name));
      }
    }
  }

  static std::string constexpr_value(const std::string& name) {
    const std::string lowered = lower_case(name);
    if (contains(lowered, "dtype") || ends_with(lowered, "type")) return "\"tl.float16\"";
    if (contains(lowered, "activation")) return "\"''\"";
    if (contains(lowered, "group")) return "8";
    if (contains(lowered, "stages")) return "2";
    if (contains(lowered, "warps")) return "4";
    if (contains(lowered, "block") || contains(lowered, "tile")) return "64";
    if (contains(lowered, "split")) return "1";
    for (const std::string_view word : {"is_", "has_", "use_", "even", "causal", "allow", "enable",
                                        "store_", "with_", "do_", "apply", "return_"}) {
      if (contains(lowered, word)) return "false";
    }
    return "64";
  }

  const SkeletonInput& input_;
  std::vector<const SkeletonParameter*> pointers_;
  std::vector<const SkeletonParameter*> scalars_;
  std::vector<const SkeletonParameter*> constexprs_;
  std::vector<const SkeletonParameter*> strange_;
  std::vector<SkeletonParameter> members_;      ///< of structs, with whole names
  std::map<std::string, std::string> strides_;  ///< parameter -> expression
  std::map<std::string, int> ranks_;            ///< pointer -> strides it has
  std::string text_;
};

}  // namespace

ParameterGuess guess_parameter(const SkeletonParameter& parameter,
                               const std::vector<SkeletonParameter>& all) {
  if (parameter.guess) return *parameter.guess;
  const std::string& name = parameter.name;
  const std::string lowered = lower_case(name);
  // tl.int32 and int say that it is a scalar, tl.pointer_type(...) that it is not.
  if (contains(parameter.annotation, "pointer") || contains(parameter.annotation, "ensor")) {
    return ParameterGuess::pointer;
  }
  if (is_stride(lowered)) return ParameterGuess::stride;
  if (dtype_from_text(trim(parameter.annotation))) return ParameterGuess::scalar;
  for (const std::string_view ending : {"ptr", "ptrs", "pointer", "_desc", "_tensor", "_buf"}) {
    if (ends_with(lowered, ending)) return ParameterGuess::pointer;
  }
  for (const std::string_view start : {"ptr_", "p_"}) {
    if (lowered.rfind(start, 0) == 0) return ParameterGuess::pointer;
  }
  const bool listed = is_one_of(lowered, kPointerNames);
  if (listed || is_tensor_letter(name, all)) return ParameterGuess::pointer;
  return ParameterGuess::scalar;
}

std::string job_skeleton(const SkeletonInput& input) {
  return Writer(input).run();
}

}  // namespace heddle::config
