#include "bundle.h"

#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "failure.h"
#include "statistics.h"
#include "words.h"

namespace heddle::agent {
namespace {

using Words = std::vector<std::string_view>;

constexpr std::uint32_t kMostNumber = std::numeric_limits<std::int32_t>::max();

/// Reads statements one after the other; what is being read is the last launch, until its `end`.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Bundle read() {
    if (text_.size() > bounds::kFileBytes) fail("is larger than 16 MiB", "split the work");
    bool first = true;
    while (!text_.empty()) {
      ++line_;
      const std::size_t end = text_.find('\n');
      std::string_view line = text_.substr(0, end);
      text_.remove_prefix(end == std::string_view::npos ? text_.size() : end + 1);
      if (line.size() > bounds::kLineBytes) fail("the line is longer than 64 KiB", kWrite);
      if (line.find('\0') != std::string_view::npos) fail("the line has a zero byte", kWrite);
      if (line.empty() || line.front() == '#') continue;
      if (first && line != "heddle-bundle 1")
        fail("a bundle begins with 'heddle-bundle 1', not with '" + shown(line) + "'",
             "use the agent and the heddle of one version");
      if (!first) statement(line);
      first = false;
    }
    ++line_;
    if (first) fail("it is empty", kWrite);
    if (in_launch_) fail("launch " + launch().name + " has no 'end'", kWrite);
    complete();
    return std::move(bundle_);
  }

 private:
  static constexpr const char* kWrite = "let heddle bundle write it; docs/agent.md has the format";

  [[noreturn]] void fail(const std::string& what, const std::string& attempt) const {
    throw Failure(kUsage, "bundle.txt, line " + std::to_string(line_) + ": " + what, attempt);
  }

  static std::string shown(std::string_view text) { return printable(text, 80); }

  void statement(std::string_view line) {
    using Handler = void (Reader::*)(std::string_view);
    static const std::map<std::string_view, Handler> outside = {{"job", &Reader::job},
                                                                {"gpu", &Reader::gpu},
                                                                {"language", &Reader::language},
                                                                {"function", &Reader::function},
                                                                {"define", &Reader::define},
                                                                {"seeds", &Reader::seeds},
                                                                {"limit_s", &Reader::limit},
                                                                {"rounds", &Reader::rounds},
                                                                {"budget_s", &Reader::budget},
                                                                {"mode", &Reader::mode},
                                                                {"counters", &Reader::counters},
                                                                {"candidate", &Reader::candidate},
                                                                {"launch", &Reader::begin_launch}};
    static const std::map<std::string_view, Handler> inside = {
        {"grid", &Reader::grid},         {"threads", &Reader::threads},
        {"warps", &Reader::warps},       {"shared_bytes", &Reader::shared_bytes},
        {"stages", &Reader::stages},     {"tensor", &Reader::tensor},
        {"shape", &Reader::shape},       {"strides", &Reader::strides},
        {"block", &Reader::block},       {"argument", &Reader::argument},
        {"constexpr", &Reader::constant}};
    const Words parts = split_first(line, 1);
    const std::string_view word = parts[0];
    if (word == "end" && in_launch_ && parts.size() == 1) return end_launch();
    const auto& handlers = in_launch_ ? inside : outside;
    const auto found = handlers.find(word);
    if (found == handlers.end()) {
      const auto& others = in_launch_ ? outside : inside;
      if (others.contains(word) || word == "end")
        fail("'" + shown(word) + "' stands " + (in_launch_ ? "within" : "outside") + " a launch",
             in_launch_ ? "end the launch before it" : "write 'launch NAME' before it");
      fail("unknown statement '" + shown(word) + "'", kWrite);
    }
    if (parts.size() < 2) fail("'" + shown(word) + "' says nothing", kWrite);
    (this->*found->second)(parts[1]);
  }

  void job(std::string_view rest) { bundle_.job = rest; }
  void gpu(std::string_view rest) { bundle_.gpu = rest; }

