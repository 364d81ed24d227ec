#include "optlog/claim.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <optional>

#include "optlog/figures.h"
#include "support/text.h"

namespace heddle::optlog {
namespace {

constexpr std::size_t kReach = 32;  // how far around a figure its words are looked for

bool contains(std::string_view text, std::string_view word) {
  return text.find(word) != std::string_view::npos;
}

bool contains_any(std::string_view text, std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words) {
    if (contains(text, word)) return true;
  }
  return false;
}

bool speaks_of_hit_rate(std::string_view text) {
  return contains_any(text, {"hit rate", "hit-rate", "hitrate", "hit ratio"});
}

bool speaks_of_speed(std::string_view text) {
  return contains_any(text, {"time", "perform", "speed", "execution", "duration", "slow", "fast"});
}

double rounded(double value, double steps) {
  return std::round(value * steps) / steps;
}

/// The next sentence in lower case; moves `at` past it.
std::string next_sentence(std::string_view text, std::size_t& at) {
  const std::size_t begin = at;
  const auto is_blank_at = [&](std::size_t place) {
    return place >= text.size() || text[place] == ' ' || text[place] == '\t' ||
           text[place] == '\n' || text[place] == '\r';
  };
  while (at < text.size() && at - begin < kLongestSentence) {
    const char c = text[at++];
    if ((c == '.' || c == '!' || c == ';') && is_blank_at(at)) break;
    if (c != '\n') continue;
    std::size_t next = at;
    while (next < text.size() && next - at < kReach && (text[next] == ' ' || text[next] == '\t')) {
      ++next;
    }
    if (next < text.size() && contains("\r\n-*", text.substr(next, 1))) break;
  }
  return lower_case(text.substr(begin, at - begin));
}

/// One sentence and its figures, and where the words between them are.
struct Sentence {
  std::string text;
  std::vector<Figure> figures;

