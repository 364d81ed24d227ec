#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "profile/analysis.h"
#include "support/lists.h"

namespace heddle::profile {
namespace {

constexpr const char* kSystemTable = "1.1";

double rounded(double value, int decimals) {
  const double scale = std::pow(10.0, decimals);
  const double result = std::nearbyint(value * scale) / scale;
  return std::isfinite(result) ? result : value;
}

/// 5 -> "5.0", as Python writes it.
std::string shortest(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".enia") == std::string::npos) text += ".0";
  return text;
}

std::optional<std::size_t> column_of(const PanelTable& table, const std::string& title) {
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].title == title) return i;
  }
  return std::nullopt;
}

/// What a row is recognised by in another run.
std::string row_name(const PanelTable& table, std::size_t row, bool compat) {
  const auto name = column_of(table, table.is_list ? "Kernel_Name" : "Metric");
  if (name && !compat) return table.rows[row][*name].text;
  const PanelCell& first = table.rows[row].front();
  return first.is_number() ? std::to_string(row) : first.text;
}

struct Change {
  PanelCell shown;
  PanelCell difference;
  double percent = 0;
};

/// Blank counts as nothing in ours, as 0 in the original.
Change change_of(const PanelCell& base, const PanelCell& now, int decimals, bool compat) {
  Change change;
  if (!compat && !now.is_number()) {
    change.shown = now;
    return change;
  }
  const double after = now.is_number() ? now.number : 0;
  const int digits = now.kind == PanelCell::Kind::whole ? 0 : decimals;
  const std::string value =
      compat ? shortest(rounded(after, decimals)) : fmt::format("{:.{}f}", after, digits);
  if (!compat && (!base.is_number() || base.number == 0)) {
    const bool same = base.is_number() && after == 0;
    change.shown = PanelCell::of_text(value + (same               ? " (0%)"
                                               : base.is_number() ? " (from 0)"
                                                                  : " (new)"));
    if (base.is_number()) change.difference = PanelCell::of_number(after - base.number);
    return change;
  }
  const double before = base.is_number() ? base.number : 0;
  // The original rounds the difference before it divides.
  const double difference = compat ? rounded(after - before, decimals) : after - before;
  change.percent = difference / (before == 0 ? 1 : before) * 100;
  double percent = rounded(change.percent, decimals);
  if (percent == 0) percent = 0;  // no minus
  change.shown =
      PanelCell::of_text(compat ? fmt::format("{} ({}%)", value, shortest(percent))
                                : fmt::format("{} ({:+.{}f}%)", value, percent, decimals));
  change.difference = PanelCell::of_number(difference);
  return change;
}

const PanelTable* find_table(const std::vector<Panel>& panels, const std::string& id) {
  for (const Panel& panel : panels) {
    for (const PanelTable& table : panel.tables) {
      if (table.id == id) return &table;
    }
  }
  return nullptr;
}

/// One table with the columns of all runs.
class TableComparison {
 public:
  TableComparison(const PanelTable& base, std::vector<const PanelTable*> others, int decimals,
                  bool compat)
      : base_(base), others_(std::move(others)), decimals_(decimals), compat_(compat) {
    for (std::size_t row = 0; row < base.rows.size(); ++row)
      names_.push_back(row_name(base, row, compat));
    if (compat) return;
    for (const PanelTable* other : others_) {
      for (std::size_t row = 0; other != nullptr && row < other->rows.size(); ++row) {
        const std::string name = row_name(*other, row, compat);
        if (!is_one_of(name, names_)) names_.push_back(name);
      }
    }
  }

  PanelTable run() {
    PanelTable table = base_;
    table.columns.clear();
    table.rows.assign(names_.size(), {});
    for (std::size_t column = 0; column < base_.columns.size(); ++column) {
      const PanelColumn& title = base_.columns[column];
      add_column(table, title, base_column(column));
      // Of the system every run has its own column.
      if (title.title == "Info") append_others(table, column, title.title);
      if (title.compared) compare_column(table, column);
    }
    return table;
  }

 private:
  using Cells = std::vector<PanelCell>;

  static void add_column(PanelTable& table, const PanelColumn& title, const Cells& cells) {
    table.columns.push_back(title);
    for (std::size_t row = 0; row < table.rows.size(); ++row) table.rows[row].push_back(cells[row]);
  }

  const std::vector<PanelCell>* row_of(const PanelTable* table, const std::string& name) const {
    for (std::size_t row = 0; table != nullptr && row < table->rows.size(); ++row) {
      if (row_name(*table, row, compat_) == name) return &table->rows[row];
    }
    return nullptr;
  }