  void language(std::string_view rest) {
    static const std::map<std::string_view, Language> languages = {
        {"triton", Language::triton}, {"cuda", Language::cuda}, {"hip", Language::hip}};
    const auto found = languages.find(rest);
    if (found == languages.end())
      fail("unknown language '" + shown(rest) + "'", "write triton, cuda or hip");
    bundle_.language = found->second;
    has_language_ = true;
  }

  void function(std::string_view rest) {
    const bool named = rest.find_first_not_of(" ") == 0 && rest.size() <= 4096;
    if (!named || base_name(std::string(rest)).empty())
      fail("that is not the name of a kernel", kWrite);
    bundle_.function = rest;
  }

  void define(std::string_view rest) {
    if (rest.empty() || rest.front() == '-' || rest.front() == '=')
      fail("'" + shown(rest) + "' is not a macro", "write NAME or NAME=VALUE");
    bound(bundle_.defines.size(), bounds::kDefines, "defines");
    bundle_.defines.emplace_back(rest);
  }

  void seeds(std::string_view rest) {
    bundle_.seeds.clear();
    for (const std::string_view word : split(rest)) {
      bound(bundle_.seeds.size(), bounds::kSeeds, "seeds");
      const auto seed = natural(word);
      if (!seed) fail("'" + shown(word) + "' is not a seed", "write numbers from 0");
      for (const std::uint64_t other : bundle_.seeds)
        if (other == *seed) fail("seed " + std::to_string(*seed) + " stands there twice", kWrite);
      bundle_.seeds.push_back(*seed);
    }
  }

