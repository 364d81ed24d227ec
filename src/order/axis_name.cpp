#include "order/axis_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

namespace heddle::order {
namespace {

using Words = std::vector<std::string>;

/// "numPid_M2" -> num, pid, m2. Capital letters begin a word where a small one stands before.
Words words_of(std::string_view name) {
  Words words;
  bool open = false;
  char before = '_';
  for (const char c : name) {
    const bool is_word = std::isalnum(static_cast<unsigned char>(c)) != 0;
    const bool begins = std::isupper(static_cast<unsigned char>(c)) != 0 &&
                        std::islower(static_cast<unsigned char>(before)) != 0;
    if (is_word && (!open || begins)) words.emplace_back();
    if (is_word) words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    open = is_word;
    before = c;
  }
  return words;
}

/// Words that say that something is counted.
const std::set<std::string> kCounting = {"num",  "nr",    "number",  "count",    "cnt",    "total",
                                         "grid", "tiles", "blocks",  "pids",     "ctas",   "wgs",
                                         "rows", "cols",  "columns", "programs", "batches"};

/// Words that say what is counted or numbered, and nothing of the axis.
const std::set<std::string> kGeneric = {
    "num",      "nr",     "number", "count",  "cnt",   "total", "grid",     "tile",      "tiles",
    "block",    "blocks", "pid",    "pids",   "cta",   "ctas",  "wg",       "wgs",       "program",
    "programs", "id",     "idx",    "index",  "size",  "of",    "blk",      "bid",       "tid",
    "dim",      "new",    "my",     "cur",    "final", "out",   "swizzled", "remapped",  "linear",
    "lin",      "flat",   "order",  "result", "res",   "work",  "unit",     "workgroup", "launch"};

std::string axis_of_word(std::string word) {
  static const std::map<std::string, std::string> kSame = {
      {"row", "m"},     {"rows", "m"},  {"col", "n"},         {"cols", "n"},   {"column", "n"},
      {"columns", "n"}, {"b", "batch"}, {"batches", "batch"}, {"bs", "batch"}, {"z", "batch"}};
  // pidm, gridn, bm, nb: what is counted and the axis, written as one word
  const auto is_letter = [](char c) { return c == 'm' || c == 'n' || c == 'x' || c == 'y'; };
  if (word.size() == 2 && (word[1] == 'b' || word[1] == 't') && is_letter(word[0])) word.pop_back();
  if (word.size() > 1 && is_letter(word.back())) {
    const std::string stem = word.substr(0, word.size() - 1);
    if (kGeneric.count(stem) > 0 || stem == "b" || stem == "t" || stem == "p" || stem == "g")
      word = word.back();
  }
  const auto same = kSame.find(word);
  return same == kSame.end() ? word : same->second;
}

}  // namespace

std::string axis_of(std::string_view name) {
  Words words = words_of(name);
  // n_rows, n_tiles_m: a number of them
  if (words.size() > 1 && words.front() == "n") {
    Words others(words.begin() + 1, words.end());
    const auto says_axis = [](const std::string& word) { return kGeneric.count(word) == 0; };
    if (std::ranges::any_of(others, says_axis)) words = std::move(others);
  }
  std::string axis;
  for (const std::string& word : words) {
    if (kGeneric.count(word) > 0) continue;
    axis += (axis.empty() ? "" : " ") + axis_of_word(word);
  }
  return axis;
}

bool is_count_name(std::string_view name) {
  const Words words = words_of(name);
  const bool counts = std::ranges::any_of(words, [](const std::string& word) {
    return kCounting.count(word) > 0 || (word.size() == 5 && word.rfind("grid", 0) == 0);
  });
  return counts || (words.size() > 1 && words.front() == "n");
}

void sort_rows_first(std::vector<std::string>& names) {
  static const std::map<std::string, int> kPlace = {{"batch", 0}, {"m", 1}, {"n", 2}};
  std::set<int> places;
  for (const std::string& name : names) {
    const auto found = kPlace.find(axis_of(name));
    if (found == kPlace.end() || !places.insert(found->second).second) return;
  }
  std::ranges::sort(names, [](const std::string& a, const std::string& b) {
    return kPlace.at(axis_of(a)) < kPlace.at(axis_of(b));
  });
}

}  // namespace heddle::order
