#include "config/gpu_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "config/gpu_check.h"
#include "config/gpu_keys.h"
#include "config/gpu_value.h"
#include "support/lists.h"
#include "support/spelling.h"
#include "support/text.h"

namespace heddle::config {
namespace {

using NodeKind = TomlNode::Kind;
using Keys = std::vector<std::string>;

constexpr std::size_t kMostModes = 32;
constexpr std::size_t kLongestModeName = 32;
constexpr std::string_view kEstimated = "estimated";

Keys section_names() {
  Keys names;
  for (const GpuSection& section : gpu_sections()) names.emplace_back(section.name);
  return names;
}

Keys file_keys() {
  Keys keys = {"title", "target", "vendor", "calibrated", "remarks"};
  const Keys sections = section_names();
  append(keys, sections);
  keys.insert(keys.end(), {"modes", "sources"});
  return keys;
}

Keys keys_of_section(std::string_view section) {
  Keys keys;
  for (const GpuKey& key : gpu_keys()) {
    if (key.section == section) keys.emplace_back(key.name);
  }
  return keys;
}

/// Every run of white space becomes one blank.
std::string one_line(std::string_view text) {
  std::string result;
  for (const char c : trim(text)) {
    const bool is_space = c == ' ' || (c >= '\t' && c <= '\r');
    if (!is_space)
      result += c;
    else if (result.back() != ' ')
      result += ' ';
  }
  return result;
}

class GpuReader {
 public:
  GpuReader(const std::string& name, const std::string& shown, const TomlNode& root)
      : shown_(shown), root_(root) {
    start_.name = name;
    start_.path = shown;
  }

  std::vector<Gpu> run() {
    check_keys(root_, file_keys(), "a GPU file");
    read_head();
    read_sources();
    for (const TomlNode& item : root_.items) {
      if (is_section(item.key)) check_section(item);
    }
    read_modes();
    std::vector<Gpu> gpus;
    if (modes_.empty()) gpus.push_back(read_mode(nullptr));
    for (const TomlNode* mode : modes_) gpus.push_back(read_mode(mode));
    return gpus;
  }

 private:
  [[noreturn]] void fail(Position position, std::string what, std::string hint) const {
    throw Error(std::move(what), std::move(hint)).at(shown_, position);
  }

  static bool is_section(std::string_view name) {
    return std::ranges::any_of(gpu_sections(),
                               [&](const GpuSection& section) { return section.name == name; });
  }

  void check_keys(const TomlNode& table, const Keys& allowed, std::string_view what) const {
    for (const TomlNode& item : table.items) {
      if (is_one_of(item.key, allowed)) continue;
      fail(item.key_position, fmt::format("'{}' is not a key of {}", item.key, what),
           fmt::format("{}the keys are: {}", did_you_mean(item.key, allowed), word_list(allowed)));
    }
  }

  void need_table(const TomlNode& node, std::string_view name) const {
    if (node.kind == NodeKind::table) return;
    fail(node.position, fmt::format("'{}' must be a table, not {}", name, node.kind_text()),
         fmt::format("write [{}] and its keys in the lines below", name));
  }

  std::string text_of(const TomlNode& node, std::string_view sample) const {
    if (node.kind == NodeKind::text && !trim(node.text).empty()) return one_line(node.text);
    fail(node.position,
         fmt::format("'{}' must be a text, not {}", node.key,
                     node.kind == NodeKind::text ? "an empty one" : node.kind_text()),
         fmt::format("write {} = \"{}\"", node.key, sample));
  }

  const TomlNode& needed(std::string_view key, std::string_view sample) const {
    if (const TomlNode* node = root_.find(key)) return *node;
    fail({}, fmt::format("the file has no '{}'", key), fmt::format("add {} = {}", key, sample));
  }

