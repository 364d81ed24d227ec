#include "view_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/clean_text.h"
#include "report/figures.h"
#include "report/html/page.h"
#include "support/text.h"

namespace heddle::tool {
namespace {

using nlohmann::json;
using report::ours;
using report::Text;

constexpr std::string_view kReport = "report.json";
constexpr std::string_view kHere = "here";  ///< the run of the folder itself
constexpr std::size_t kMostListed = 1000;
constexpr std::size_t kLongestViewed = 200;

/// "a b/c" -> "a%20b/c".
std::string address_of(std::string_view path) {
  std::string text;
  for (const char c : path) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') ||
                          std::string_view("/._-").find(c) != std::string_view::npos;
    text += is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return text;
}

/// What stands at a place of a report: text, a number, or a dash.
struct Reading {
  const json& report;

  const json* at(const char* place) const {
    const json::json_pointer pointer(place);
    return report.contains(pointer) ? &report.at(pointer) : nullptr;
  }
  std::string text(const char* place) const {
    const json* value = at(place);
    if (value == nullptr || !value->is_string()) return "-";
    return report::one_line(value->get<std::string>(), kLongestViewed);
  }
  std::string number(const char* place, int digits, const char* unit) const {
    const json* value = at(place);
    if (value == nullptr || !value->is_number()) return "-";
    return fmt::format("{:.{}f}{}", value->get<double>(), digits, unit);
  }
  std::string bytes(const char* place) const {
    const json* value = at(place);
    if (value == nullptr || !value->is_number() || value->get<double>() < 0) return "-";
    return report::bytes_text(value->get<double>());
  }
};

struct ViewRun {
  std::string name;    ///< "run1", or kHere
  std::string folder;  ///< "run1/", or empty
  std::vector<std::pair<std::string, std::string>> figures;

