// The config of the new file that is compared with the original's, where it lists others.
//
//   job: config = 0      original's config 0     partner 1: the new file's config 1
//                                                no partner: the original's own values
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/job.h"
#include "kernel/patch.h"
#include "kernel/source.h"

namespace heddle::audit {

/// Gives the new file's launch the partner of the config that `choice` picks of the original's.
class ConfigPick {
 public:
  ConfigPick() = default;
  ConfigPick(const std::vector<kernel::ConfigPartner>& partners,
             const std::vector<kernel::ConfigValues>& configs, const config::ConfigChoice& choice);

  void apply(config::Job& after) const;
  /// What the partner, or the original where there is none, says of these.
  void apply(const config::Launch& before, config::Launch& after,
             std::vector<config::NamedValue>& names) const;
  /// The launch has the values that the partner alone has.
  bool is_followed(const config::Launch& after) const;

 private:
  std::optional<kernel::ConfigPartner> partner_;
  kernel::ConfigValues own_;  ///< of the original, without a partner
};

}  // namespace heddle::audit