  void read_head() {
    start_.title = text_of(needed("title", "\"AMD Instinct MI300X\""), "AMD Instinct MI300X");
    start_.target = text_of(needed("target", "\"gfx942\""), "gfx942");
    const TomlNode& vendor = needed("vendor", "\"amd\" or \"nvidia\"");
    const std::string word = text_of(vendor, "amd");
    if (word != "amd" && word != "nvidia")
      fail(vendor.position, fmt::format("'{}' is not a vendor that heddle knows", word),
           "use amd or nvidia: it decides how requests are counted and blocks handed out");
    start_.vendor = word == "amd" ? Vendor::amd : Vendor::nvidia;
    const TomlNode& calibrated = needed("calibrated", "false");
    if (calibrated.kind != NodeKind::boolean)
      fail(calibrated.position, "'calibrated' is true or false", "write calibrated = false");
    start_.calibrated = calibrated.boolean;
    if (const TomlNode* remarks = root_.find("remarks"))
      start_.remarks = text_of(*remarks, "what is unsure");
  }

  void read_sources() {
    const TomlNode* sources = root_.find("sources");
    if (sources == nullptr) return;
    need_table(*sources, "sources");
    for (const TomlNode& source : sources->items) {
      if (source.key == kEstimated)
        fail(source.key_position, "'estimated' is not a source",
             "give the source another name; from = \"estimated\" needs none");
      sources_.emplace(source.key, text_of(source, "AMD CDNA 3 white paper"));
    }
  }

  void check_section(const TomlNode& section) const {
    need_table(section, section.key);
    check_keys(section, keys_of_section(section.key), fmt::format("[{}]", section.key));
  }

  void read_modes() {
    const TomlNode* modes = root_.find("modes");
    if (modes == nullptr) return;
    need_table(*modes, "modes");
    if (modes->items.size() > kMostModes)
      fail(modes->position, fmt::format("the file has {} modes", modes->items.size()),
           fmt::format("there may be {}", kMostModes));
    for (const TomlNode& mode : modes->items) {
      need_table(mode, "modes." + mode.key);
      check_mode_name(mode);
      Keys allowed = section_names();
      allowed.emplace_back("remarks");
      check_keys(mode, allowed, "a mode");
      for (const TomlNode& item : mode.items) {
        if (is_section(item.key)) check_section(item);
      }
      modes_.push_back(&mode);
      start_.modes.push_back(mode.key);
    }
  }

  void check_mode_name(const TomlNode& mode) const {
    const auto is_letter = [](char c) {
      return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
             c == '-' || c == '_';
    };
    if (mode.key.empty() || mode.key.size() > kLongestModeName ||
        !std::ranges::all_of(mode.key, is_letter))
      fail(mode.key_position, fmt::format("'{}' cannot be the name of a mode", mode.key),
           "use letters, digits and '-': CPX, CPX-NPS4");
    for (const TomlNode* other : modes_) {
      if (lower_case(other->key) != lower_case(mode.key)) continue;
      fail(mode.key_position,
           fmt::format("modes '{}' and '{}' differ in capitals alone", other->key, mode.key),
           "give one of them another name");
    }
  }

  /// The file's numbers, each replaced by the mode's where that has one.
  Gpu read_mode(const TomlNode* mode) {
    gpu_ = start_;
    places_.clear();
    if (mode != nullptr) {
      gpu_.mode = mode->key;
      if (const TomlNode* remarks = mode->find("remarks"))
        gpu_.remarks += (gpu_.remarks.empty() ? "" : " ") + text_of(*remarks, "what is unsure");
    }
    for (const TomlNode& section : root_.items) {
      if (is_section(section.key)) read_section(section, mode ? mode->find(section.key) : nullptr);
    }
    if (mode != nullptr) {
      for (const TomlNode& section : mode->items) {
        if (is_section(section.key) && root_.find(section.key) == nullptr)
          read_section(section, nullptr);
      }
    }
    check_complete(mode);
    if (const std::optional<GpuFault> fault = find_fault(gpu_)) {
      const auto place = places_.find(fault->key);
      const bool is_usual = mode == nullptr || mode == modes_.front();
      fail(place == places_.end() ? Position{} : place->second,
           is_usual ? fault->what : fmt::format("in mode {}: {}", mode->key, fault->what),
           fault->hint);
    }
    return std::move(gpu_);
  }

  void read_section(const TomlNode& section, const TomlNode* changes) {
    for (const TomlNode& item : section.items) {
      const TomlNode* change = changes != nullptr ? changes->find(item.key) : nullptr;
      read_number(section.key, change != nullptr ? *change : item);
    }
    if (changes == nullptr) return;
    for (const TomlNode& item : changes->items) {
      if (section.find(item.key) == nullptr) read_number(section.key, item);
    }
  }

