#include "sweep/merge.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "support/error.h"
#include "support/file.h"
#include "sweep/row.h"

namespace heddle::sweep {
namespace {

namespace fs = std::filesystem;

/// A large file, replaced when it is whole.
class Growing {
 public:
  explicit Growing(const std::string& name) : pending_(name), stream_(pending_.path()) {}
  void write(std::string_view text) {
    stream_.write(text.data(), static_cast<std::streamsize>(text.size()));
  }
  void finish() {
    stream_.close();
    if (!stream_)
      throw Error(fmt::format("'{}' cannot be written", pending_.path()),
                  "is there room on the disk?", ExitCode::missing);
    pending_.commit();
  }

 private:
  PendingFile pending_;
  std::ofstream stream_;
};

std::string plain(const std::string& text) {
  std::string name = fs::path(text).stem().string();
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_' && c != '-') c = '_';
  return name.substr(0, 80);
}

void remove_patches(const std::string& folder) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == ".diff") fs::remove(entry.path(), error);
}

void write_patch(const std::string& folder, std::size_t number, const SweepRow& row) {
  std::error_code error;
  fs::create_directories(folder, error);
  write_text(fmt::format("{}/{:04}-{}-{}.diff", folder, number, plain(row.job), plain(row.gpu)),
             row.patch);
}

}  // namespace

SweepSummary merge(const Plan& plan, const StoredRows& rows, const std::string& folder) {
  SweepSummary summary;
  summary.name = plan.name;
  summary.planned = static_cast<std::int64_t>(plan.units.size());
  summary.gpus.assign(plan.gpus.begin() + 1, plan.gpus.end());
  Growing lines(folder + "/results.jsonl");
  Growing table(folder + "/results.csv");
  table.write(csv_head());
  remove_patches(folder + "/patches");
  std::size_t patches = 0;
  for (const Unit& unit : plan.units) {
    const auto line = rows.find(unit.key);
    if (!line) continue;
    const SweepRow row = read_row(line->row);
    lines.write(line->row);
    lines.write("\n");
    table.write(csv_row(row));
    if (!row.patch.empty()) write_patch(folder + "/patches", ++patches, row);
    summary.add(row);
  }
  lines.finish();
  table.finish();
  return summary;
}

}  // namespace heddle::sweep
