#include "protocol.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "words.h"

namespace heddle::agent {
namespace {

using Words = std::vector<std::string_view>;

constexpr std::array<std::string_view, 9> kKinds = {
    "compile", "launch", "fault", "guard", "input", "unwritten", "different", "hang", "crash"};
constexpr double kMostTime_us = 1e12;
constexpr std::uint64_t kMostSize = 1'000'000'000;

struct Form {
  Word word;
  std::size_t words;  ///< after the first
  bool text;          ///< whether the rest of the line follows them
};

const std::map<std::string_view, Form>& forms() {
  static const std::map<std::string_view, Form> forms = {
      {"fact", {Word::fact, 1, true}},          {"compiling", {Word::compiling, 1, false}},
      {"begin", {Word::begin, 3, false}},       {"equal", {Word::equal, 3, false}},
      {"close", {Word::close, 3, true}},        {"rejected", {Word::rejected, 4, true}},
      {"checked", {Word::checked, 1, false}},   {"warmed", {Word::warmed, 2, false}},
      {"sample", {Word::sample, 6, false}},     {"missing", {Word::missing, 0, true}},
      {"compiled", {Word::compiled, 4, false}}, {"bundle", {Word::bundle, 1, false}},
      {"finished", {Word::finished, 0, false}}, {"busy", {Word::busy, 0, false}},
      {"done", {Word::done, 0, false}}};
  return forms;
}

class Parser {
 public:
  Parser(const Bundle& bundle, const std::vector<std::string>& candidates)
      : bundle_(bundle), candidates_(candidates) {}

  bool parse(const Words& words, WorkerLine& line) const {
    switch (line.word) {
      case Word::fact:
        line.key = words[1];
        return line.key.size() <= 40 && !line.key.empty() &&
               line.key.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") ==
                   std::string::npos;
      case Word::compiling:
      case Word::checked:
        return candidate(words[1], line);
      case Word::begin:
      case Word::equal:
      case Word::close:
        return candidate(words[1], line) && run(words[2], words[3], line);
      case Word::rejected:
        line.key = words[4];
        return candidate(words[1], line) &&
               (run(words[2], words[3], line) || nowhere(words[2], words[3], line)) &&
               std::find(kKinds.begin(), kKinds.end(), words[4]) != kKinds.end();
      case Word::warmed:
        line.key = words[2];
        return count(words[1], 1'000'000'000, line.launches) &&
               (line.key == "stable" || line.key == "unstable");
      case Word::sample:
        return sample(words, line);
      case Word::compiled:
        return natural(words[1]) && candidate(words[1], line) &&
               size(words[2], line.sizes.registers) && size(words[3], line.sizes.shared_bytes) &&
               size(words[4], line.sizes.spills);
      case Word::bundle:
        return count(words[1], bounds::kBundles, line.round);
      default:
        return true;
    }
  }

 private:
  bool candidate(std::string_view word, WorkerLine& line) const {
    line.candidate = word;
    return word == "0" ||
           std::find(candidates_.begin(), candidates_.end(), word) != candidates_.end();
  }

  bool run(std::string_view launch, std::string_view seed, WorkerLine& line) const {
    line.launch = launch;
    line.seed = seed;
    const auto number = natural(seed);
    return number &&
           std::find(bundle_.seeds.begin(), bundle_.seeds.end(), *number) != bundle_.seeds.end() &&
           std::any_of(bundle_.launches.begin(), bundle_.launches.end(),
                       [&](const Launch& other) { return other.name == launch; });
  }

  /// Before any run: no launch, or one that it was compiled for.
  bool nowhere(std::string_view launch, std::string_view seed, WorkerLine& line) const {
    line.launch = "-";
    line.seed = "-";
    const auto is_it = [&](const Launch& other) { return other.name == launch; };
    return seed == "-" &&
           (launch == "-" || std::any_of(bundle_.launches.begin(), bundle_.launches.end(), is_it));
  }

  static bool count(std::string_view word, std::uint64_t most, std::uint64_t& number) {
    const auto value = natural(word);
    number = value.value_or(0);
    return value && *value <= most;
  }

  /// A number, or "-" for what is not known.
  static bool size(std::string_view word, std::optional<std::uint64_t>& number) {
    number = natural(word);
    return word == "-" || (number && *number <= kMostSize);
  }

  bool sample(const Words& words, WorkerLine& line) const {
    const auto time_us = real(words[6]);
    line.time_us = time_us.value_or(0);
    line.key = words[4];
    return count(words[1], bundle_.rounds, line.round) &&
           count(words[2], candidates_.size() + 1, line.position) && candidate(words[3], line) &&
           (line.key == "cold" || line.key == "warm") &&
           count(words[5], 1'000'000, line.launches) && line.launches > 0 && time_us &&
           std::isfinite(*time_us) && *time_us > 0 && *time_us < kMostTime_us;
  }

  const Bundle& bundle_;
  const std::vector<std::string>& candidates_;
};

}  // namespace

WorkerLine parse_line(std::string_view text, const Bundle& bundle,
                      const std::vector<std::string>& candidates) {
  WorkerLine line;
  const auto found = forms().find(text.substr(0, text.find(' ')));
  if (found == forms().end()) return line;
  const Form& form = found->second;
  const Words words = form.text ? split_first(text, form.words + 1) : split(text);
  const bool enough = form.text ? words.size() > form.words : words.size() == form.words + 1;
  line.word = form.word;
  if (enough && form.text && words.size() > form.words + 1) line.text = printable(words.back());
  if (!enough || !Parser(bundle, candidates).parse(words, line)) {
    line = {};
    line.word = Word::broken;
  }
  return line;
}

}  // namespace heddle::agent
