#include "audit/config_pick.h"

#include <algorithm>

#include "audit/patch.h"

namespace heddle::audit {
namespace {

using kernel::ConfigValues;

std::optional<std::size_t> number_of(const config::ConfigChoice& choice,
                                     const std::vector<ConfigValues>& configs) {
  if (std::holds_alternative<std::monostate>(choice)) return 0;
  if (const auto* number = std::get_if<std::int64_t>(&choice))
    return static_cast<std::size_t>(*number);
  const auto& wanted = std::get<std::vector<config::NamedValue>>(choice);
  for (std::size_t i = 0; i < configs.size(); ++i)
    if (std::ranges::all_of(wanted, [&](const config::NamedValue& value) {
          const auto own = std::ranges::find(configs[i], value.name, &config::NamedValue::name);
          return own != configs[i].end() && own->value == value.value;
        }))
      return i;
  return std::nullopt;
}

}  // namespace

ConfigPick::ConfigPick(const std::vector<kernel::ConfigPartner>& partners,
                       const std::vector<ConfigValues>& configs,
                       const config::ConfigChoice& choice) {
  const auto number = partners.empty() ? std::nullopt : number_of(choice, configs);
  if (!number || *number >= partners.size() || *number >= configs.size()) return;
  if (partners[*number].number)
    partner_ = partners[*number];
  else
    own_ = configs[*number];
}

void ConfigPick::apply(config::Job& after) const {
  if (partner_) after.config = *partner_->number;
}

void ConfigPick::apply(const config::Launch& before, config::Launch& after,
                       std::vector<config::NamedValue>& names) const {
  if (!own_.empty()) after.grid = before.grid;  // unless host code says another
  for (const config::NamedValue& value : own_) {
    for (config::Argument& argument : after.arguments)
      if (argument.name == value.name) argument.value = value.value;
    for (config::NamedValue& name : names)
      if (name.name == value.name) name.value = value.value;
  }
}

bool ConfigPick::is_followed(const config::Launch& after) const {
  return partner_ && std::ranges::all_of(partner_->changed, [&](const config::NamedValue& value) {
           const config::Argument* given = after.find(value.name);
           return given != nullptr && given->value == value.value;
         });
}

ConfigPick PatchJudge::pick_of(const config::Job& job, const Pair& pair) {
  return ConfigPick(patch_->config_partners(pair.before.function, pair.after.function),
                    before_->configs(pair.before.function, job.target), job.config);
}

std::vector<std::int64_t> PatchJudge::changed_configs(const PatchRequest& request) {
  const Pair pair = pair_of(request);
  const auto partners = patch_->config_partners(pair.before.function, pair.after.function);
  std::vector<std::int64_t> numbers;
  for (std::size_t i = 0; i < partners.size(); ++i)
    if (!partners[i].changed.empty()) numbers.push_back(static_cast<std::int64_t>(i));
  return numbers;
}

bool PatchJudge::takes_config(const PatchRequest& request) {
  const Pair pair = pair_of(request);
  config::Job job = config::read_job(request.job_path, request.overrides);
  if (request.config) job.config = *request.config;
  return pair.after.reason.empty() && pick_of(job, pair).is_followed(pair.after.launch);
}

}  // namespace heddle::audit
