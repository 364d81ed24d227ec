// A job without a file: the text that stands for a path, as an inferred job stands for its kernel's.
//
//   keep_job("matmul.py", job_text(draft));
//   read_job("matmul.py", {"M=4096"})        // reads that text; `kernel` is relative to its folder
#pragma once

#include <optional>
#include <string>

namespace heddle::config {

void keep_job(const std::string& path, std::string text);
/// Nothing: the path is that of a file.
std::optional<std::string> kept_job(const std::string& path);

}  // namespace heddle::config
