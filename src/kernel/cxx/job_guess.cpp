#include "kernel/cxx/job_guess.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "config/expression.h"
#include "kernel/cxx/host_values.h"
#include "kernel/cxx/template_arguments.h"
#include "kernel/cxx/token.h"
#include "kernel/cxx/value_type.h"
#include "support/file.h"
#include "support/lists.h"
#include "support/text.h"

namespace heddle::kernel::cxx {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLargeShape = "67108864";
constexpr const char* kDynamicShared = "49152";  ///< what a block has on every chip
constexpr const char* kFunctor = "heddle_device::Plus";
constexpr const char* kIntegerShape = "1048576";
constexpr std::size_t kMostLaunchFiles = 300;
constexpr std::size_t kMostLaunchBytes = std::size_t{1} << 20;  ///< of a file

/// A launch in host code, as ranges of tokens.
struct HostLaunch {
  std::vector<TokenRange> template_arguments;
  std::optional<TokenRange> grid;
  std::optional<TokenRange> threads;
  std::optional<TokenRange> shared;
  std::vector<TokenRange> arguments;
  std::size_t at = 0;
};

std::size_t close_of(const std::vector<Token>& tokens, std::size_t open, std::string_view close) {
  int depth = 0;
  for (std::size_t i = open + 1; i < tokens.size() && i < open + 2000; ++i) {
    if (depth == 0 && tokens[i].text == close) return i;
    const std::string_view text = tokens[i].text;
    if (text == "(" || text == "[" || text == "{") ++depth;
    if (text == ")" || text == "]" || text == "}") --depth;
  }
  return open;
}

class LaunchSearch {
 public:
  LaunchSearch(const CxxSource& file, const std::string& name)
      : tokens_(file.tokens()), name_(name) {}

  std::vector<HostLaunch> run() {
    for (std::size_t i = 0; i + 1 < tokens_.size(); ++i) {
      if (tokens_[i].text != name_) continue;
      HostLaunch launch;
      launch.at = i;
      std::size_t behind = i + 1;
      if (is_symbol(tokens_[behind], "<")) {
        const std::size_t end = past_angles(tokens_, behind);
        if (end > behind + 2) launch.template_arguments = parts_of(tokens_, {behind + 1, end - 2});
        behind = end;
      }
      if (behind >= tokens_.size()) break;
      if (tokens_[behind].text == "<<<") {
        chevrons(behind, launch);
      } else if (is_launched(i)) {
        call(i, behind, launch);
      }
    }
    return std::move(launches_);
  }

 private:
  bool is_launched(std::size_t i) const {
    std::size_t k = i;
    while (k > 0 && i - k < 8 && tokens_[k - 1].text != "(") --k;
    if (k < 2) return false;
    --k;
    if (k > 0 && tokens_[k - 1].text == "(") --k;  // HIP_KERNEL_NAME(...), or brackets
    if (k > 0 && tokens_[k - 1].text == "HIP_KERNEL_NAME") k -= 2;
    return k > 0 && k < tokens_.size() &&
           (tokens_[k - 1].text == "hipLaunchKernelGGL" ||
            tokens_[k - 1].text == "hipLaunchKernel");
  }

  void chevrons(std::size_t open, HostLaunch& launch) {
    const std::size_t close = close_of(tokens_, open, ">>>");
    if (close <= open + 1) return;
    set(parts_of(tokens_, {open + 1, close - 1}), launch);
    if (close + 1 < tokens_.size() && tokens_[close + 1].text == "(") {
      const std::size_t end = close_of(tokens_, close + 1, ")");
      if (end > close + 2) launch.arguments = parts_of(tokens_, {close + 2, end - 1});
    }
    launches_.push_back(std::move(launch));
  }

  /// hipLaunchKernelGGL(name, grid, block, shared, stream, arguments...)
  void call(std::size_t name, std::size_t behind, HostLaunch& launch) {
    while (behind < tokens_.size() && tokens_[behind].text == ")") ++behind;
    if (behind >= tokens_.size() || tokens_[behind].text != ",") return;
    const std::size_t end = close_of(tokens_, behind, ")");
    if (end <= behind + 1) return;
    std::vector<TokenRange> parts = parts_of(tokens_, {behind + 1, end - 1});
    if (parts.size() < 4) return;
    launch.at = name;
    launch.arguments.assign(parts.begin() + 4, parts.end());
    parts.resize(4);
    set(parts, launch);
    launches_.push_back(std::move(launch));
  }

