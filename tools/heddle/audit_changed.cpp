#include "audit_changed.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <filesystem>
#include <vector>

#include "support/apply_diff.h"
#include "support/error.h"
#include "support/file.h"
#include "support/lists.h"
#include "support/temporary_folder.h"

namespace heddle::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestOriginal = std::size_t{16} << 20;
constexpr std::uintmax_t kLargestBeside = std::uintmax_t{1} << 20;  ///< of a source beside it
constexpr int kMostBeside = 256;
constexpr int kMostLinks = 4096;           ///< of a package
constexpr std::size_t kMostPackages = 16;  ///< one in the other

bool is_source(const fs::path& path) {
  constexpr std::array kEndings = {".py",  ".h",  ".hpp", ".hxx", ".cuh",
                                   ".hip", ".cu", ".inc", ".inl"};
  return is_one_of(path.extension().string(), kEndings);
}

void copy_beside(const fs::path& original, const fs::path& folder) {
  std::error_code error;
  int count = 0;
  const fs::path place = original.has_parent_path() ? original.parent_path() : fs::path(".");
  for (const fs::directory_entry& entry : fs::directory_iterator(place, error)) {
    if (!entry.is_regular_file(error) || !is_source(entry.path()) ||
        entry.file_size(error) > kLargestBeside || ++count > kMostBeside)
      continue;
    fs::copy_file(entry.path(), folder / entry.path().filename(), error);
  }
}

/// A package's entries, linked: all but the folder `without`; `files`: not only folders.
void link_entries(const fs::path& package, const fs::path& place, const fs::path& without,
                  bool files) {
  std::error_code error;
  int count = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(package, error)) {
    const bool is_folder = entry.is_directory(error);
    if (entry.path().filename() == without || ++count > kMostLinks) continue;
    if (is_folder)
      fs::create_directory_symlink(entry.path(), place / entry.path().filename(), error);
    if (!is_folder && files && is_source(entry.path()))
      fs::create_symlink(entry.path(), place / entry.path().filename(), error);
  }
}

/// Where a changed Python file goes: below its packages, so that relative imports find what they did.
fs::path place_below_packages(const fs::path& original, const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> packages;  // innermost first
  fs::path at = fs::weakly_canonical(original, error).parent_path();
  while (original.extension() == ".py" && packages.size() < kMostPackages &&
         fs::is_regular_file(at / "__init__.py", error)) {
    packages.push_back(at);
    at = at.parent_path();
  }
  fs::path place = folder;
  for (std::size_t i = packages.size(); i-- > 0;) {
    place /= packages[i].filename();
    fs::create_directory(place, error);
    // The innermost one's files are copied: one of them is written anew.
    link_entries(packages[i], place, i > 0 ? packages[i - 1].filename() : fs::path(), i > 0);
  }
  return place;
}

void rename_in(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

void rename_in(CheckResult& check, const std::string& from, const std::string& to) {
  rename_in(check.finding, from, to);
  for (std::string& line : check.evidence) rename_in(line, from, to);
  for (std::string& line : check.notes) rename_in(line, from, to);
}

}  // namespace

PatchAudit audit_text(const PatchRequest& given, const std::string& text,
                      const std::string& shown) {
  const TemporaryFolder folder;
  const fs::path place = place_below_packages(given.before, folder.path());
  const fs::path path = place / fs::path(given.before).filename();
  copy_beside(given.before, place);
  std::error_code error;
  fs::remove(path, error);  // the copy of the original
  write_text(path.string(), text);
  PatchRequest request = given;
  request.after = path.string();
  try {
    PatchAudit audit = audit_patch(request);
    audit.after = shown;
    for (CheckResult* const check : {&audit.order, &audit.bytes, &audit.code, &audit.launch})
      rename_in(*check, path.string(), shown);
    if (audit.shapes) rename_in(*audit.shapes, path.string(), shown);
    return audit;
  } catch (const Error& failure) {
    std::string message = failure.message();
    rename_in(message, path.string(), shown);
    const bool is_here = failure.source().find(path.string()) != std::string::npos;
    throw Error(message, failure.hint(), failure.code())
        .at(is_here ? shown : failure.source(), failure.position());
  }
}

PatchAudit audit_diff(const PatchRequest& request, const std::string& diff,
                      const std::string& shown) {
  const std::string original = read_text(request.before, kLargestOriginal);
  std::string text;
  try {
    text = apply_diff(original, diff, request.before);
  } catch (const Error& error) {
    throw error.source().empty() ? error.in(shown) : error;
  }
  PatchAudit audit = audit_text(request, text, shown);
  // Whatever they are: code can include, import or read a file of any name.
  const std::vector<std::string> others = other_files(diff, request.before);
  if (!others.empty() && audit.code.verdict == Verdict::proved)
    audit.code = {
        Verdict::unknown,
        fmt::format("the diff also changes {}, which is not judged", fmt::join(others, ", ")),
        {},
        audit.code.notes};
  if (!others.empty())
    audit.not_checked.push_back(
        fmt::format("other files of the diff ({})", fmt::join(others, ", ")));
  return audit;
}

}  // namespace heddle::tool
