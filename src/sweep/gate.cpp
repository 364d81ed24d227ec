#include "sweep/gate.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <set>

#include "support/error.h"
#include "support/lists.h"
#include "support/text.h"
#include "sweep/closure.h"
#include "sweep/row.h"

namespace heddle::sweep {
namespace {

namespace fs = std::filesystem;

/// The rows of the plan, by what they are of.
class GateRows {
 public:
  GateRows(const Plan& plan, const StoredRows& rows) {
    for (const Unit& unit : plan.units) {
      const auto line = rows.find(unit.key);
      SweepRow row = plan.row(unit);
      const std::string name = name_of(row.verb, row.subject(), row.gpu, unit.at_base);
      if (line) {
        row = read_row(line->row);
      } else {
        row.failed = true;
        row.reason = "it was not done";
      }
      rows_[name] = std::move(row);
    }
  }

  const SweepRow* find(const char* verb, const std::string& subject, const std::string& gpu,
                       bool at_base) const {
    const auto at = rows_.find(name_of(verb, subject, gpu, at_base));
    return at == rows_.end() ? nullptr : &at->second;
  }

 private:
  static std::string name_of(const std::string& verb, const std::string& subject,
                             const std::string& gpu, bool at_base) {
    return fmt::format("{}\n{}\n{}\n{}", verb, subject, gpu, at_base);
  }
  std::map<std::string, SweepRow> rows_;
};

std::string answer_of(const SweepRow& row) {
  return row.failed ? "no answer" : row.answer;
}

/// Rule 3.
GateItem judge_order(const SweepRow& after, const SweepRow* before, bool strict) {
  GateItem item{"order", "order", GateState::pass, answer_of(after)};
  if (after.answer == "PROVED" && !after.failed) return item;
  const std::string why = after.reason.empty() ? "" : ": " + after.reason;
  const bool was_proved = before != nullptr && !before->failed && before->answer == "PROVED";
  const bool is_refuted = !after.failed && after.answer == "REFUTED";
  const bool was_refuted = before != nullptr && !before->failed && before->answer == "REFUTED";
  item.state = is_refuted || was_proved || strict ? GateState::fail : GateState::note;
  item.finding += (was_proved    ? ", was PROVED"
                   : was_refuted ? ", as before"
                   : before      ? ", was no better before"
                                 : "") +
                  why;
  return item;
}

/// Jobs of the base that are not there any more.
std::vector<std::string> removed_kernels(const Spec& spec, const Revision& base) {
  std::vector<std::string> removed;
  for (const KernelGroup& group : spec.groups)
    for (const std::string& path : group.paths) {
      std::vector<KernelFile> files;
      try {
        files = find_kernels(base.root, {path}, spec.except);
      } catch (const Error&) {
        continue;  // the base has none of them
      }
      for (const KernelFile& file : files)
        if (!fs::exists(fs::path(spec.root) / file.path) && !is_one_of(file.path, removed))
          removed.push_back(file.path);
    }
  return removed;
}

/// "code REFUTED, bytes PROVED" -> whether that check has that verdict.
bool has(const SweepRow& row, const char* check, const char* verdict) {
  for (const std::string_view part : split(row.checks, ','))
    if (trim(part) == fmt::format("{} {}", check, verdict)) return true;
  return false;
}

/// The first check with that verdict, of those that speak of the work.
std::string first_with(const SweepRow& row, const char* verdict) {
  for (const char* check : {"order", "bytes", "launch", "shapes", "code"})
    if (has(row, check, verdict)) return check;
  return "code";
}

/// Rule 4.
GateItem judge_patch(const SweepRow& audit, bool strict) {
  GateItem item{"patch", "code", GateState::pass, answer_of(audit)};
  if (!audit.failed && (audit.answer == "PROVED" || audit.answer == "unchanged")) return item;
  if (audit.failed) {
    item.state = strict ? GateState::fail : GateState::doubt;
    item.finding = "it cannot be judged: " + audit.reason;
    return item;
  }
  const bool is_other_code = has(audit, "code", "REFUTED");
  if (is_other_code) {
    item.state = strict ? GateState::fail : GateState::note;
    item.finding = "more than the order has changed: " + audit.reason;
    return item;
  }
  const bool is_refuted = audit.answer == "REFUTED";
  item.check = first_with(audit, is_refuted ? "REFUTED" : "UNKNOWN");
  item.state = is_refuted || strict ? GateState::fail : GateState::doubt;
  item.finding += ": " + audit.reason;
  return item;
}

/// Rule 5.
GateItem judge_time(const std::string& gpu, const SweepRow& after, const SweepRow* before,
                    const GateOptions& options) {
  GateItem item{gpu, "slower", GateState::pass, ""};
  const bool had_time = before != nullptr && !before->failed && before->time_us;
  if (after.failed || !after.time_us) {
    item.state = had_time || options.strict ? GateState::doubt : GateState::note;
    item.finding =
        fmt::format("no prediction{}: {}", had_time ? ", and the base has one" : "", after.reason);
    return item;
  }
  if (!had_time) {
    item.finding = fmt::format("{:.4g} us", *after.time_us);
    return item;
  }
  const double change = *before->time_us > 0 ? 100 * (*after.time_us / *before->time_us - 1) : 0;
  if (change > options.slower_pct) item.state = GateState::fail;
  item.finding =
      fmt::format("{:.4g} us, was {:.4g} us ({:+.1f} %)", *after.time_us, *before->time_us, change);
  return item;
}

}  // namespace

GatePlan plan_gate(const Spec& spec, const Revision& base, const std::string& version) {
  GatePlan gate;
  gate.base = base;
  Spec with_base = spec;
  with_base.base = base.name;
  PlanBuilder builder(with_base, {version, base.root});
  Closures here(spec.root);
  Closures before(base.root);
  std::set<std::string> gpus;
  for (const KernelGroup& group : spec.groups) {
    const std::vector<std::string>& wanted = group.gpus.empty() ? spec.gpus : group.gpus;
    const std::vector<std::string> own = {""};
    for (const KernelFile& kernel : find_kernels(spec.root, group.paths, spec.except)) {
      if (kernel.kind == KernelFile::Kind::table) continue;
      const bool is_new = !fs::exists(fs::path(base.root) / kernel.path);
      const bool is_touched =
          is_new || here.fingerprint(kernel.path) != before.fingerprint(kernel.path);
      for (const std::string& shape : group.shapes.empty() ? own : group.shapes) {
        if (!is_touched) {
          ++gate.unchanged;
          continue;
        }
        gate.touched.push_back({kernel, shape, is_new});
        for (const bool at_base : {false, true}) {
          if (at_base && is_new) continue;
          builder.add({kernel, shape, "", SweepVerb::check, at_base});
          for (const std::string& gpu : wanted) {
            builder.add({kernel, shape, gpu, SweepVerb::simulate, at_base});
            if (gpus.insert(gpu).second) gate.gpus.push_back(gpu);
          }
        }
        if (!is_new) builder.add({kernel, shape, "", SweepVerb::audit, false});
      }
    }
  }
  gate.removed = removed_kernels(spec, base);
  gate.plan = builder.finish();
  return gate;
}

GateReport judge_gate(const GatePlan& gate, const StoredRows& rows, const GateOptions& options) {
  const GateRows found(gate.plan, rows);
  GateReport report;
  report.base = gate.base.name;
  report.commit = gate.base.commit;
  report.slower_pct = options.slower_pct;
  report.unchanged = gate.unchanged;
  report.removed = gate.removed;
  for (const TouchedKernel& touched : gate.touched) {
    SweepRow row;
    row.job = touched.kernel.path;
    row.function = touched.kernel.function;
    row.shape = touched.shape;
    GateKernel kernel{row.subject(), source_of(gate.plan.root, touched.kernel), touched.is_new, {}};
    const auto after = [&](const char* verb, const std::string& gpu) {
      return found.find(verb, kernel.subject, gpu, false);
    };
    const auto before = [&](const char* verb, const std::string& gpu) {
      return found.find(verb, kernel.subject, gpu, true);
    };
    if (const SweepRow* check = after("check", ""))
      kernel.items.push_back(judge_order(*check, before("check", ""), options.strict));
    if (const SweepRow* audit = after("audit", ""))
      kernel.items.push_back(judge_patch(*audit, options.strict));
    for (const std::string& gpu : gate.gpus)
      if (const SweepRow* time = after("simulate", gpu))
        kernel.items.push_back(judge_time(gpu, *time, before("simulate", gpu), options));
    report.kernels.push_back(std::move(kernel));
  }
  return report;
}

}  // namespace heddle::sweep
