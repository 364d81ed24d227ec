#include "chat/prices.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/toml_document.h"
#include "support/error.h"
#include "support/spelling.h"

namespace heddle::chat {
namespace {

constexpr const char* kDocument = "docs/models.md";

double price_at(const config::TomlNode& model, const char* name, const std::string& file) {
  const config::TomlNode* const node = model.find(name);
  const bool is_integer = node != nullptr && node->kind == config::TomlNode::Kind::integer;
  const bool is_real = node != nullptr && node->kind == config::TomlNode::Kind::real;
  const double price = is_integer ? static_cast<double>(node->integer) : is_real ? node->real : -1;
  if (!(price >= 0 && price < 1e9))
    throw Error(fmt::format("'{}' is not a price", name),
                "write it as input = 0.3, per million tokens")
        .at(file, node != nullptr ? node->position : model.position);
  return price;
}

}  // namespace

std::int64_t Budget::room(std::int64_t input_tokens, std::int64_t output_tokens) const {
  constexpr double kMost = 1e9;
  const Budget left = after(input_tokens, output_tokens);
  if (!left.money || !price) return left.tokens;
  if (*left.money <= 0) return 0;
  const double affordable = price->output > 0 ? *left.money / price->output * 1e6 : kMost;
  return std::min(left.tokens, static_cast<std::int64_t>(std::min(affordable, kMost)));
}

Budget Budget::after(std::int64_t input_tokens, std::int64_t output_tokens) const {
  Budget left = *this;
  left.tokens -= input_tokens + output_tokens;
  if (left.money && price) *left.money -= price->of(input_tokens, output_tokens);
  return left;
}

Price read_price(const std::string& file, const std::string& model) {
  const config::TomlNode root = config::read_toml(file, kDocument);
  const config::TomlNode* const models = root.find("models");
  const config::TomlNode* const found = models != nullptr ? models->find(model) : nullptr;
  if (found == nullptr || found->kind != config::TomlNode::Kind::table) {
    std::vector<std::string> names;
    if (models != nullptr)
      for (const config::TomlNode& one : models->items) names.push_back(one.key);
    throw Error(fmt::format("no price is known for '{}'", model),
                fmt::format("{}add [models.\"{}\"] with input and output",
                            did_you_mean(model, names), model))
        .in(file);
  }
  return {price_at(*found, "input", file), price_at(*found, "output", file)};
}

}  // namespace heddle::chat
