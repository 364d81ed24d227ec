#include <heddle/heddle.h>

#include <algorithm>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "command.h"
#include "notes.h"
#include "output.h"
#include "support/error.h"
#include "support/temporary_folder.h"
#include "support/version.h"

struct heddle_result {
  int exit_code = 0;
  std::string json;
  std::string messages;
  nlohmann::json document;
};

namespace {

using heddle::Error;
using heddle::ExitCode;
using Words = std::vector<std::string>;

/// What there is when there is no room for a result; never freed.
heddle_result g_no_memory = {
    static_cast<int>(ExitCode::missing), "", "heddle: not enough memory\n", {}};

/// Verbs use state of the process: signals, loudness, where print goes.
std::mutex g_one_call;

/// A word that must not be read as a flag or as standard input.
std::string file_word(const char* path) {
  const std::string word = path == nullptr ? "" : path;
  if (word.empty() || word == "-")
    throw Error("no file is named", "give a path; standard input is not read");
  return word.front() == '-' ? "./" + word : word;
}

void append_flags(Words& words, const char* const* flags) {
  for (; flags != nullptr && *flags != nullptr; ++flags) {
    if (std::string_view(*flags) == "-")
      throw Error("standard input is not read", "give the text, or a file");
    words.emplace_back(*flags);
  }
}

void run(Words words, heddle_result& result) {
  words.insert(words.begin(), "heddle");
  if (std::ranges::find(words, "--json") == words.end()) words.emplace_back("--json");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  const std::lock_guard lock(g_one_call);
  const heddle::tool::Capture capture(result.json, result.messages);
  result.exit_code =
      heddle::tool::run_command(static_cast<int>(arguments.size()), arguments.data());
}

void fail(heddle_result& result, const Error& error) {
  result.exit_code = static_cast<int>(error.code());
  result.messages += "heddle: " + error.full_text() + "\n";
  result.json = heddle::tool::error_json(error);
}

/// What `make_words` says, run; whatever goes wrong becomes a result.
template <class MakeWords>
heddle_result* answer(const MakeWords& make_words) {
  heddle_result* result = nullptr;
  try {
    result = new heddle_result;
    try {
      run(make_words(), *result);
    } catch (const Error& error) {
      fail(*result, error);
    } catch (const std::exception& error) {
      fail(*result, Error(error.what(), "please report it", ExitCode::missing));
    }
    result->document = nlohmann::json::parse(result->json, nullptr, false);
    return result;
  } catch (...) {
    delete result;
    return &g_no_memory;
  }
}

/// Null if there is nothing there.
const nlohmann::json* find(const heddle_result* result, const char* place) {
  if (result == nullptr || place == nullptr) return nullptr;
  try {
    const nlohmann::json::json_pointer pointer{std::string(place)};
    return result->document.contains(pointer) ? &result->document.at(pointer) : nullptr;
  } catch (const nlohmann::json::exception&) {
    return nullptr;
  }
}

bool has_flag(const char* const* flags, std::string_view name) {
  for (; flags != nullptr && *flags != nullptr; ++flags)
    if (std::string_view(*flags).starts_with(name)) return true;
  return false;
}

}  // namespace

extern "C" {

const char* heddle_version(void) {
  static const std::string kVersion = heddle::version_text();
  return kVersion.c_str();
}

int heddle_abi_version(void) {
  return HEDDLE_ABI_VERSION;
}

heddle_result* heddle_check(const char* order, const char* const* flags) {
  return answer([&] {
    if (order == nullptr || std::string_view(order) == "-")
      throw Error("no order is given", "give a formula, a family or a file");
    Words words = {"check", std::string("--order=") + order};
    append_flags(words, flags);
    return words;
  });
}

heddle_result* heddle_check_kernel(const char* job, const char* const* flags) {
  return answer([&] {
    Words words = {"check", file_word(job)};
    append_flags(words, flags);
    return words;
  });
}

heddle_result* heddle_trace(const char* job, const char* const* flags) {
  return answer([&] {
    Words words = {"trace", file_word(job)};
    append_flags(words, flags);
    return words;
  });
}

heddle_result* heddle_simulate(const char* job, const char* gpu, const char* const* flags) {
  return answer([&] {
    Words words = {"simulate", file_word(job), "--gpu", file_word(gpu)};
    append_flags(words, flags);
    return words;
  });
}

heddle_result* heddle_optimize(const char* job, const char* gpu, const char* const* flags) {
  std::optional<heddle::TemporaryFolder> folder;
  return answer([&] {
    Words words = {"optimize", file_word(job), "--gpu", file_word(gpu)};
    append_flags(words, flags);
    if (has_flag(flags, "-o") || has_flag(flags, "--output")) return words;
    folder.emplace();
    words.insert(words.end(), {"-o", folder->path() + "/out"});
    return words;
  });
}

heddle_result* heddle_audit_patch(const char* before, const char* after, const char* const* flags) {
  return answer([&] {
    Words words = {"audit", "--patch", file_word(before), file_word(after)};
    append_flags(words, flags);
    return words;
  });
}

heddle_result* heddle_audit_log(const char* log, const char* const* flags) {
  return answer([&] {
    Words words = {"audit", file_word(log)};
    append_flags(words, flags);
    return words;
  });
}

int heddle_exit_code_of(const heddle_result* result) {
  return result == nullptr ? static_cast<int>(ExitCode::usage) : result->exit_code;
}

const char* heddle_json(const heddle_result* result) {
  return result == nullptr ? "" : result->json.c_str();
}

const char* heddle_messages(const heddle_result* result) {
  return result == nullptr ? "" : result->messages.c_str();
}

const char* heddle_text(const heddle_result* result, const char* place) {
  const nlohmann::json* const found = find(result, place);
  if (found == nullptr || !found->is_string()) return nullptr;
  return found->get_ref<const std::string&>().c_str();
}

int heddle_number(const heddle_result* result, const char* place, double* number) {
  const nlohmann::json* const found = find(result, place);
  if (found == nullptr || !found->is_number() || number == nullptr) return 0;
  *number = found->get<double>();
  return 1;
}

void heddle_free(heddle_result* result) {
  if (result != &g_no_memory) delete result;
}

}  // extern "C"