  static void set(const std::vector<TokenRange>& parts, HostLaunch& launch) {
    if (!parts.empty()) launch.grid = parts[0];
    if (parts.size() > 1) launch.threads = parts[1];
    if (parts.size() > 2) launch.shared = parts[2];
  }

  const std::vector<Token>& tokens_;
  const std::string name_;
  std::vector<HostLaunch> launches_;
};

/// Other files that may launch the kernel.
std::vector<std::unique_ptr<CxxSource>> files_near(const CxxSource& source,
                                                   const std::string& name) {
  std::vector<std::unique_ptr<CxxSource>> files;
  std::error_code error;
  const fs::path folder = fs::absolute(source.path()).lexically_normal().parent_path();
  std::vector<std::string> paths;
  for (const fs::path& one : {folder, folder.parent_path()})
    for (fs::directory_iterator at(one, error), end; !error && at != end; at.increment(error))
      if (at->is_regular_file(error) && is_cxx_path(at->path().string()))
        paths.push_back(at->path().string());
  std::sort(paths.begin(), paths.end());
  if (paths.size() > kMostLaunchFiles) paths.resize(kMostLaunchFiles);
  for (const std::string& path : paths) {
    try {
      std::string text = read_text(path, kMostLaunchBytes);
      if (text.find(name) == std::string::npos) continue;
      files.push_back(std::make_unique<CxxSource>(path, std::move(text)));
    } catch (const Error&) {
      continue;  // no C++, or too large
    }
  }
  return files;
}

class Guess {
 public:
  Guess(const CxxSource& source, const CxxFunction& function, const TypeBook& types,
        config::SkeletonInput& input)
      : source_(source), function_(function), types_(types), input_(input) {}

  void run() {
    const std::string plain = function_.name.substr(0, function_.name.find('<'));
    bool is_found = take_launch(source_, plain);
    if (!is_found)
      for (const auto& file : files_near(source_, plain))
        if (!is_found) is_found = take_launch(*file, plain);
    if (input_.grid.empty())
      input_.grid = by_axes("blockIdx", {"64"}, {"16", "16"}, {"8", "8", "4"});
    if (input_.threads.empty())
      input_.threads = by_axes("threadIdx", {"256"}, {"16", "16"}, {"8", "8", "4"});
    if (input_.shared_bytes.empty() && uses_dynamic_shared()) input_.shared_bytes = kDynamicShared;
    guess_functors();
    complete_templates();
    fill_parameters();
  }

 private:
  /// `template <typename F> k(F op) { op(x) }`: any functor will do.
  void guess_functors() {
    const auto& tokens = source_.tokens();
    for (std::size_t k = 0; k < function_.parameters.size() && k < input_.parameters.size(); ++k) {
      const CxxParameter& parameter = function_.parameters[k];
      bool is_called = false;
      for (std::size_t i = function_.body_begin; i < function_.body_end; ++i)
        is_called = is_called || (tokens[i].text == parameter.name && tokens[i + 1].text == "(");
      for (std::size_t t = 0; is_called && t < function_.template_parameters.size(); ++t) {
        const std::string& open = function_.template_parameters[t];
        const std::string name = value_type(parameter.type).name;
        if (open != "typename " + name && open != "class " + name) continue;
        input_.template_arguments.resize(std::max(input_.template_arguments.size(), t + 1));
        if (input_.template_arguments[t].empty()) input_.template_arguments[t] = kFunctor;
        input_.parameters[k].value = "{}";
      }
    }
  }

  /// `extern __shared__` somewhere in the file, or HIP_DYNAMIC_SHARED.
  bool uses_dynamic_shared() const {
    const auto& tokens = source_.tokens();
    for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
      if (tokens[i].text == "HIP_DYNAMIC_SHARED") return true;
      if (tokens[i].text != "extern") continue;
      for (std::size_t k = i + 1; k < std::min(i + 3, tokens.size()); ++k)
        if (tokens[k].text == "__shared__") return true;
    }
    return false;
  }

  /// As many extents as the kernel uses axes.
  std::string by_axes(std::string_view name, const std::vector<std::string>& one,
                      const std::vector<std::string>& two,
                      const std::vector<std::string>& three) const {
    int axes = 1;
    const auto& tokens = source_.tokens();
    for (std::size_t i = function_.body_begin; i + 2 <= function_.body_end; ++i) {
      if (tokens[i].text != name || tokens[i + 1].text != ".") continue;
      if (tokens[i + 2].text == "y") axes = std::max(axes, 2);
      if (tokens[i + 2].text == "z") axes = 3;
    }
    return fmt::format("{}", fmt::join(axes == 1 ? one : axes == 2 ? two : three, ", "));
  }

