#include "audit/new_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "support/text.h"

namespace heddle::audit {
namespace {

void add_words(const std::string& text, std::set<std::string>& words) {
  const auto is_part = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = begin;
    while (end < text.size() && is_part(text[end])) ++end;
    if (end > begin) words.insert(text.substr(begin, end - begin));
    begin = std::max(end, begin + 1);
  }
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (const std::string_view line : split(text, '\n')) lines.emplace_back(trim(line));
  return lines;
}

}  // namespace

std::set<std::int64_t> numbers_in(std::string_view text, std::string_view comment) {
  std::set<std::int64_t> numbers;
  const auto value_of = [](std::string word) -> std::optional<std::int64_t> {
    while (!word.empty() && std::strchr("uUlL", word.back()) != nullptr) word.pop_back();
    constexpr int kHexadecimal = 16;
    constexpr std::size_t kMostDigits = 15;
    if ((word.starts_with("0x") || word.starts_with("0X")) && word.size() <= kMostDigits)
      return std::strtoll(word.c_str(), nullptr, kHexadecimal);
    return parse_integer(word);
  };
  const auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
  };
  for (const std::string_view line : split(text, '\n')) {
    const std::string_view code = line.substr(0, line.find(comment));
    for (std::size_t at = 0; at < code.size();) {
      std::size_t end = at;
      while (end < code.size() && is_word(code[end])) ++end;
      const auto number = value_of(std::string(code.substr(at, end - at)));
      const std::string_view before = trim(code.substr(0, at));
      const bool is_shift = before.ends_with("<<") || before.ends_with(">>");
      if (number && is_shift && *number > 0 && *number < 62)
        numbers.insert(std::int64_t{1} << *number);
      else if (number)
        numbers.insert(*number);
      at = std::max(end, at + 1);
    }
  }
  return numbers;
}

NewLines::NewLines(const std::string& before, const std::string& after) {
  const std::vector<std::string> old_lines = lines_of(before);
  const std::vector<std::string> new_lines = lines_of(after);
  const std::set<std::string> olds(old_lines.begin(), old_lines.end());
  const std::set<std::string> news(new_lines.begin(), new_lines.end());
  for (std::size_t i = 0; i < new_lines.size(); ++i) {
    if (olds.count(new_lines[i]) > 0) continue;
    news_[static_cast<int>(i) + 1] = new_lines[i];
    add_words(new_lines[i], new_words_);
  }
  for (const std::string& line : olds)
    if (news.count(line) == 0) add_words(line, old_words_);
}

std::string NewLines::text(int line) const {
  const auto found = news_.find(line);
  return found == news_.end() ? std::string() : found->second;
}

std::string NewLines::text() const {
  std::string all;
  for (const auto& [line, text] : news_) all += text + '\n';
  return all;
}

std::vector<NamedNumber> NewLines::numbers(const std::vector<config::NamedValue>& names) const {
  std::vector<NamedNumber> result;
  for (const config::NamedValue& one : names) {
    if (new_words_.count(one.name) == 0) continue;
    const bool is_old = old_words_.count(one.name) > 0;
    if (const auto* number = std::get_if<std::int64_t>(&one.value.data))
      result.push_back({one.name, *number, false, is_old});
    else if (const auto* truth = std::get_if<bool>(&one.value.data))
      result.push_back({one.name, *truth ? 1 : 0, true, is_old});
  }
  return result;
}

bool NewLines::mentions(int line, const std::string& word) const {
  std::set<std::string> words;
  add_words(text(line), words);
  return words.count(word) > 0;
}

void CaseLog::add(const std::vector<kernel::IndexDecision>& decisions, const NewLines& lines,
                  const std::vector<NamedNumber>& named) {
  constexpr std::size_t kEnough = 2;
  for (const kernel::IndexDecision& one : decisions) {
    if (!lines.is_new(one.line)) continue;
    Case& known = cases_[{one.line, one.column, one.number}];
    if (known.text.empty()) {
      known.text = lines.text(one.line);
      known.is_comparison =
          one.is_comparison && (lines.mentions(one.line, "blockDim") ||
                                std::any_of(named.begin(), named.end(), [&](const auto& name) {
                                  return lines.mentions(one.line, name.name);
                                }));
    }
    if (known.numbers.size() < kEnough) known.numbers.insert({one.a, one.b});
    if (known.outcomes.size() < kEnough) known.outcomes.insert(one.outcome);
  }
}

std::vector<std::string> CaseLog::lonely() const {
  std::vector<std::string> texts;
  for (const auto& [key, one] : cases_) {
    if (one.outcomes.size() > 1 || (one.numbers.size() < 2 && !one.is_comparison)) continue;
    texts.push_back(fmt::format("line {}: {}", std::get<0>(key), one.text));
    if (texts.size() > 1 && texts.back() == texts[texts.size() - 2]) texts.pop_back();
  }
  return texts;
}

}  // namespace heddle::audit
