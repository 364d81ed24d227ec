#include "audit/profile_work.h"

#include <fmt/format.h>

#include "audit/profile_words.h"
#include "support/lists.h"
#include "support/quantities.h"

namespace heddle::audit {
namespace {

/// What a job needs of something that is counted.
struct Need {
  double amount = 0;
  double spared = 0;     ///< of it may be in the L2
  double tolerance = 1;  ///< below this share a run is refuted
  const char* what = "";
};

/// One run held against its job. It is proved only by what is exact: tiles that are missing lower a
/// counter by as much, however few they are. A counter below its need is a gap, except where
/// other counters explain it.
struct WorkOfRun {
  const RecordedRun& run;
  const char* name;
  CheckResult check = {};
  bool is_short = false;
  bool is_open = false;

  template <class Text>
  void hold(const std::optional<RunFigure>& figure, const Need& need, Text text,
            std::string_view explained) {
    if (need.amount <= 0) return;
    const std::string& path = run.figures.path;
    if (!figure) {
      is_open = true;
      check.finding = fmt::format("{}: there are no counters of {}", path, need.what);
      return;
    }
    const std::string counted = fmt::format("{} {}", text(figure->least), need.what);
    if (figure->least >= need.amount) {
      check.evidence.push_back(
          fmt::format("{}: {} of {} needed", name, counted, text(need.amount)));
      return;
    }
    check.evidence.push_back(fmt::format("{}: {}, but {} are needed{}", name, counted,
                                         text(need.amount),
                                         run.work->whole ? "" : " by the traced blocks alone"));
    if (figure->least < need.tolerance * need.amount - need.spared) {
      is_short = true;
    } else if (!explained.empty()) {
      check.notes.push_back(fmt::format("{}: {}", name, explained));
    } else {
      is_open = true;
      check.finding = fmt::format(
          "{}: {} of {}; {}", path, counted, text(need.amount),
          need.spared > 0
              ? fmt::format("the rest may be in the L2, which holds {}", decimal_bytes(need.spared))
              : "that may be how it was counted, or tiles that are missing");
    }
  }
};

/// Of one run, against its job.
CheckResult work_of(const RecordedRun& run, const char* name) {
  const NecessaryWork& work = *run.work;
  const RunFigures& figures = run.figures;
  const double results = static_cast<double>(work.written_bytes);
  const double stored = figures.stored_bytes ? figures.stored_bytes->least : 0;
  // All results left the L2, once each: no tile is missing, and what was not read was there.
  const bool all_left = results > 0 && stored >= results;
  const bool are_distinct =
      all_left && results > 2 * figures.cache_bytes && kReplayed * stored <= results;
  const bool all_computed =
      figures.operations && work.operations > 0 && figures.operations->least >= work.operations;
  const bool may_be_held =
      all_computed && stored >= kSame * results && stored >= results - figures.cache_bytes;
  WorkOfRun judge{run, name};
  // What was not counted may still be told by the bytes.
  if (!figures.operations && work.operations > 0)
    judge.check.notes.push_back(fmt::format("{}: arithmetic was not counted", name));
  else
    judge.hold(figures.operations, {work.operations, 0, kReplayed, "operations"}, count_text,
               all_left ? "all results were written; compilers leave some arithmetic out" : "");
  judge.hold(figures.read_bytes,
             {static_cast<double>(work.read_bytes), figures.cache_bytes, kSame, "read from memory"},
             decimal_bytes, are_distinct ? "all results left the L2" : "");
  judge.hold(figures.written_bytes, {results, 0, kSame, "in write requests"}, decimal_bytes, "");
  if (figures.stored_bytes)
    judge.hold(figures.stored_bytes, {results, figures.cache_bytes, kSame, "written to memory"},
               decimal_bytes,
               may_be_held ? "all was computed; the last results may still be in the L2" : "");
  if (judge.is_short) {
    judge.check.verdict = Verdict::refuted;
  } else if (!judge.is_open && !work.whole) {
    judge.check.finding =
        fmt::format("only a part of {} could be traced, and that was done", work.job);
  } else if (!judge.is_open) {
    judge.check.verdict = Verdict::proved;
  }
  return judge.check;
}

}  // namespace

CheckResult judge_work(const RecordedRun& before, const RecordedRun& after) {
  CheckResult work;
  const CheckResult first = work_of(before, "before"), second = work_of(after, "after");
  const bool is_refuted = first.verdict == Verdict::refuted || second.verdict == Verdict::refuted;
  const bool is_proved = first.verdict == Verdict::proved && second.verdict == Verdict::proved;
  work.verdict = is_refuted ? Verdict::refuted : is_proved ? Verdict::proved : Verdict::unknown;
  for (const CheckResult* one : {&first, &second}) {
    append(work.evidence, one->evidence);
    append(work.notes, one->notes);
  }
  const bool is_counted = before.figures.operations && after.figures.operations;
  const bool is_first = first.verdict == Verdict::refuted;
  const bool is_second = second.verdict == Verdict::refuted;
  if (is_first && is_second)
    work.finding = "neither run did the work of its job";
  else if (is_refuted)
    work.finding = fmt::format("{} did not do the work of {}",
                               is_second ? after.figures.path : before.figures.path,
                               is_second ? after.work->job : before.work->job);
  else
    work.finding = is_proved && is_counted
                       ? "the counters of both runs are at least what the job needs"
                   : is_proved ? "both runs moved at least what the job needs"
                   : first.verdict == Verdict::unknown ? first.finding
                                                       : second.finding;
  return work;
}

}  // namespace heddle::audit