  bool take_launch(const CxxSource& file, const std::string& name) {
    std::vector<std::string> taken;
    for (const CxxParameter& parameter : function_.parameters) taken.push_back(parameter.name);
    for (const HostLaunch& launch : LaunchSearch(file, name).run()) {
      if (function_.is_overloaded && launch.arguments.size() != function_.parameters.size())
        continue;
      HostValues values(file, taken);
      std::vector<std::string> scalars = scalar_texts(file, launch, values);
      const auto grid = launch.grid ? values.extents(*launch.grid, launch.at) : no_values();
      const auto threads =
          launch.threads ? values.extents(*launch.threads, launch.at) : no_values();
      double count = 1;
      for (const HostValue& extent : threads) count *= extent.number;
      const bool is_whole = !grid.empty() && !threads.empty() && count >= 1 && count <= 1024 &&
                            std::all_of(grid.begin(), grid.end(), [](const HostValue& extent) {
                              return extent.number >= 1 && extent.number < 1e6;
                            });
      if (!is_whole) continue;
      input_.grid = texts(grid);
      input_.threads = texts(threads);
      const std::size_t known = values.sizes().size();
      const auto shared = launch.shared ? values.value(*launch.shared, launch.at) : std::nullopt;
      // A size that nothing else names says nothing about this.
      if (shared && shared->number > 0 && shared->number < (1 << 20) &&
          (values.sizes().size() == known || !uses_dynamic_shared()))
        input_.shared_bytes = shared->text;
      take_templates(file, launch, input_);
      take_shapes(file, launch, values);
      for (std::size_t k = 0; k < scalars.size() && k < input_.parameters.size(); ++k)
        if (input_.parameters[k].guess != config::ParameterGuess::pointer)
          input_.parameters[k].value = scalars[k];
      input_.sizes = values.sizes();
      input_.launched_at = fmt::format("{}, line {}", fs::path(file.path()).filename().string(),
                                       file.tokens()[launch.at].position.line);
      return true;
    }
    return false;
  }

  static std::vector<HostValue> no_values() { return {}; }

  static std::string texts(const std::vector<HostValue>& values) {
    std::vector<std::string> all;
    for (const HostValue& value : values) all.push_back(value.text);
    return fmt::format("{}", fmt::join(all, ", "));
  }

  bool is_number(std::size_t parameter) const {
    const ValueType type = value_type(function_.parameters[parameter].type);
    return type.pointers == 0 && type.element && type.elements <= 1;
  }

  /// What host code passes for numbers. A name that it passes is the parameter's from then on.
  std::vector<std::string> scalar_texts(const CxxSource& file, const HostLaunch& launch,
                                        HostValues& values) const {
    std::vector<std::string> all(function_.parameters.size());
    const auto& tokens = file.tokens();
    const std::size_t count = std::min(all.size(), launch.arguments.size());
    for (std::size_t k = 0; k < count; ++k) {
      const TokenRange range = launch.arguments[k];
      if (!is_number(k) || range.begin != range.end || !is_name(tokens[range.begin])) continue;
      HostValues alone(file, {});
      const auto value = alone.value(range, launch.at);
      if (!value || !config::is_plain_name(function_.parameters[k].name)) continue;
      const bool is_real = config::is_float(*value_type(function_.parameters[k].type).element);
      const double number = is_real ? 1.0 : std::max(1.0, std::min(value->number, 1e6));
      all[k] = is_real ? "1.0" : fmt::format("{}", static_cast<std::int64_t>(number));
      values.set_alias(std::string(tokens[range.begin].text),
                       {function_.parameters[k].name, number});
    }
    for (std::size_t k = 0; k < count; ++k) {
      if (!is_number(k) || !all[k].empty()) continue;
      const auto value = values.value(launch.arguments[k], launch.at);
      if (value) all[k] = value->text;
    }
    return all;
  }

  static void take_templates(const CxxSource& file, const HostLaunch& launch,
                             config::SkeletonInput& input) {
    const TemplateArguments arguments(file);
    for (const TokenRange& range : launch.template_arguments)
      input.template_arguments.push_back(arguments.text(range));
  }

