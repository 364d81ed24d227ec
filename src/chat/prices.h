// What tokens cost: a small TOML file.
//
//   [models."qwen3-coder"]
//   input = 0.3          # per million tokens, in any currency
//   output = 1.2
//
// Rules
//   1. A model that the file does not have is an Error: a limit on money needs a price.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace heddle::chat {

struct Price {
  double input = 0;  ///< of a million tokens
  double output = 0;

  double of(std::int64_t input_tokens, std::int64_t output_tokens) const {
    return (input * static_cast<double>(input_tokens) +
            output * static_cast<double>(output_tokens)) /
           1e6;
  }
};

/// What may be spent in all.
struct Budget {
  std::int64_t tokens = 0;
  std::optional<double> money = {};
  std::optional<Price> price = {};

  /// Tokens that an answer may have, after what was spent and a question of so many; below 1: none.
  std::int64_t room(std::int64_t input_tokens, std::int64_t output_tokens) const;
  /// What is left of it.
  Budget after(std::int64_t input_tokens, std::int64_t output_tokens) const;
};

/// Throws Error.
Price read_price(const std::string& file, const std::string& model);

}  // namespace heddle::chat