  std::string_view before(std::size_t index) const {
    const std::size_t end = figures[index].begin;
    const std::size_t begin = index == 0 ? 0 : figures[index - 1].end;
    return std::string_view(text).substr(begin, end - begin);
  }
  std::string_view after(std::size_t index) const {
    std::string_view rest(text);
    rest.remove_prefix(figures[index].end);
    const std::size_t begin = rest.find_first_not_of(" \t\r\n-(");
    return begin == std::string_view::npos ? std::string_view() : rest.substr(begin, kReach);
  }
};

enum class Subject { hit_rate, time };

bool is_of(Subject subject, Unit unit) {
  return subject == Subject::hit_rate ? unit == Unit::per_cent : is_time(unit);
}

double value_of(const Figure& figure, Unit unit) {
  return is_time(unit) ? to_milliseconds(figure.value, unit) : figure.value;
}

struct Pair {
  std::optional<double> before;
  std::optional<double> after;
};

bool joins_pair(std::string_view between) {
  const std::string_view joint = trim(between);
  return joint == "to" || joint == "->" || joint == "-->" || joint == "=>" ||
         joint == "\xE2\x86\x92";
}

/// "from A to B" of the subject's unit; the first one that is not about the L1.
Pair find_pair(const Sentence& sentence, Subject subject) {
  for (std::size_t index = 0; index + 1 < sentence.figures.size(); ++index) {
    const Figure& first = sentence.figures[index];
    const Figure& second = sentence.figures[index + 1];
    if (!is_of(subject, second.unit) || !joins_pair(sentence.before(index + 1))) continue;
    if (first.unit != Unit::none && !is_of(subject, first.unit)) continue;
    const std::string_view words = sentence.before(index);
    if (subject == Subject::hit_rate && contains(words, "l1") && !contains(words, "l2")) continue;
    const Unit first_unit = first.unit == Unit::none ? second.unit : first.unit;
    return {value_of(first, first_unit), value_of(second, second.unit)};
  }
  return {};
}

/// "before: A", "after: B", each on its own.
Pair find_sides(const Sentence& sentence, Subject subject) {
  Pair pair;
  for (std::size_t index = 0; index < sentence.figures.size(); ++index) {
    const Figure& figure = sentence.figures[index];
    if (!is_of(subject, figure.unit)) continue;
    const std::string_view words = sentence.before(index);
    if (subject == Subject::hit_rate && contains(words, "l1") && !contains(words, "l2")) continue;
    if (!pair.before && contains_any(words, {"before", "baseline", "original"})) {
      pair.before = value_of(figure, figure.unit);
    } else if (!pair.after && contains(words, "after")) {
      pair.after = value_of(figure, figure.unit);
    }
  }
  return pair;
}

/// The words around "no change", up to the nearest comma, bracket, "but" or "while"; empty
/// without one.
std::string_view unchanged_clause(std::string_view text) {
  std::size_t at = std::string_view::npos;
  for (const std::string_view words : {"no change", "unchanged", "did not change"}) {
    at = std::min(at, text.find(words));
  }
  if (at == std::string_view::npos) return {};
  std::size_t begin = text.find_last_of(",;()", at) + 1;  // npos + 1 is 0
  std::size_t end = std::min(text.find_first_of(",;)", at), text.size());
  for (const std::string_view joint : {" but ", " while "}) {
    const std::size_t left = text.substr(0, at).rfind(joint);
    if (left != std::string_view::npos) begin = std::max(begin, left);
    end = std::min(end, text.find(joint, at));
  }
  return text.substr(begin, end - begin);
}

/// "unchanged at A": both sides, where the clause holds exactly one such figure.
Pair find_unchanged(std::string_view clause, Subject subject) {
  std::optional<double> value;
  for (const Figure& figure : find_figures(clause)) {
    if (!is_of(subject, figure.unit)) continue;
    if (value) return {};
    value = value_of(figure, figure.unit);
  }
  return {value, value};
}

Pair read_pair(const Sentence& sentence, std::string_view unchanged, Subject subject) {
  Pair pair = find_pair(sentence, subject);
  if (!pair.before) pair = find_sides(sentence, subject);
  if (!pair.before && !pair.after) pair = find_unchanged(unchanged, subject);
  return pair;
}

enum class Direction { none, faster, slower };

Direction direction_at_start(std::string_view words) {
  for (const std::string_view word : {"slowdown", "slow-down", "slow down", "slower"}) {
    if (words.starts_with(word)) return Direction::slower;
  }
  for (const std::string_view word : {"speedup", "speed-up", "speed up", "faster"}) {
    if (words.starts_with(word)) return Direction::faster;
  }
  return Direction::none;
}

/// The direction that the last such word of the text names.
Direction last_direction(std::string_view text) {
  const std::size_t slow = text.rfind("slow");
  const std::size_t speed = text.rfind("speed");
  const std::size_t fast = text.rfind("fast");
  const auto rank = [](std::size_t place) {
    return place == std::string_view::npos ? 0 : place + 1;
  };
  const std::size_t faster = std::max(rank(speed), rank(fast));
  if (rank(slow) > faster) return Direction::slower;
  return faster > 0 ? Direction::faster : Direction::none;
}

struct Change {
  Direction direction = Direction::none;
  double figure = 0;
};

/// The "1.15x" of the sentence: one that "speedup" or "slowdown" follows, else one that follows
/// such a word, else any in a sentence about performance.
Change find_factor(const Sentence& sentence) {
  Change best;
  int best_rank = 0;
  for (std::size_t index = 0; index < sentence.figures.size(); ++index) {
    const Figure& figure = sentence.figures[index];
    if (figure.unit != Unit::factor || figure.value <= 0) continue;
    int rank = 3;
    Direction direction = direction_at_start(sentence.after(index));
    if (direction == Direction::none) {
      rank = 2;
      const std::string_view words = sentence.before(index);
      direction = last_direction(words.substr(words.size() - std::min(words.size(), kReach)));
    }
    if (direction == Direction::none && speaks_of_speed(sentence.text)) {
      rank = 1;
      direction = last_direction(sentence.text);
      if (direction == Direction::none) direction = Direction::faster;
    }
    if (direction == Direction::none || rank <= best_rank) continue;
    best = {direction, figure.value};
    best_rank = rank;
  }
  return best;
}

/// The "6.8% slower" of the sentence.
Change find_per_cent(const Sentence& sentence) {
  for (std::size_t index = 0; index < sentence.figures.size(); ++index) {
    if (sentence.figures[index].unit != Unit::per_cent) continue;
    const Direction direction = direction_at_start(sentence.after(index));
    if (direction != Direction::none) return {direction, sentence.figures[index].value};
  }
  return {};
}

void compare(const Change& factor, const Change& per_cent, std::vector<std::string>& remarks) {
  if (factor.direction == Direction::none || per_cent.direction == Direction::none) return;
  const double share = per_cent.figure / 100;
  const double slack = 0.05 * std::max(1.0, factor.figure);  // factors are written rounded
  const bool agree = std::abs(1 + share - factor.figure) <= slack ||
                     (share < 1 && std::abs(1 / (1 - share) - factor.figure) <= slack);
  if (factor.direction == per_cent.direction && agree) return;
  const auto word = [](Direction direction) {
    return direction == Direction::slower ? "slower" : "faster";
  };
  remarks.push_back(fmt::format("the profile says both {}x {} and {}% {}", factor.figure,
                                word(factor.direction), per_cent.figure, word(per_cent.direction)));
}

std::optional<double> read_speedup(const Sentence& sentence, std::string_view unchanged,
                                   std::vector<std::string>& remarks) {
  const Change factor = find_factor(sentence);
  const Change per_cent = find_per_cent(sentence);
  compare(factor, per_cent, remarks);
  if (factor.direction == Direction::faster) return factor.figure;
  if (factor.direction == Direction::slower) {
    if (per_cent.direction == Direction::slower) return speedup_of_slower(per_cent.figure);
    return rounded(1 / factor.figure, 1e3);
  }
  if (per_cent.direction == Direction::slower) return speedup_of_slower(per_cent.figure);
  if (per_cent.direction == Direction::faster) return rounded(1 + per_cent.figure / 100, 1e6);
  if (speaks_of_speed(unchanged)) return 1.0;
  return std::nullopt;
}

void read_sentence(const Sentence& sentence, ClaimReading& reading) {
  Claim& claim = reading.claim;
  const std::string_view unchanged = unchanged_clause(sentence.text);
  const auto keep_first = [](std::optional<double>& place, const std::optional<double>& value) {
    if (!place) place = value;
  };
  if (speaks_of_hit_rate(sentence.text)) {
    const Pair hits = read_pair(sentence, unchanged, Subject::hit_rate);
    keep_first(claim.hit_before, hits.before);
    keep_first(claim.hit_after, hits.after);
  }
  const Pair times = read_pair(sentence, unchanged, Subject::time);
  keep_first(claim.time_before_ms, times.before);
  keep_first(claim.time_after_ms, times.after);
  if (!claim.speedup) claim.speedup = read_speedup(sentence, unchanged, reading.remarks);
}

void add_remarks(ClaimReading& reading) {
  const Claim& claim = reading.claim;
  if (is_empty(claim)) {
    reading.remarks.emplace_back("the profile says nothing readable");
    return;
  }
  if (claim.hit_before.value_or(0) > 100 || claim.hit_after.value_or(0) > 100) {
    reading.remarks.emplace_back("the profile claims a hit rate over 100 per cent");
  }
  if (claim.speedup && claim.time_before_ms && claim.time_after_ms) {
    const bool shorter = *claim.time_after_ms < *claim.time_before_ms;
    const bool longer = *claim.time_after_ms > *claim.time_before_ms;
    if ((*claim.speedup > 1 && longer) || (*claim.speedup < 1 && shorter)) {
      reading.remarks.emplace_back("the profile's times contradict its speedup");
    }
  }
}

}  // namespace

ClaimReading read_claim(std::string_view paragraph) {
  ClaimReading reading;
  std::size_t at = 0;
  while (at < paragraph.size()) {
    Sentence sentence;
    sentence.text = next_sentence(paragraph, at);
    sentence.figures = find_figures(sentence.text);
    read_sentence(sentence, reading);
  }
  add_remarks(reading);
  return reading;
}

bool is_empty(const Claim& claim) {
  return !claim.hit_before && !claim.hit_after && !claim.speedup && !claim.time_before_ms &&
         !claim.time_after_ms;
}

double speedup_of_slower(double per_cent) {
  return rounded(1 / (1 + per_cent / 100), 1e3);
}

}  // namespace heddle::optlog
