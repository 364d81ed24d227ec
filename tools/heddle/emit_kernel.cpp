#include "emit_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "emit/agreement.h"
#include "emit/diff.h"
#include "emit/kernel_rewriter.h"
#include "emit/patched_kernel.h"
#include "emit_proof.h"
#include "kernel/source.h"
#include "kernel_job.h"
#include "notes.h"
#include "output.h"
#include "pipeline.h"
#include "report/independence_report.h"
#include "report/json_values.h"
#include "support/lists.h"
#include "support/text.h"
#include "tiles/launch.h"
#include "tiles/other_launches.h"
#include "trace/analyze.h"

namespace heddle::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

enum class Format { diff, whole };

Format format_of(const std::string& file) {
  const std::string ending = fs::path(file).extension().string();
  if (file.empty() || ending == ".patch" || ending == ".diff") return Format::diff;
  if (kernel::is_kernel_path(file)) return Format::whole;
  throw Error(fmt::format("'{}' is neither a patch nor a kernel", file),
              "use -o FILE.patch for the diff, -o FILE.py for the whole file");
}

bool has_byte_order_mark(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string begin(kByteOrderMark.size(), '\0');
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return begin == kByteOrderMark;
}

class KernelEmission {
 public:
  KernelEmission(const KernelArguments& arguments, OrderArguments order, const SizeArguments& size)
      : arguments_(arguments), order_arguments_(std::move(order)), size_(size) {}

  ExitCode run(const EmitOutput& output) {
    const std::string& file = output.file;
    const Format format = format_of(file);
    check_flags();
    if (kernel::is_kernel_path(arguments_.job)) {
      KernelJob inferred;
      inferred.function = arguments_.function;
      inferred.infer(arguments_.job, arguments_.overrides, {});
    }
    if (!arguments_.job.empty()) loaded_ = load_kernel(arguments_.job, arguments_.overrides);
    if (loaded_) {
      tiles_ = tiles::tile_launch(std::make_shared<LoadedKernel>(*loaded_));
      if (tiles_->is_lifted && !is_of_grid()) return run_tiles(format, output);
    }
    kernel_ = emit::open_kernel(kernel_path(), function_name(), macros());
    refuse_other_language(kernel_->path(), file, format);
    if (loaded_)
      kernel_->check_program(loaded_->program);
    else
      kernel_->refuse_unseen();
    const std::set<std::string> constants = kernel_->constants();
    append(order_arguments_.constexprs, constants);
    const order::Order order = order_arguments_.read();
    refuse_table(order);
    const auto proven = prove(order);
    if (!proven) return code_;
    const auto independence = loaded_ ? find_independence(*loaded_) : assumed_independence();
    if (!independence) return code_;
    const std::string after = kernel_->rewrite(*proven, *independence, assumptions_);
    if (loaded_) compare(after, *proven);
    print(kernel_->path(), kernel_->text(), after, format, output);
    return ExitCode::good;
  }

 private:
  /// A formula of the indexes of a launch on several axes.
  bool is_of_grid() {
    return loaded_->launch.grid.axes() > 1 &&
           order_arguments_.read().origin() != order::Order::Origin::family;
  }

  /// An order of the kernel's own tiles.
  ExitCode run_tiles(Format format, const EmitOutput& output) {
    refuse_other_language(kernel_path(), output.file, format);
    function_name();
    for (const std::string& name : macros()) order_arguments_.constexprs.push_back(name);
    const order::Order order = order_arguments_.read();
    refuse_table(order);
    const order::Shape shape = emit::shape_of(*tiles_);
    const auto proven = prove(order, shape, tiles_->orders);
    if (!proven) return code_;
    const auto independence = find_independence(*tiles_->single);
    if (!independence) return code_;
    const auto others = tiles::other_launches(arguments_.job, arguments_.overrides, tiles_->space);
    const emit::PatchedKernel patched = emit::patch_tiles(
        {*tiles_, *loaded_, others}, *proven, *independence, assumptions_, compile_kernel);
    note(patched.agreement);
    print(kernel_path(), patched.before, patched.after, format, output);
    return ExitCode::good;
  }

