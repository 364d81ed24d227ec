// The recorder's files, as bytes in heddle: capture writes them where Python looks for modules.
#pragma once

#include <string>
#include <vector>

namespace heddle::capture {

struct RecorderFile {
  std::string path;  ///< "sitecustomize.py"
  std::string text;
};

const std::vector<RecorderFile>& recorder_files();

}  // namespace heddle::capture
