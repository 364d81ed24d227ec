#include "emit_proof.h"

#include <fmt/format.h>

#include "notes.h"
#include "output.h"
#include "progress.h"
#include "report/check_report.h"

namespace heddle::tool {
namespace {

template <class Report>
void explain(const Report& report, const order::Order& order, ExitCode& code) {
  print_message(fmt::format("heddle: nothing is emitted: the order is not proved\n{}",
                            report::check_text(report, {order.title(), {}, {}}, report::Style{})));
  code = exit_code(report.verdict);
}

}  // namespace

std::optional<proof::ProvenOrder> prove_or_explain(const order::Order& order,
                                                   const order::Bindings& bindings,
                                                   const Question& question, ExitCode& code) {
  const proof::CheckOptions check{8, std::chrono::seconds(question.time_limit_s)};
  std::optional<proof::ProvenOrder> proven;
  if (question.all_sizes) {
    AllSizesReport report;
    proven = with_progress("proving", [&] {
      return proof::prove_all_sizes(order, *question.all_sizes, bindings, check, report);
    });
    if (!proven) explain(report, order, code);
  } else {
    RangeReport report;
    proven = with_progress("proving", [&] {
      return proof::prove_range(order, *question.range, bindings, check, report);
    });
    if (!proven) explain(report, order, code);
  }
  return proven;
}

void refuse_table(const order::Order& order) {
  if (order.origin() == order::Order::Origin::table)
    throw Error("a table cannot be emitted", "give a formula or a family");
}

}  // namespace heddle::tool