  void limit(std::string_view rest) { bundle_.limit_s = number(rest, 1, 86'400); }
  void rounds(std::string_view rest) { bundle_.rounds = number(rest, kLeastRounds, 100'000); }
  void budget(std::string_view rest) { bundle_.budget_s = number(rest, 1, 86'400); }

  void mode(std::string_view rest) {
    if (rest != "lean" && rest != "full")
      fail("unknown mode '" + shown(rest) + "'", "write full or lean");
    bundle_.lean = rest == "lean";
  }

  void counters(std::string_view rest) {
    counted_.clear();
    for (const std::string_view word : split(rest)) {
      const auto number = natural(word);
      if (!number || *number >= bounds::kCandidates)
        fail("'" + shown(word) + "' is not a candidate", "write numbers of candidates");
      counted_.push_back(static_cast<std::size_t>(*number));
    }
    says_counters_ = true;
  }

  /// All; of a lean bundle the original, one in the middle and the last.
  std::vector<std::size_t> usual_counters() const {
    const std::size_t count = bundle_.candidates.size();
    std::set<std::size_t> numbers = {0, count / 2, count - 1};
    for (std::size_t i = 0; i < count && !bundle_.lean; ++i) numbers.insert(i);
    return {numbers.begin(), numbers.end()};
  }

  void candidate(std::string_view rest) {
    const Words words = split_first(rest, 2);
    if (words.size() < 2) fail("a candidate has a number and a file", kWrite);
    bound(bundle_.candidates.size(), bounds::kCandidates, "candidates");
    if (natural(words[0]) != bundle_.candidates.size())
      fail("candidate '" + shown(words[0]) + "' is out of turn",
           "number them 0, 1, 2, ...; this one is " + std::to_string(bundle_.candidates.size()));
    bundle_.candidates.push_back(
        {path(words[1]), words.size() > 2 ? std::string(words[2]) : std::string()});
  }

  void begin_launch(std::string_view rest) {
    bound(bundle_.launches.size(), bounds::kLaunches, "launches");
    name(rest);
    for (const Launch& other : bundle_.launches)
      if (other.name == rest) fail("there are two launches '" + shown(rest) + "'", kWrite);
    bundle_.launches.emplace_back();
    launch().name = rest;
    in_launch_ = true;
  }

  void end_launch() {
    in_launch_ = false;
    if (launch().grid[0] == 0) fail("launch " + launch().name + " has no grid", kWrite);
    for (const Tensor& tensor : launch().tensors)
      if (!tensor.strides.empty() && tensor.strides.size() != tensor.shape.size())
        fail("tensor " + tensor.name + " has " + std::to_string(tensor.shape.size()) +
                 " sizes and " + std::to_string(tensor.strides.size()) + " strides",
             "write as many of each");
  }

  void grid(std::string_view rest) { three(rest, launch().grid, 1, kMostNumber); }

  void threads(std::string_view rest) {
    three(rest, launch().threads, 0, 1024);
    const auto& threads = launch().threads;
    if (std::uint64_t{threads[0]} * threads[1] * threads[2] > 1024)
      fail("a block has at most 1024 threads", kWrite);
  }

  void shared_bytes(std::string_view rest) { launch().shared_bytes = number(rest, 0, 1U << 20); }
  void warps(std::string_view rest) { launch().warps = number(rest, 0, 64); }
  void stages(std::string_view rest) { launch().stages = number(rest, 0, 64); }

  void tensor(std::string_view rest) {
    const Words words = split(rest);
    if (words.size() < 5) fail("a tensor has a name, a type, bytes, a use and contents", kWrite);
    bound(launch().tensors.size(), bounds::kPerLaunch, "tensors");
    Tensor tensor;
    tensor.name = name(words[0]);
    for (const Tensor& other : launch().tensors)
      if (other.name == tensor.name) fail("there are two tensors '" + tensor.name + "'", kWrite);
    tensor.dtype = dtype(words[1]);
    const auto bytes = natural(words[2]);
    if (!bytes || *bytes == 0 || *bytes > bounds::kTensorBytes)
      fail("'" + shown(words[2]) + "' bytes", "write a number from 1 to 2^40");
    if (*bytes % bytes_of(tensor.dtype) != 0)
      fail(std::to_string(*bytes) + " bytes are not a whole number of elements", kWrite);
    tensor.bytes = *bytes;
    static const std::map<std::string_view, Use> uses = {
        {"read", Use::read}, {"write", Use::write}, {"update", Use::update}};
    const auto use = uses.find(words[3]);
    if (use == uses.end())
      fail("unknown use '" + shown(words[3]) + "'", "write read, write or update");
    tensor.use = use->second;
    tensor.contents = contents(Words(words.begin() + 4, words.end()), tensor);
    launch().tensors.push_back(std::move(tensor));
  }

  Contents contents(const Words& words, const Tensor& tensor) {
    struct Kind {
      ContentsKind kind;
      std::size_t words;  ///< 0: one or more
    };
    static const std::map<std::string_view, Kind> kinds = {
        {"random", {ContentsKind::random, 1}},   {"normal", {ContentsKind::normal, 1}},
        {"uniform", {ContentsKind::uniform, 3}}, {"constant", {ContentsKind::constant, 2}},
        {"zeros", {ContentsKind::zeros, 1}},     {"range", {ContentsKind::range, 1}},
        {"file", {ContentsKind::file, 2}},       {"addresses", {ContentsKind::addresses, 0}}};
    const auto found = kinds.find(words[0]);
    if (found == kinds.end()) fail("unknown contents '" + shown(words[0]) + "'", kWrite);
    const std::size_t wanted = found->second.words;
    if (wanted == 0 ? words.size() < 2 : words.size() != wanted)
      fail("contents '" + shown(words[0]) + "' with " + std::to_string(words.size() - 1) + " words",
           kWrite);
    Contents contents;
    contents.kind = found->second.kind;
    if (contents.kind == ContentsKind::file) contents.path = path(words[1]);
    if (contents.kind == ContentsKind::constant) contents.low = value(words[1]);
    if (contents.kind == ContentsKind::uniform) {
      contents.low = value(words[1]);
      contents.high = value(words[2]);
      // Whole numbers up to 2^53 are exact.
      if (!(std::abs(contents.low) <= 0x1p53 && std::abs(contents.high) <= 0x1p53))
        fail("bounds of uniform are numbers up to 2^53", kWrite);
      if (!(contents.low < contents.high)) fail("uniform from more to less", "write LO below HI");
    }
    if (contents.kind == ContentsKind::addresses) {
      if (bytes_of(tensor.dtype) != 8 || tensor.bytes / 8 < words.size() - 1)
        fail("addresses take 8 bytes each", "make it an int64 tensor that is large enough");
      for (std::size_t i = 1; i < words.size(); ++i) contents.tensors.push_back(index(words[i]));
    }
    return contents;
  }

  void shape(std::string_view rest) { axes(rest, &Tensor::shape, 0); }
  void strides(std::string_view rest) {
    axes(rest, &Tensor::strides, std::numeric_limits<std::int64_t>::min() / 2);
  }
  void block(std::string_view rest) { axes(rest, &Tensor::block, 1); }

  void axes(std::string_view rest, std::vector<std::int64_t> Tensor::*member, std::int64_t least) {
    const Words words = split(rest);
    std::vector<std::int64_t>& list = launch().tensors[index(words[0])].*member;
    list.clear();
    if (words.size() < 2 || words.size() > bounds::kAxes + 1)
      fail("a tensor has 1 to 8 axes", kWrite);
    for (std::size_t i = 1; i < words.size(); ++i) {
      const auto size = integer(words[i]);
      if (!size || *size < least || *size > std::numeric_limits<std::int64_t>::max() / 2)
        fail("'" + shown(words[i]) + "' along an axis", "write a number of elements");
      list.push_back(*size);
    }
  }

  void argument(std::string_view rest) {
    const Words words = split(rest);
    bound(launch().arguments.size(), bounds::kPerLaunch, "arguments");
    Argument argument;
    argument.name = name(words[0]);
    if (words.size() == 2 && words[1] == "none") {
      argument.kind = ArgumentKind::none;
    } else if (words.size() != 3) {
      fail("an argument is a tensor, a number or none", kWrite);
    } else if (words[1] == "tensor") {
      argument.kind = ArgumentKind::tensor;
      argument.tensor = index(words[2]);
    } else {
      argument.kind = ArgumentKind::number;
      const Dtype type = dtype(words[1]);
      argument.size = bytes_of(type);
      if (!encode_text(type, words[2], argument.bytes.data()))
        fail("'" + shown(words[2]) + "' is not of type " + std::string(name_of(type)), kWrite);
    }
    launch().arguments.push_back(std::move(argument));
  }

  void constant(std::string_view rest) {
    const Words words = split_first(rest, 2);
    bound(launch().constants++, bounds::kPerLaunch, "constexprs");
    name(words[0]);
    const std::string_view kind = words.size() > 1 ? words[1] : "";
    if (kind == "none" && words.size() == 2) return;
    if (words.size() != 3) fail("a constexpr has a name, a kind and a value", kWrite);
    const std::string_view text = words[2];
    const bool right = kind == "int"     ? integer(text).has_value()
                       : kind == "float" ? real(text).has_value()
                       : kind == "bool"  ? text == "0" || text == "1" || text == "true" ||
                                              text == "false" || text == "True" || text == "False"
                                        : kind == "text" || kind == "type";
    if (!right)
      fail("constexpr '" + shown(rest) + "'", "its kind is int, float, bool, text, type or none");
  }

  void complete() {
    const auto need = [&](bool there, const char* what) {
      if (!there) fail(std::string("the bundle has no ") + what, kWrite);
    };
    need(has_language_, "language");
    need(!bundle_.function.empty(), "function");
    need(!bundle_.seeds.empty(), "seeds");
    need(bundle_.limit_s != 0, "limit_s");
    need(bundle_.rounds != 0, "rounds");
    need(bundle_.budget_s != 0, "budget_s");
    need(!bundle_.candidates.empty(), "candidate 0");
    need(!bundle_.launches.empty(), "launch");
    for (const std::size_t number : counted_)
      if (number >= bundle_.candidates.size())
        fail("counters of candidate " + std::to_string(number) + ", which there is not", kWrite);
    bundle_.counters = says_counters_ ? counted_ : usual_counters();
    for (const Launch& launch : bundle_.launches)
      if (bundle_.language != Language::triton &&
          std::uint64_t{launch.threads[0]} * launch.threads[1] * launch.threads[2] == 0)
        fail("launch " + launch.name + " has no threads", "write 'threads X Y Z', of 1 or more");
  }

  Launch& launch() { return bundle_.launches.back(); }

  void bound(std::size_t size, std::size_t most, const char* what) const {
    if (size >= most)
      fail("there are more than " + std::to_string(most) + " " + what, "make the bundle smaller");
  }

  std::uint32_t number(std::string_view text, std::uint32_t least, std::uint32_t most) const {
    const auto value = natural(text);
    if (!value || *value < least || *value > most)
      fail("'" + shown(text) + "' is not in range",
           "write a number from " + std::to_string(least) + " to " + std::to_string(most));
    return static_cast<std::uint32_t>(*value);
  }

  void three(std::string_view rest, std::array<std::uint32_t, 3>& list, std::uint32_t least,
             std::uint32_t most) const {
    const Words words = split(rest);
    if (words.size() != 3) fail("three numbers belong there", "write 1 for what is not used");
    for (std::size_t i = 0; i < 3; ++i) list[i] = number(words[i], least, most);
  }

  double value(std::string_view text) const {
    const auto value = real(text);
    if (!value) fail("'" + shown(text) + "' is not a number", kWrite);
    return *value;
  }

  Dtype dtype(std::string_view text) const {
    const auto type = dtype_of(text);
    if (!type) fail("unknown type '" + shown(text) + "'", "docs/agent.md lists them");
    return *type;
  }

  /// A word that may stand in lines of the protocol and in results.
  std::string name(std::string_view text) const {
    const bool plain = text.find_first_of(" ,\"\t\r") == std::string_view::npos;
    if (text.empty() || text.size() > 200 || !plain || text == "-")
      fail("'" + shown(text) + "' is not a name", "write one word without commas and quotes");
    return std::string(text);
  }

  std::string path(std::string_view text) const {
    bool inside = !text.empty() && text.front() != '/' && text.size() <= 4000;
    for (std::size_t at = 0; at <= text.size();) {
      const std::size_t slash = std::min(text.find('/', at), text.size());
      if (text.substr(at, slash - at) == "..") inside = false;
      at = slash + 1;
    }
    if (!inside)
      fail("'" + shown(text) + "' leads out of the bundle", "use a path inside its folder");
    return std::string(text);
  }

  std::size_t index(std::string_view text) {
    const auto& tensors = launch().tensors;
    for (std::size_t i = 0; i < tensors.size(); ++i)
      if (tensors[i].name == text) return i;
    fail("there is no tensor '" + shown(text) + "' in this launch",
         "write its line before this one");
  }

  std::string_view text_;
  std::size_t line_ = 0;
  Bundle bundle_;
  bool in_launch_ = false;
  bool has_language_ = false;
  bool says_counters_ = false;
  std::vector<std::size_t> counted_;
};

}  // namespace

Bundle parse_bundle(std::string_view text) {
  return Reader(text).read();
}

std::string base_name(const std::string& function) {
  std::string name = function.substr(0, function.find('<'));
  if (const std::size_t scope = name.rfind("::"); scope != std::string::npos)
    name.erase(0, scope + 2);
  const bool plain = name.find_first_not_of(
                         "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                         "0123456789_$") == std::string::npos;
  return plain ? name : std::string();
}

}  // namespace heddle::agent