  /// What the host code leaves out has a default, or is the first enumerator.
  void complete_templates() {
    const std::vector<std::string> standard = TemplateArguments(source_).defaults(function_);
    auto& given = input_.template_arguments;
    given.resize(std::max(given.size(), function_.template_parameters.size()));
    for (std::size_t k = 0; k < function_.template_parameters.size(); ++k) {
      if (given[k].empty() && k < standard.size()) given[k] = standard[k];
      if (given[k].empty()) given[k] = types_.first_enumerator(function_.template_parameters[k]);
    }
  }

  /// Sizes of the host's allocations: cudaMalloc(&x, n * sizeof(float)).
  void take_shapes(const CxxSource& file, const HostLaunch& launch, HostValues& values) {
    const auto& tokens = file.tokens();
    values.count_elements(true);
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
      if (!is_name(tokens[i]) || tokens[i].text.find("Malloc") == std::string_view::npos ||
          tokens[i + 1].text != "(")
        continue;
      const std::size_t end = close_of(tokens, i + 1, ")");
      if (end <= i + 2) continue;
      const auto parts = parts_of(tokens, {i + 2, end - 1});
      if (parts.size() < 2) continue;
      for (std::size_t k = 0; k < launch.arguments.size() && k < input_.parameters.size(); ++k) {
        const TokenRange given = launch.arguments[k];
        const bool is_same =
            given.begin == given.end && input_.parameters[k].shape.empty() &&
            input_.parameters[k].guess == config::ParameterGuess::pointer &&
            std::any_of(tokens.begin() + static_cast<long>(parts[0].begin),
                        tokens.begin() + static_cast<long>(parts[0].end) + 1,
                        [&](const Token& one) { return one.text == tokens[given.begin].text; });
        if (!is_same) continue;
        const auto value = values.value(parts[1], i);
        // Sizes that only the host code knows are guesses: what they give may be too small.
        if (value && value->number >= 1 && value->number < 1e9 && !names_size(*value, values))
          input_.parameters[k].shape = value->text;
      }
    }
    values.count_elements(false);
  }

  static bool names_size(const HostValue& value, const HostValues& values) {
    const std::vector<Token> words = tokenize(value.text, "a size");
    return std::any_of(words.begin(), words.end(), [&](const Token& word) {
      return std::any_of(values.sizes().begin(), values.sizes().end(),
                         [&](const auto& size) { return size.first == word.text; });
    });
  }

  void fill_parameters() {
    for (config::SkeletonParameter& parameter : input_.parameters) fill(parameter);
  }

  static void fill(config::SkeletonParameter& parameter) {
    for (config::SkeletonParameter& member : parameter.members) fill(member);
    if (!parameter.members.empty()) return;
    const bool is_whole = parameter.dtype.find("int") != std::string::npos;
    if (parameter.guess != config::ParameterGuess::pointer) {
      if (parameter.value.empty() && is_whole && parameter.dtype != "int1")
        parameter.value = fmt::format("{}", guessed_size(parameter.name));
      return;
    }
    const bool is_const = starts_with_word(parameter.annotation, "const");
    if (parameter.shape.empty())
      parameter.shape = is_whole && is_const ? kIntegerShape : kLargeShape;
    if (is_whole && parameter.contents.empty())
      parameter.contents = is_const ? "uniform(0, 64)" : "zeros";
  }

  const CxxSource& source_;
  const CxxFunction& function_;
  const TypeBook& types_;
  config::SkeletonInput& input_;
};

}  // namespace

const CxxFunction& launched_kernel(const CxxSource& source, const std::string& name) {
  const std::vector<const CxxFunction*> all = source.kernels_named(name);
  if (all.size() < 2 || name.empty()) return source.kernel(name);
  const std::string plain = all.front()->name;
  std::vector<const CxxFunction*> launched;
  const auto look = [&](const CxxSource& file) {
    for (const HostLaunch& launch : LaunchSearch(file, plain).run())
      for (const CxxFunction* one : all)
        if (one->name == plain && one->parameters.size() == launch.arguments.size() &&
            !is_one_of(one, launched))
          launched.push_back(one);
  };
  look(source);
  if (launched.empty())
    for (const auto& file : files_near(source, plain)) look(*file);
  return launched.size() == 1 ? *launched.front() : source.kernel(name);
}

void guess_launch(const CxxSource& source, const CxxFunction& function, const TypeBook& types,
                  config::SkeletonInput& input) {
  Guess(source, function, types, input).run();
}

}  // namespace heddle::kernel::cxx
