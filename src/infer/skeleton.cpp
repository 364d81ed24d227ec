#include "infer/skeleton.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <vector>

#include "config/dtype.h"
#include "config/job.h"
#include "infer/repair.h"
#include "support/file.h"
#include "support/temporary_folder.h"
#include "support/text.h"
#include "trace/analyze.h"
#include "trace/tracer.h"

namespace heddle::infer {
namespace {

constexpr int kMostAttempts = 24;
constexpr int kMostLengthened = 8;  ///< of a tensor
constexpr std::int64_t kMostTensorBytes = std::int64_t{4} << 30;
constexpr std::int64_t kLeastSize = 16;
constexpr std::int64_t kTiles = 512;
constexpr std::int64_t kWork = 4'000'000;
constexpr std::int64_t kTileAccesses = 10'000'000;  ///< of the threads of a tile
constexpr double kMostLaneWork = 2e8;  ///< accesses of threads, all tiles: some seconds

/// What blocks can have, by the chips that there are.
constexpr std::array<std::string_view, 4> kSharedBytes = {"49152", "65536", "163840", "232448"};

class Trials {
 public:
  Trials(kernel::Source& source, const std::string& function)
      : source_(source), input_(source.signature(function)) {
    input_.kernel_path = std::filesystem::absolute(source.path()).string();
  }

  TriedSkeleton run() {
    const config::SkeletonInput first = input_;
    bool goes_on = attempt();
    for (int trial = 1; goes_on && trial < kMostAttempts; ++trial) goes_on = mend() && attempt();
    if (is_strange_) input_ = first;
    if (!problem_.empty() && sound_) {
      input_ = *sound_;
      problem_.clear();
    }
    return {std::move(input_), std::move(problem_)};
  }

 private:
  /// Whether there is something to mend.
  bool attempt() {
    error_.reset();
    faults_.clear();
    launch_.reset();
    problem_.clear();
    try {
      const std::string path = folder_.path() + "/job.toml";
      write_text(path, config::job_skeleton(input_));
      launch_ = source_.launch(config::read_job(path, {}, {})).launch;
      const kernel::KernelProgram program = source_.compile(*launch_);
      trace::AnalyzeOptions options;
      options.most_work = kWork;
      options.trace.limits.steps = kTileAccesses;
      faults_ = trace::find_faults(program, *launch_, kTiles, options);
      if (faults_.empty()) {
        sound_ = input_;
        return lane_work(program) > kMostLaneWork;
      }
      problem_ =
          fmt::format("{}: {}", trace::fault_text(faults_.front().kind), faults_.front().detail);
    } catch (const Error& error) {
      is_strange_ = error.code() == ExitCode::missing;
      if (is_strange_) return false;
      problem_ = error.message();
      error_ = error;
    }
    return true;
  }

  /// Of all tiles, if they are like the first.
  double lane_work(const kernel::KernelProgram& program) const {
    class Nothing : public trace::AccessSink {
      void access(const trace::AccessPattern&) override {}
    };
    const kernel::KernelProgram reduced = kernel::remove_unneeded(program, kernel::Keep::all);
    trace::Tracer tracer(reduced, *launch_, {});
    Nothing sink;
    tracer.run({0, 0, 0}, sink);
    return static_cast<double>(tracer.steps()) * static_cast<double>(launch_->grid.count());
  }

  bool mend() {
    if (!error_) return faults_.empty() ? shrink() : mend_faults();
    switch (error_->cause().kind) {
      case Cause::Kind::size:  // too small a tensor has a name
        if (error_->cause().name.empty())
          return set_indices("uniform", "range") || shrink();  // offsets are to ascend
        if (grow(error_->cause().name)) return true;
        [[fallthrough]];
      case Cause::Kind::missing:  // an address that is in no tensor
        return set_indices("uniform", "zeros") || set_indices("range", "zeros") || raise_shared() ||
               shrink();
      default:
        return false;
    }
  }

  bool mend_faults() {
    for (const trace::Fault& fault : faults_) {
      if (fault.kind != trace::Fault::Kind::out_of_bounds) continue;
      const std::string tensor = tensor_name(fault, *launch_);
      if (tensor.empty() ? raise_shared() : grow(tensor)) return true;
    }
    return false;
  }

  std::int64_t bytes(const std::string& name) const {
    for (const config::Tensor& tensor : launch_->tensors)
      if (tensor.name == name) return tensor.bytes;
    return 0;
  }

  /// A parameter, or a member: "args.x".
  static config::SkeletonParameter* find(std::vector<config::SkeletonParameter>& all,
                                         const std::string& name) {
    for (config::SkeletonParameter& one : all) {
      if (one.name == name) return &one;
      if (!name.starts_with(one.name + ".")) continue;
      if (auto* const member = find(one.members, name.substr(one.name.size() + 1))) return member;
    }
    return nullptr;
  }

  /// Four times as long, as often as that is needed.
  bool grow(const std::string& name) {
    config::SkeletonParameter* const parameter = find(input_.parameters, name);
    const std::int64_t wanted = 4 * std::max<std::int64_t>(bytes(name), 1024);
    if (parameter == nullptr || wanted > kMostTensorBytes || ++grown_[name] > kMostLengthened)
      return false;
    const auto of = config::dtype_from_text(parameter->dtype);
    parameter->shape = fmt::format("{}", wanted / (of ? config::byte_width(*of) : 1));
    return true;
  }

  /// Guessed contents of integers that may be indices: those that begin with a word become others.
  bool set_indices(std::string_view from, const char* to) {
    bool changed = false;
    const auto change = [&](auto& self, std::vector<config::SkeletonParameter>& all) -> void {
      for (config::SkeletonParameter& one : all) {
        self(self, one.members);
        if (!one.contents.starts_with(from)) continue;
        one.contents = to;
        changed = true;
      }
    };
    change(change, input_.parameters);
    return changed;
  }

  bool raise_shared() {
    if (input_.shared_bytes.empty()) return false;
    const auto known = parse_integer(input_.shared_bytes);
    for (const std::string_view one : kSharedBytes)
      if (known && *known < *parse_integer(one)) {
        input_.shared_bytes = one;
        return true;
      }
    return false;
  }

  /// The largest size or number that is a guess becomes a quarter of itself.
  bool shrink() {
    std::int64_t most = kLeastSize;
    std::int64_t* size = nullptr;
    std::string* number = nullptr;
    for (auto& [name, value] : input_.sizes)
      if (value > most) {
        most = value;
        size = &value;
      }
    for (config::SkeletonParameter& one : input_.parameters) {
      const auto value = parse_integer(one.value);
      if (!value || *value <= most) continue;
      most = *value;
      number = &one.value;
    }
    if (number != nullptr)
      *number = fmt::format("{}", most / 4);
    else if (size != nullptr)
      *size = most / 4;
    return number != nullptr || size != nullptr;
  }

  kernel::Source& source_;
  config::SkeletonInput input_;
  std::optional<config::SkeletonInput> sound_;  ///< the last that had no fault
  TemporaryFolder folder_;
  std::optional<config::Launch> launch_;
  std::optional<Error> error_;
  std::vector<trace::Fault> faults_;
  std::string problem_;
  bool is_strange_ = false;
  std::map<std::string, int> grown_;
};

}  // namespace

TriedSkeleton try_skeleton(kernel::Source& source, const std::string& function) {
  return Trials(source, function).run();
}

}  // namespace heddle::infer
