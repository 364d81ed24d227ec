// libheddle for C++17: the functions of heddle.h, with results that free themselves.
//
//   const heddle::Result result = heddle::check("xcd(8)", {"--grid", "256x256"});
//   if (result.verdict() == heddle::Verdict::proved) ...
//   heddle::simulate("gemm.toml", "mi300x").number("/predicted_time_us")
//
// Everything is inline and made of heddle.h, so that it works with any C++ library and compiler. An
// error of heddle is an exception only where a value is asked for that is not there.
#pragma once

#include <heddle/heddle.h>

#include <initializer_list>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

enum class Verdict { proved, refuted, unknown };

using Flags = std::vector<std::string>;

class Result {
 public:
  explicit Result(heddle_result* result) : result_(result, &heddle_free) {}

  int exit_code() const { return heddle_exit_code_of(result_.get()); }
  bool is_error() const { return has_text("/error/message"); }
  /// Of an error; empty otherwise.
  std::string error() const { return is_error() ? text("/error/message") : std::string(); }
  std::string_view json() const { return heddle_json(result_.get()); }
  std::string_view messages() const { return heddle_messages(result_.get()); }

  /// Of check and audit, by the exit code.
  Verdict verdict() const {
    if (is_error()) throw std::runtime_error(error());
    if (exit_code() == HEDDLE_GOOD) return Verdict::proved;
    return exit_code() == HEDDLE_REFUTED ? Verdict::refuted : Verdict::unknown;
  }

  bool has_text(const std::string& place) const {
    return heddle_text(result_.get(), place.c_str()) != nullptr;
  }
  std::string text(const std::string& place) const {
    const char* const found = heddle_text(result_.get(), place.c_str());
    if (found == nullptr) throw missing(place);
    return found;
  }
  double number(const std::string& place) const {
    double found = 0;
    if (heddle_number(result_.get(), place.c_str(), &found) == 0) throw missing(place);
    return found;
  }

 private:
  std::runtime_error missing(const std::string& place) const {
    return std::runtime_error(is_error() ? error() : "there is nothing at " + place);
  }

  std::unique_ptr<heddle_result, void (*)(heddle_result*)> result_;
};

namespace detail {

/// The words of flags, as heddle.h wants them.
class Words {
 public:
  explicit Words(const Flags& flags) {
    for (const std::string& flag : flags) words_.push_back(flag.c_str());
    words_.push_back(nullptr);
  }
  const char* const* data() const { return words_.data(); }

 private:
  std::vector<const char*> words_;
};

}  // namespace detail

inline Result check(const std::string& order, const Flags& flags = {}) {
  return Result(heddle_check(order.c_str(), detail::Words(flags).data()));
}

inline Result check_kernel(const std::string& job, const Flags& flags = {}) {
  return Result(heddle_check_kernel(job.c_str(), detail::Words(flags).data()));
}

inline Result trace(const std::string& job, const Flags& flags = {}) {
  return Result(heddle_trace(job.c_str(), detail::Words(flags).data()));
}

inline Result simulate(const std::string& job, const std::string& gpu, const Flags& flags = {}) {
  return Result(heddle_simulate(job.c_str(), gpu.c_str(), detail::Words(flags).data()));
}

inline Result optimize(const std::string& job, const std::string& gpu, const Flags& flags = {}) {
  return Result(heddle_optimize(job.c_str(), gpu.c_str(), detail::Words(flags).data()));
}

inline Result audit_patch(const std::string& before, const std::string& after,
                          const Flags& flags = {}) {
  return Result(heddle_audit_patch(before.c_str(), after.c_str(), detail::Words(flags).data()));
}

inline Result audit_log(const std::string& log, const Flags& flags = {}) {
  return Result(heddle_audit_log(log.c_str(), detail::Words(flags).data()));
}

}  // namespace heddle
