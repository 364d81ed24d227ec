#include "report/tuning_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/clean_text.h"
#include "report/figures.h"
#include "report/json_values.h"
#include "report/style.h"
#include "report/table_text.h"
#include "report/validation_table.h"
#include "support/text.h"

namespace heddle::report {
namespace {

using nlohmann::json;

constexpr std::size_t kVariantSentence = 300;

/// How wide cells may be.
struct Widths {
  std::size_t title = kVariantSentence;
  std::size_t order = kVariantSentence;
  std::size_t reason = kVariantSentence;
};
constexpr Widths kTextWidths = {36, 24, 56};

std::string fitted(std::string_view text, std::size_t width) {
  return cut(one_line(text, kVariantSentence), width);
}

struct TuningTable {
  std::vector<Row> rows;
  std::vector<bool> to_the_left;
};

std::string time_or_dash(const std::optional<double>& time_us) {
  return time_us ? time_text(*time_us) : "-";
}

std::string variant_speedup(double speedup, bool sampled) {
  return fmt::format("{}{:.3f}", sampled ? "~" : "", speedup);
}

TuningTable variant_table(const Tuning& tuning, const Widths& widths) {
  TuningTable table{{{"variant", "as written", "best order", "with it", "speedup"}},
                    {true, false, true, false, false}};
  if (tuning.measured) {
    table.rows.front().insert(table.rows.front().end(), {"measured as written", "measured"});
    table.to_the_left.insert(table.to_the_left.end(), {false, false});
  }
  table.rows.front().emplace_back("");
  table.to_the_left.push_back(true);
  for (std::size_t i = 0; i < tuning.variants.size(); ++i) {
    const TunedVariant& one = tuning.variants[i];
    const std::string title = fitted(one.title, widths.title);
    if (!one.reason.empty() || !one.speedup) {
      table.rows.push_back({title, "-", fitted("does not work: " + one.reason, widths.reason)});
      continue;
    }
    Row row = {title, time_or_dash(one.written_us), fitted(one.order, widths.order),
               time_or_dash(one.best_us), variant_speedup(*one.speedup, one.sampled)};
    if (tuning.measured)
      row.insert(row.end(), {time_or_dash(one.measured_written_us), time_or_dash(one.measured_us)});
    if (i == tuning.chosen) row.emplace_back("chosen");
    table.rows.push_back(std::move(row));
  }
  return table;
}

TuningTable shape_table(const std::vector<OrderedShape>& shapes, const Widths& widths) {
  TuningTable table{{{"shape", "as written", "with it", "speedup", "best for it alone", "speedup"}},
                    {true, false, false, false, true, false}};
  for (const OrderedShape& one : shapes)
    table.rows.push_back(
        {fitted(one.title, widths.title), time_text(one.written_us), time_or_dash(one.with_us),
         one.with_us ? variant_speedup(one.speedup(), one.sampled) : "-",
         fitted(one.best, widths.order), variant_speedup(one.best_speedup(), one.sampled)});
  return table;
}

Table document_table(const TuningTable& table, std::string caption) {
  Table result{std::move(caption), {}};
  for (std::size_t i = 0; i < table.to_the_left.size(); ++i)
    result.columns.push_back({table.rows.front()[i], !table.to_the_left[i]});
  for (std::size_t i = 1; i < table.rows.size(); ++i)
    result.rows.emplace_back(table.rows[i].begin(), table.rows[i].end());
  return result;
}

json variant_json(const TunedVariant& one) {
  return {{"title", one.title},
          {"overrides", one.overrides},
          {"set", one.set},
          {"reason", text_or_null(one.reason)},
          {"grid", one.grid},
          {"written_us", value_json(one.written_us)},
          {"order", text_or_null(one.order)},
          {"best_us", value_json(one.best_us)},
          {"speedup", value_json(one.speedup)},
          {"sampled", one.sampled},
          {"measured_written_us", value_json(one.measured_written_us)},
          {"measured_us", value_json(one.measured_us)}};
}

json shape_json(const OrderedShape& one) {
  return {{"title", one.title},
          {"grid", one.grid},
          {"written_us", one.written_us},
          {"with_us", value_json(one.with_us)},
          {"speedup", one.with_us ? json(one.speedup()) : json(nullptr)},
          {"best_alone", one.best},
          {"best_alone_us", one.best_us},
          {"sampled", one.sampled}};
}

std::string shapes_sentence(const OptimizationReport& report) {
  const auto [least, most] =
      std::ranges::minmax(report.shapes, {}, [](const OrderedShape& one) { return one.speedup(); });
  const std::string count = count_of(std::ssize(report.shapes), "shape");
  const std::string first = one_line(report.shapes.front().title, kVariantSentence);
  if (!report.is_reordered())
    return fmt::format(
        "No order is faster on the {} together without being slower on one; the "
        "rest of this report is of {}.",
        count, first);
  return fmt::format(
      "On {} one order is predicted {:.3f} times as fast in the geometric mean, from {:.3f} to "
      "{:.3f}; the rest of this report is of {}.",
      count, mean_speedup(report.shapes), least.speedup(), most.speedup(), first);
}

std::string variant_sentence(const OptimizationReport& report) {
  const Tuning& tuning = *report.tuning;
  const TunedVariant& best = tuning.best();
  const TunedVariant& before = tuning.variants.front();
  const bool measured = tuning.measured && best.measured_us && before.measured_written_us;
  return fmt::format("With {} it {} {} instead of {}: {:.3f} times as fast as the job as it is.",
                     tuned_title(report, kVariantSentence),
                     measured ? "was measured to take" : "is predicted to take",
                     time_text(measured ? *best.measured_us : *best.best_us),
                     time_text(measured ? *before.measured_written_us : *before.written_us),
                     tuning.speedup());
}

}  // namespace

bool is_tuned(const OptimizationReport& report) {
  return report.tuning && report.tuning->chosen > 0;
}

double headline_speedup(const OptimizationReport& report) {
  if (is_tuned(report)) return report.tuning->speedup();
  if (!report.shapes.empty()) return mean_speedup(report.shapes);
  return report.best.measured ? report.best.measured->ratio : report.best.speedup;
}

std::string tuned_title(const OptimizationReport& report, std::size_t width) {
  if (!is_tuned(report)) return {};
  std::vector<std::string> words;
  for (const std::string& one : report.tuning->best().set) {
    const std::size_t equals = one.find('=');
    words.push_back(fmt::format("{} = {}", one.substr(0, equals), one.substr(equals + 1)));
  }
  return fitted(fmt::format("{}", fmt::join(words, ", ")), width);
}

std::vector<std::string> tuning_sentences(const OptimizationReport& report) {
  std::vector<std::string> sentences;
  if (is_tuned(report)) sentences.push_back(variant_sentence(report));
  if (!report.shapes.empty()) sentences.push_back(shapes_sentence(report));
  return sentences;
}

std::string tuning_text(const OptimizationReport& report) {
  std::string text;
  const auto add = [&](const TuningTable& table) {
    text += "\n" + table_text(table.rows, table.to_the_left);
  };
  if (report.tuning) add(variant_table(*report.tuning, kTextWidths));
  if (!report.shapes.empty()) add(shape_table(report.shapes, kTextWidths));
  return text;
}

void add_tuning(const OptimizationReport& report, Document& page) {
  if (report.tuning) {
    page.heading(ours("Variants"));
    page.add(document_table(variant_table(*report.tuning, {}), "Variants of the job"));
  }
  if (!report.shapes.empty()) {
    page.heading(ours("Shapes"));
    page.add(document_table(shape_table(report.shapes, {}), "Shapes of the launch"));
  }
}

json tuning_json(const OptimizationReport& report) {
  if (!report.tuning) return nullptr;
  return {{"chosen", report.tuning->chosen},
          {"speedup", report.tuning->speedup()},
          {"measured", report.tuning->measured},
          {"variants", list_json(report.tuning->variants, variant_json)}};
}

json shapes_json(const OptimizationReport& report) {
  if (report.shapes.empty()) return nullptr;
  return {{"speedup", mean_speedup(report.shapes)},
          {"shapes", list_json(report.shapes, shape_json)}};
}

}  // namespace heddle::report
