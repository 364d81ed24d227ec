#include "support/file.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iostream>

#include "support/error.h"

namespace heddle {
namespace {

std::string read_stream(std::istream& stream, const std::string& shown, std::size_t limit_bytes) {
  std::string text;
  char buffer[1 << 16];
  while (stream.read(buffer, sizeof buffer) || stream.gcount() > 0) {
    text.append(buffer, static_cast<std::size_t>(stream.gcount()));
    if (text.size() > limit_bytes) {
      throw Error(fmt::format("{} is larger than {} bytes", shown, limit_bytes),
                  "cut it down to the part that matters");
    }
  }
  if (text.compare(0, 3, "\xEF\xBB\xBF") == 0) text.erase(0, 3);  // a byte order mark
  return text;
}

}  // namespace

std::string display_name(const std::string& name) {
  return name == "-" ? "<stdin>" : name;
}

std::string read_text(const std::string& name, std::size_t limit_bytes) {
  if (name == "-") return read_stream(std::cin, "standard input", limit_bytes);
  std::error_code status;
  if (std::filesystem::is_directory(name, status)) {
    throw Error(fmt::format("'{}' is a directory", name), "name a file in it");
  }
  std::ifstream stream(name, std::ios::binary);
  if (!stream) {
    throw Error(fmt::format("cannot read '{}'", name), "check the path and its permissions");
  }
  return read_stream(stream, fmt::format("'{}'", name), limit_bytes);
}

void write_text(const std::string& name, const std::string& text) {
  std::ofstream stream(name, std::ios::binary | std::ios::trunc);
  stream << text;
  stream.flush();
  if (!stream) {
    throw Error(fmt::format("cannot write '{}'", name), "check that the directory exists");
  }
}

}  // namespace heddle