  // ---- what the flags say -----------------------------------------------------------------

  void check_flags() const {
    if (!order_arguments_.tiles.empty() || size_.tile_axes > 0)
      throw Error(
          "the order's tile space is not the launch grid: the host code would have to change",
          "give an order of the launch grid, without --tiles and --tile-axes");
    if (!loaded_ && arguments_.kernel == "-")
      throw Error("a kernel is read from a file, not from standard input", "give --kernel FILE.py");
    if (arguments_.job.empty() && !arguments_.overrides.empty())
      throw Error("--set changes a job, but none is given", "add --job JOB.toml");
    if (!arguments_.job.empty() && (!size_.grid.empty() || !size_.grids.empty()))
      throw Error("the grid comes from the job", "leave out --grid and --grids");
  }

  std::string kernel_path() const {
    if (!loaded_) return arguments_.kernel;
    std::error_code error;
    const std::string& path = loaded_->launch.kernel_path;
    if (!arguments_.kernel.empty() && !fs::equivalent(arguments_.kernel, path, error))
      throw Error(fmt::format("the job's kernel is '{}', not '{}'", path, arguments_.kernel),
                  "leave out --kernel");
    return path;
  }

  /// What the job gives a C++ compiler.
  std::vector<std::string> macros() const {
    std::vector<std::string> names;
    if (!loaded_) return names;
    for (const config::Argument& argument : loaded_->launch.arguments)
      if (argument.is_constexpr) names.push_back(argument.name);
    return names;
  }

  static void refuse_other_language(const std::string& path, const std::string& file,
                                    Format format) {
    const bool is_same = &kernel::language_of(path) == &kernel::language_of(file);
    if (format == Format::diff || is_same) return;
    const std::string ending = fs::path(path).extension().string();
    throw Error(fmt::format("'{}' is not in the kernel's language", file),
                fmt::format("use -o FILE{}, or -o FILE.patch for the diff", ending));
  }

  std::string function_name() const {
    if (!loaded_) return arguments_.function;
    const std::string& function = loaded_->program.function;
    if (!arguments_.function.empty() && arguments_.function != function)
      throw Error(
          fmt::format("the job's function is '{}', not '{}'", function, arguments_.function),
          "leave out --function");
    return function;
  }

  // ---- the order --------------------------------------------------------------------------

  std::optional<proof::ProvenOrder> prove(const order::Order& order) {
    order::Shape shape{kernel_->axes(), kernel_->axes(), false};
    if (!loaded_ && size_.axes > 0) shape = {size_.axes, size_.axes, false};
    std::string grid = size_.grid.empty() ? size_.grids : size_.grid;
    if (loaded_) grid = grid_text();
    const bool is_family = order.origin() == order::Order::Origin::family;
    kernel_->check_axes(shape);
    const order::Bindings bindings = bind(order, shape, grid);
    Question question;
    question.time_limit_s = size_.time_limit_s;
    if (is_family || size_.all_sizes)
      question.all_sizes = shape;
    else
      question.range =
          loaded_ ? order::SpaceRange(grid, {}, bindings) : size_.range(order_arguments_);
    if (question.range) kernel_->check_axes(question.range->shape());
    return prove_or_explain(order, bindings, question, code_);
  }

  /// An order of the kernel's own tiles: families for all sizes, others for the job's.
  std::optional<proof::ProvenOrder> prove(const order::Order& order, const order::Shape& shape,
                                          const order::Space& space) {
    const std::string tiles = space.tiles ? space.tiles->text() : "";
    const order::Bindings bindings = bind(order, shape, space.launch.text());
    Question question;
    question.time_limit_s = size_.time_limit_s;
    if (order.origin() == order::Order::Origin::family || size_.all_sizes)
      question.all_sizes = shape;
    else
      question.range = order::SpaceRange(space.launch.text(), tiles, bindings);
    return prove_or_explain(order, bindings, question, code_);
  }