  /// What the run has in a column of the baseline, for the row of that name.
  PanelCell cell_of(const PanelTable* table, const std::string& name, std::size_t column) const {
    const std::vector<PanelCell>* row = row_of(table, name);
    if (row == nullptr) return PanelCell::blank("the run has no such row");
    const auto place = column_of(*table, base_.columns[column].title);
    return place ? (*row)[*place] : PanelCell::blank("the run has no such column");
  }

  Cells base_column(std::size_t column) const {
    Cells cells;
    for (const std::string& name : names_) {
      PanelCell cell = cell_of(&base_, name, column);
      // A row of another run brings its name along.
      for (const PanelTable* other : others_) {
        // Its number in its own list says nothing here.
        if (cell.kind == PanelCell::Kind::blank && !base_.columns[column].compared &&
            !base_.columns[column].title.empty() && row_of(&base_, name) == nullptr)
          cell = marked(cell_of(other, name, column), column, other);
      }
      cells.push_back(std::move(cell));
    }
    return cells;
  }

  /// "17.5.3 [2]": ids of other architectures may be taken here.
  PanelCell marked(PanelCell cell, std::size_t column, const PanelTable* other) const {
    if (base_.columns[column].title != "Metric_ID" || cell.kind != PanelCell::Kind::text)
      return cell;
    const auto run = std::ranges::find(others_, other) - others_.begin();
    cell.text += fmt::format(" [{}]", run + 2);
    return cell;
  }

  std::string title_of(const std::string& title, std::size_t other) const {
    return compat_ ? title : fmt::format("{} [{}]", title, other + 2);
  }

  void append_others(PanelTable& table, std::size_t column, const std::string& title) {
    for (std::size_t other = 0; other < others_.size(); ++other) {
      Cells cells;
      for (const std::string& name : names_) cells.push_back(cell_of(others_[other], name, column));
      add_column(table, {title_of(title, other), false}, cells);
    }
  }

  void compare_column(PanelTable& table, std::size_t column) {
    const std::string& title = base_.columns[column].title;
    for (std::size_t other = 0; other < others_.size(); ++other) {
      Cells shown;
      Cells differences;
      bool differs = false;
      for (const std::string& name : names_) {
        Change change = change_of(cell_of(&base_, name, column),
                                  cell_of(others_[other], name, column), decimals_, compat_);
        differs = differs || std::abs(change.percent) > 0;
        shown.push_back(std::move(change.shown));
        differences.push_back(std::move(change.difference));
      }
      add_column(table, {title_of(title, other), false}, shown);
      if (differs && (title == "Avg" || title == "Value" || title == "Count"))
        add_column(table, {title_of("Abs Diff", other), false}, differences);
    }
  }

  const PanelTable& base_;
  std::vector<const PanelTable*> others_;
  int decimals_;
  bool compat_;
  std::vector<std::string> names_;
};

/// The tables of a panel that only later runs have, without rows.
void add_missing(std::vector<Panel>& base, const std::vector<Panel>& other) {
  for (const Panel& panel : other) {
    auto place = std::ranges::find_if(base, [&](const Panel& one) { return one.id >= panel.id; });
    if (place == base.end() || place->id != panel.id)
      place = base.insert(place, Panel{panel.id, panel.title, {}});
    for (const PanelTable& table : panel.tables) {
      if (find_table(base, table.id) != nullptr) continue;
      place->tables.push_back(table);
      place->tables.back().rows.clear();
    }
  }
}

}  // namespace

std::vector<Panel> compare(const std::vector<std::vector<Panel>>& runs, int decimals, bool compat) {
  if (runs.size() < 2) return runs.empty() ? std::vector<Panel>{} : runs.front();
  std::vector<Panel> first = runs.front();
  for (std::size_t run = 1; run < runs.size() && !compat; ++run) add_missing(first, runs[run]);
  std::vector<Panel> panels;
  for (const Panel& base : first) {
    Panel panel{base.id, base.title, {}};
    for (const PanelTable& table : base.tables) {
      std::vector<const PanelTable*> others;
      for (std::size_t run = 1; run < runs.size(); ++run)
        others.push_back(find_table(runs[run], table.id));
      const bool comparable = table.id == kSystemTable ||
                              std::ranges::any_of(table.columns, [](const PanelColumn& column) {
                                return column.compared;
                              });
      panel.tables.push_back(comparable ? TableComparison(table, others, decimals, compat).run()
                                        : table);
    }
    panels.push_back(std::move(panel));
  }
  return panels;
}

}  // namespace heddle::profile
