// GPU files written: numbers changed in a file that was read, everything else kept.
//
//   TomlNode root = gpu_document("mi300x");
//   change_gpu(root, "SPX", {"l2.ways", "8", "calibrated", "fits 16 points better"});
//   write_text("my.toml", gpu_text(root));
//
// Rules
//   1. What is written reads back, mode by mode, as the GPU that was read with the changes made.
//   2. A value is a text as TOML has it: 8, "lru" with its quotes, [[8], [9, 13]].
//   3. A change goes where the number of the mode stands: in the mode's own table if that has it,
//      else in the file's section, where other modes see it too.
//   4. Sections, keys, sources and words stay in their order; comments are lost.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/gpu.h"
#include "config/gpu_keys.h"
#include "config/toml_document.h"

namespace heddle::config {

struct GpuChange {
  std::string key;    ///< "l2.ways"
  std::string value;  ///< as TOML
  std::string from;   ///< a key of [sources], or "estimated"
  std::string why;
};

/// "l2.ways"; null if there is no such key.
const GpuKey* find_gpu_key(std::string_view text);

/// A number of a GPU as TOML: 8, "lru", [[8], [9, 13]].
std::string gpu_value_text(const Gpu& gpu, const GpuKey& key);

/// Sets a number of a GPU in memory. Throws Error if the key cannot have the value; whether the
/// GPU can be built is for check_gpu to say.
void set_gpu_value_text(Gpu& gpu, const GpuKey& key, const std::string& value);

/// The file that read_gpu would read.
TomlNode gpu_document(const std::string& name_or_path);

/// `mode` is empty for GPUs without modes. Throws Error where neither mode nor file has the
/// section.
void change_gpu(TomlNode& root, const std::string& mode, const GpuChange& change);

/// Adds a line to [sources], or replaces it.
void set_gpu_source(TomlNode& root, const std::string& name, const std::string& citation);

/// Sets `calibrated` of the file.
void set_gpu_calibrated(TomlNode& root, bool calibrated);

/// The file as text. `remark` becomes a comment at its top.
std::string gpu_text(const TomlNode& root, const std::string& remark);

}  // namespace heddle::config