  /// The job's grid on the axes that the kernel uses; the others must have one block.
  std::string grid_text() const {
    const Grid& grid = loaded_->launch.grid;
    std::vector<std::int64_t> extents;
    for (int axis = 0; axis < kernel_->axes(); ++axis) extents.push_back(grid.extent(axis));
    for (int axis = kernel_->axes(); axis < grid.axes(); ++axis)
      if (grid.extent(axis) > 1)
        throw Error(fmt::format("the job's grid is {}, but the kernel does not use axis {}",
                                grid.text(), axis),
                    "give a kernel that uses every axis of its grid")
            .at(kernel_->path(), kernel_->position());
    return Grid(extents).text();
  }

  /// --let, and the job's own values for names that it leaves open.
  order::Bindings bind(const order::Order& order, const order::Shape& shape,
                       const std::string& grid) {
    order::Bindings bindings = order_arguments_.bindings();
    const std::vector<std::string> names = order.program(shape, bindings).names;
    if (loaded_) {
      for (const std::string& name : names) {
        const config::Argument* given = loaded_->launch.find(name);
        if (given != nullptr && std::holds_alternative<std::int64_t>(given->value.data) &&
            !bindings.has(name))
          order_arguments_.lets.push_back(
              fmt::format("{}={}", name, std::get<std::int64_t>(given->value.data)));
      }
      bindings = order_arguments_.bindings();
      check_values(names, bindings, grid);
    }
    for (const std::string& text : order_arguments_.lets)
      for (const std::string_view part : split_outside_brackets(text, ','))
        for (const std::string& name : names)
          if (starts_with_word(part, name)) assumptions_.emplace_back(part);
    return bindings;
  }

  /// What was bound must be what the job passes.
  void check_values(const std::vector<std::string>& names, const order::Bindings& bindings,
                    const std::string& grid) const {
    const order::Space space = order::SpaceRange(grid, {}, bindings).first();
    const std::vector<std::int64_t> values = bindings.values(names, space);
    for (std::size_t i = 0; i < names.size(); ++i) {
      const config::Argument* given = loaded_->launch.find(names[i]);
      if (given == nullptr) continue;
      const auto* number = std::get_if<std::int64_t>(&given->value.data);
      if (number != nullptr && *number == values[i]) continue;
      throw Error(fmt::format("--let gives {} the value {}, the job {}", names[i], values[i],
                              config::value_text(given->value)),
                  "leave it out of --let: the job's value is taken");
    }
  }

  // ---- the tiles --------------------------------------------------------------------------

  /// Without a job.
  std::optional<emit::Independence> assumed_independence() {
    if (arguments_.assume_independent) return emit::AssumedIndependent{};
    print_message(
        fmt::format("heddle: nothing is emitted: the tiles are not known to be independent\n"
                    "UNKNOWN  without a job the kernel cannot be traced\n"
                    "  try: --job JOB.toml, or --assume-independent if you know that they are\n"));
    code_ = ExitCode::inconclusive;
    return std::nullopt;
  }

  /// Of a launch in which every block does one tile.
  std::optional<emit::Independence> find_independence(const LoadedKernel& kernel) {
    if (arguments_.assume_independent) return emit::AssumedIndependent{};
    IndependenceReport report;
    const auto found = trace::find_independence(kernel.program, kernel.launch, {}, report);
    if (!arguments_.allow_faults && report.verdict != Verdict::unknown)
      trace::check_faults(trace::analyze_some(kernel.program, kernel.launch));
    if (!found) {
      print_message(fmt::format("heddle: nothing is emitted: the tiles are not {}independent\n{}{}",
                                report.verdict == Verdict::refuted ? "" : "known to be ",
                                report::independence_text(report, report::Style{}),
                                report.verdict == Verdict::refuted
                                    ? ""
                                    : "  try: give the tensor's contents in the job, or "
                                      "--assume-independent if you know that they are\n"));
      code_ = exit_code(report.verdict);
      return std::nullopt;
    }
    if (report.commuting) note(report::independence_sentence(report));
    return *found;
  }

