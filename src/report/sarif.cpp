#include "report/sarif.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "report/clean_text.h"
#include "report/json_values.h"

namespace heddle::report {
namespace {

using nlohmann::json;

constexpr const char* kSchema =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

constexpr const char* kDocuments = "file:///usr/share/doc/heddle/docs";

/// A path as a relative reference: what a URI may not hold is written as %XX.
std::string uri_of(const std::string& path) {
  const std::string plain = std::filesystem::path(path).lexically_normal().string();
  std::string uri = plain.starts_with('/') ? "file://" : "";
  for (const char letter : plain) {
    const auto byte = static_cast<unsigned char>(letter);
    const bool is_plain =
        std::isalnum(byte) != 0 || std::string_view("-._~/").find(letter) != std::string_view::npos;
    uri += is_plain ? std::string(1, letter) : fmt::format("%{:02X}", byte);
  }
  return uri;
}

/// FNV-1a: the same on every machine.
std::string fingerprint(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char letter : text) {
    hash ^= static_cast<unsigned char>(letter);
    hash *= 0x100000001b3U;
  }
  return fmt::format("{:016x}", hash);
}

json rule_json(const CheckKind& check) {
  return {
      {"id", check.id},
      {"shortDescription", {{"text", check.summary}}},
      {"fullDescription", {{"text", check.explanation}}},
      {"helpUri", fmt::format("{}/checks/{}.md", kDocuments, check.id)},
      {"help", {{"text", fmt::format("docs/checks/{}.md; heddle explain {}", check.id, check.id)}}},
      {"properties", {{"cheats", check.cheats}, {"judges", check.judges}}}};
}

std::string message_of(const SarifResult& entry) {
  std::string text = entry.subject.empty() ? std::string() : entry.subject + ": ";
  text += fmt::format("{}: {}", verdict_text(entry.result->verdict), entry.result->finding);
  for (const std::string& line : entry.result->evidence) text += "\n" + line;
  return valid_utf8(text);
}

std::size_t rule_index(std::string_view id) {
  const auto& checks = audit_checks();
  for (std::size_t i = 0; i < checks.size(); ++i) {
    if (checks[i].id == id) return i;
  }
  return checks.size();
}

json result_json(const SarifResult& entry) {
  const Verdict verdict = entry.result->verdict;
  json result = {{"ruleId", entry.check},
                 {"ruleIndex", rule_index(entry.check)},
                 {"kind", "fail"},
                 {"level", verdict == Verdict::refuted ? "error" : "warning"},
                 {"message", {{"text", message_of(entry)}}},
                 {"partialFingerprints",
                  {{"heddle/v1", fingerprint(fmt::format("{}|{}|{}|{}", entry.check, entry.file,
                                                         entry.subject, entry.key))}}}};
  // Some readers want a line in any case.
  if (!entry.file.empty())
    result["locations"] = json::array({{{"physicalLocation",
                                         {{"artifactLocation", {{"uri", uri_of(entry.file)}}},
                                          {"region", {{"startLine", std::max(1, entry.line)}}}}}}});
  return result;
}

}  // namespace

json sarif_json(const std::vector<SarifResult>& results, const std::string& version) {
  json list = json::array();
  for (const SarifResult& entry : results) {
    if (entry.result->verdict != Verdict::proved) list.push_back(result_json(entry));
  }
  return {{"$schema", kSchema},
          {"version", "2.1.0"},
          {"runs", json::array({{{"tool",
                                  {{"driver",
                                    {{"name", "heddle"},
                                     {"version", version},
                                     {"rules", list_json(audit_checks(), rule_json)}}}}},
                                 {"columnKind", "utf16CodeUnits"},
                                 {"results", list}}})}};
}

}  // namespace heddle::report
