#include "kernel/cxx/kept_code.h"

#include <algorithm>
#include <deque>
#include <fstream>
#include <iterator>
#include <mutex>
#include <string_view>
#include <utility>

namespace heddle::kernel::cxx {
namespace {

constexpr std::size_t kMostKept = 16;

struct Header {
  std::string path;
  std::string text;  ///< when it was compiled
};

struct Entry {
  CodeKey key;
  std::vector<Header> headers;
  std::weak_ptr<NativeKernel> kernel;
  std::vector<AssemblySite> sites;
};

struct Entries {
  std::mutex mutex;
  std::deque<Entry> all;
};

Entries& entries() {
  static Entries kept;
  return kept;
}

std::string text_now(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The files behind the colon of "kernel.o: kernel.cpp a.h \": blanks in names are escaped, as are
/// number signs; dollars are doubled.
std::vector<std::string> listed_files(std::string_view rule) {
  std::vector<std::string> files;
  std::string file;
  const std::size_t colon = rule.find(": ");
  if (colon == std::string_view::npos) return files;
  for (std::size_t at = colon + 1; at < rule.size(); ++at) {
    const char c = rule[at];
    const char next = at + 1 < rule.size() ? rule[at + 1] : '\n';
    const bool is_escape = (c == '\\' && (next == ' ' || next == '#')) || (c == '$' && next == '$');
    if (is_escape) {
      file += next;
      ++at;
    } else if (c == ' ' || c == '\n' || (c == '\\' && next == '\n')) {
      if (!file.empty()) files.push_back(std::exchange(file, {}));
    } else {
      file += c;
    }
  }
  if (!file.empty()) files.push_back(file);
  return files;
}

bool are_unchanged(const std::vector<Header>& headers) {
  return std::all_of(headers.begin(), headers.end(),
                     [](const Header& one) { return text_now(one.path) == one.text; });
}

}  // namespace

bool find_kept(KeptCode& code) {
  const std::lock_guard lock(entries().mutex);
  for (const Entry& entry : entries().all) {
    if (entry.key != code.key) continue;
    auto kernel = entry.kernel.lock();
    if (!kernel || !are_unchanged(entry.headers)) continue;
    code.kernel = std::move(kernel);
    code.sites = entry.sites;
    return true;
  }
  return false;
}

void keep(const KeptCode& code, const std::string& dependencies) {
  Entry entry{code.key, {}, code.kernel, code.sites};
  const std::vector<std::string> files = listed_files(text_now(dependencies));
  if (files.empty()) return;                      // nobody knows what it was made of
  for (std::size_t k = 1; k < files.size(); ++k)  // the first is the kernel's own file
    entry.headers.push_back({files[k], text_now(files[k])});
  const std::lock_guard lock(entries().mutex);
  std::deque<Entry>& all = entries().all;
  std::erase_if(all, [](const Entry& one) { return one.kernel.expired(); });
  all.push_back(std::move(entry));
  if (all.size() > kMostKept) all.pop_front();
}

}  // namespace heddle::kernel::cxx