  // ---- the result -------------------------------------------------------------------------

  static void note(const std::string& text) { tool::note("{}", text); }

  /// Traces some blocks of both kernels.
  void compare(const std::string& after, const proof::ProvenOrder& proven) const {
    emit::Agreement agreement;
    try {
      const kernel::KernelProgram program =
          kernel::Source::open(kernel_->path(), after)->compile(loaded_->launch);
      agreement = emit::compare_blocks(loaded_->program, program, loaded_->launch, proven, {});
    } catch (const Error& error) {
      return note(fmt::format("the new kernel was not traced: {}", error.message()));
    }
    if (agreement.first)
      throw Error(fmt::format("the new kernel does other work: block {} should be tile ({})",
                              agreement.first->block.value, fmt::join(agreement.first->tile, ", ")),
                  "nothing is emitted; please report it", ExitCode::inconclusive);
    note(fmt::format("{} of {} traced before and after: the same accesses",
                     with_separators(agreement.blocks),
                     count_of(loaded_->launch.grid.count(), "block")));
  }

  static void print(const std::string& path, const std::string& before, const std::string& after,
                    Format format, const EmitOutput& output) {
    const std::string mark(has_byte_order_mark(path) ? kByteOrderMark : "");
    if (format == Format::whole) return output.print(Verdict::proved, "kernel", mark + after);
    output.print(Verdict::proved, "patch",
                 emit::unified_diff(mark + before, mark + after, emit::name_in_diff(path)));
  }

  const KernelArguments& arguments_;
  OrderArguments order_arguments_;
  const SizeArguments& size_;
  std::optional<LoadedKernel> loaded_;
  std::optional<tiles::TileLaunch> tiles_;
  std::unique_ptr<emit::KernelRewriter> kernel_;
  std::vector<std::string> assumptions_;  ///< "M=8192": what the order's names were bound to
  ExitCode code_ = ExitCode::good;
};

}  // namespace

void KernelArguments::add(Verb verb) {
  verb.add_option("--kernel", kernel,
                  "insert the order into this Triton or C++ kernel, and print a diff")
      .type_name("FILE");
  verb.add_option("--function", function, "the kernel, if the file has several").type_name("NAME");
  verb.add_option(
          "--job", job,
          "a job, or a Triton kernel's file, that gives kernel and grid; the tiles are traced")
      .type_name("JOB.toml");
  verb.add_option("--set", overrides, "with --job: override a size, scalar or constexpr")
      .type_name("NAME=VALUE")
      .allow_extra_args(false);
  verb.add_flag("--assume-independent", assume_independent,
                "skip the trace: you know that the tiles are independent");
  verb.add_flag("--allow-faults", allow_faults,
                "with --job: continue if the kernel reads out of bounds or divides by zero");
}

ExitCode emit_into_kernel(const KernelArguments& arguments, OrderArguments order,
                          const SizeArguments& size, const EmitOutput& output) {
  return KernelEmission(arguments, std::move(order), size).run(output);
}

void EmitOutput::print(Verdict verdict, const std::string& kind, const std::string& text) const {
  constexpr int kEmitVersion = 1;
  OutputArguments output;
  if (!text.empty()) output.file = file;
  if (!json) return output.print(text);
  if (!output.file.empty()) output.print(text);
  output.file.clear();
  output.print(json_text({{"version", kEmitVersion},
                          {"verdict", verdict_text(verdict)},
                          {"kind", report::text_or_null(kind)},
                          {"file", report::text_or_null(kind.empty() ? "" : file)},
                          {"text", report::text_or_null(text)}}));
}

}  // namespace heddle::tool