  const std::string& figure(std::string_view label) const {
    return std::ranges::find(figures, label, [](const auto& one) { return one.first; })->second;
  }
};

std::vector<std::pair<std::string, std::string>> figures_of(const Reading& in) {
  return {{"kernel", in.text("/kernel")},
          {"job", in.text("/job")},
          {"GPU", in.text("/gpu")},
          {"answer", in.text("/answer")},
          {"order", in.text("/best/formula")},
          {"verdict", in.text("/best/verdict")},
          {"predicted speedup", in.number("/best/predicted_speedup", 3, "x")},
          {"at least", in.number("/best/predicted_speedup_interval/low", 2, "x")},
          {"at most", in.number("/best/predicted_speedup_interval/high", 2, "x")},
          {"time, launch order", in.number("/baseline/predicted_time_us", 1, " us")},
          {"time, best order", in.number("/best/predicted/predicted_time_us", 1, " us")},
          {"L2 hit rate, launch order", in.number("/baseline/l2/hit_rate_pct", 1, " %")},
          {"L2 hit rate, best order", in.number("/best/predicted/l2/hit_rate_pct", 1, " %")},
          {"HBM read, launch order", in.bytes("/baseline/hbm/read_bytes")},
          {"HBM read, best order", in.bytes("/best/predicted/hbm/read_bytes")},
          {"limited by, launch order", in.text("/baseline/limited_by")},
          {"limited by, best order", in.text("/best/predicted/limited_by")},
          {"orders proposed", in.number("/search/proposed", 0, "")},
          {"orders replayed", in.number("/search/replayed", 0, "")}};
}

std::vector<ViewRun> runs_of(const ViewFolder& folder, const std::vector<std::string>& files) {
  std::vector<ViewRun> runs;
  for (const std::string& file : files) {
    if (file != kReport && !file.ends_with(fmt::format("/{}", kReport))) continue;
    const std::string place = file.substr(0, file.size() - kReport.size());
    const std::optional<std::string> text = folder.read(file);
    const json report = json::parse(text.value_or(""), nullptr, false);
    if (!report.is_object()) continue;
    runs.push_back({place.empty() ? std::string(kHere) : place.substr(0, place.size() - 1), place,
                    figures_of({report})});
  }
  return runs;
}

Text link_to_file(const std::string& words, const std::string& path) {
  return report::link(words, "files/" + address_of(path));
}

report::Table runs_table(const std::vector<ViewRun>& runs, const std::vector<std::string>& files) {
  report::Table table{"Runs of heddle optimize",
                      {{"run"},
                       {"compare"},
                       {"kernel"},
                       {"GPU"},
                       {"answer"},
                       {"predicted speedup", true},
                       {"order"}}};
  for (const ViewRun& run : runs) {
    const std::string page = run.folder + "report.html";
    const bool has_page = std::ranges::binary_search(files, page);
    table.rows.push_back({has_page ? link_to_file(run.name, page) : Text(run.name),
                          report::link("with ...", "compare?a=" + address_of(run.name)),
                          run.figure("kernel"), run.figure("GPU"), run.figure("answer"),
                          run.figure("predicted speedup"), report::code(run.figure("order"))});
  }
  return table;
}

report::Document new_page(Text title) {
  report::Document page;
  page.verb = "view";
  page.title = std::move(title);
  return page;
}

const ViewRun* find_run(const std::vector<ViewRun>& runs, const std::string& name) {
  const auto found = std::ranges::find(runs, name, &ViewRun::name);
  return found == runs.end() ? nullptr : &*found;
}

report::Document choice_page(const ViewRun& before, const std::vector<ViewRun>& runs) {
  report::Document page = new_page("Compare " + before.name + " with");
  page.heading(ours("Runs"));
  report::Items items;
  for (const ViewRun& run : runs) {
    if (&run != &before)
      items.items.push_back(report::link(
          run.name,
          fmt::format("compare?a={}&b={}", address_of(before.name), address_of(run.name))));
  }
  if (items.items.empty())
    page.paragraph(ours("There is no other run in this folder."));
  else
    page.add(std::move(items));
  page.paragraph(report::link("all runs", "."));
  return page;
}

report::Document comparison_page(const ViewRun& before, const ViewRun& after) {
  report::Document page = new_page(before.name + " and " + after.name);
  page.heading(ours("Side by side"));
  page.paragraph(ours("Rows that differ stand out. Figures are predicted, not measured."));
  report::Table table{"Two runs", {{"figure"}, {before.name}, {after.name}}};
  for (std::size_t i = 0; i < before.figures.size(); ++i) {
    if (before.figures[i].second != after.figures[i].second)
      table.marked.push_back(table.rows.size());
    table.rows.push_back(
        {ours(before.figures[i].first), before.figures[i].second, after.figures[i].second});
  }
  page.add(std::move(table));
  page.paragraph(report::link("all runs", "."));
  return page;
}

}  // namespace

std::string view_index(const ViewFolder& folder, const std::string& name) {
  const std::vector<std::string> files = folder.files();
  const std::vector<ViewRun> runs = runs_of(folder, files);
  report::Document page = new_page(report::one_line(name, kLongestViewed));
  page.paragraph(ours(fmt::format("{}, {}.", count_of(std::ssize(runs), "run"),
                                  count_of(std::ssize(files), "file"))));
  if (!runs.empty()) {
    page.heading(ours("Runs"));
    page.add(runs_table(runs, files));
  }
  page.heading(ours("Files"));
  report::Items items;
  for (const std::string& file : files) {
    if (items.items.size() == kMostListed) break;
    items.items.push_back(link_to_file(file, file));
  }
  page.add(std::move(items));
  if (files.size() > kMostListed)
    page.paragraph(ours(fmt::format("... and {} more", files.size() - kMostListed)));
  return report::html_page(page);
}

std::optional<std::string> view_comparison(const ViewFolder& folder, const std::string& before,
                                           const std::optional<std::string>& after) {
  const std::vector<ViewRun> runs = runs_of(folder, folder.files());
  const ViewRun* const first = find_run(runs, before);
  if (first == nullptr) return {};
  if (!after) return report::html_page(choice_page(*first, runs));
  const ViewRun* const second = find_run(runs, *after);
  if (second == nullptr) return {};
  return report::html_page(comparison_page(*first, *second));
}

}  // namespace heddle::tool