  /// name = { is = 8, from = "source", why = "..." }
  void read_number(const std::string& section, const TomlNode& node) {
    const GpuKey& key = *find_gpu_key(section, node.key);
    if (node.kind != NodeKind::table)
      fail(node.position, fmt::format("{} has no source", key.text()),
           fmt::format("write {} = {{ is = {}, from = \"SOURCE\" }}, or from = \"estimated\" with "
                       "why = \"...\"",
                       node.key, node.kind == NodeKind::text ? "\"...\"" : "..."));
    check_keys(node, {"is", "from", "why"}, key.text());
    const TomlNode* value = node.find("is");
    if (value == nullptr)
      fail(node.position, fmt::format("{} has no 'is'", key.text()),
           fmt::format("write {} = {{ is = 8, from = \"SOURCE\" }}", node.key));
    GpuFact fact;
    fact.key = key.text();
    fact.value = written_value(*value);
    if (const TomlNode* why = node.find("why"))
      fact.note = text_of(*why, "measured on one machine");
    fact.source = source_of(key, node, fact.note);
    try {
      set_gpu_value(gpu_, key, *value);
    } catch (const Error& error) {
      throw error.in(shown_);
    }
    places_[fact.key] = value->position;
    gpu_.facts.push_back(std::move(fact));
  }

  std::string source_of(const GpuKey& key, const TomlNode& node, const std::string& note) const {
    const TomlNode* from = node.find("from");
    if (from == nullptr)
      fail(node.position, fmt::format("{} has no source", key.text()),
           "add from = \"SOURCE\", a key of [sources], or from = \"estimated\" with why = \"...\"");
    std::string name = text_of(*from, "estimated");
    if (name == kEstimated) {
      if (note.empty())
        fail(node.position, fmt::format("{} is estimated, but does not say why", key.text()),
             "add why = \"...\": what the number was taken from");
      return name;
    }
    const auto found = sources_.find(name);
    if (found != sources_.end()) return found->second;
    Keys known = {std::string(kEstimated)};
    for (const auto& [source, citation] : sources_) known.push_back(source);
    fail(from->position, fmt::format("'{}' is not in [sources]", name),
         fmt::format("{}add it there, or use one of: {}", did_you_mean(name, known),
                     word_list(known)));
  }

  void check_complete(const TomlNode* mode) const {
    for (const GpuSection& section : gpu_sections()) {
      if (has_section(gpu_, section.name)) continue;
      // An optional section that is there but empty.
      const TomlNode* node = root_.find(section.name);
      if (node == nullptr && mode != nullptr) node = mode->find(section.name);
      if (node != nullptr)
        fail(node->key_position, fmt::format("[{}] is empty", section.name),
             fmt::format("add its keys: {}", word_list(keys_of_section(section.name))));
    }
    for (const GpuKey& key : gpu_keys()) {
      if (key.is_optional || !has_section(gpu_, key.section) || places_.contains(key.text()))
        continue;
      const TomlNode* section = root_.find(key.section);
      if (section == nullptr && mode != nullptr) section = mode->find(key.section);
      const std::string line = fmt::format("{} = {{ is = ..., from = \"SOURCE\" }}", key.name);
      if (section == nullptr)
        fail({}, fmt::format("the file has no [{}]", key.section),
             fmt::format("add it, with {}", word_list(keys_of_section(key.section))));
      fail(section->key_position, fmt::format("[{}] has no '{}'", key.section, key.name),
           fmt::format("add {}", line));
    }
  }

  std::string shown_;
  const TomlNode& root_;
  Gpu start_;  ///< what all modes share
  Gpu gpu_;    ///< the mode being read
  std::map<std::string, std::string> sources_;
  std::vector<const TomlNode*> modes_;
  std::map<std::string, Position> places_;  ///< of the values of gpu_
};

}  // namespace

std::vector<Gpu> gpus_of_file(const std::string& name, const std::string& shown_path,
                              const TomlNode& root) {
  return GpuReader(name, shown_path, root).run();
}

}  // namespace heddle::config
