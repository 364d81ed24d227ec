#include "kernel/cxx/shared_headers.h"

#include <fmt/format.h>

#include <deque>
#include <filesystem>
#include <mutex>
#include <utility>

#include "kernel/cxx/clang.h"
#include "kernel/cxx/device_headers.h"
#include "support/temporary_folder.h"

namespace heddle::kernel::cxx {
namespace {

namespace fs = std::filesystem;

const std::string& shared_folder() {
  static const TemporaryFolder folder;
  return folder.path();
}

}  // namespace

const std::string& shared_headers() {
  static const std::string folder = [] {
    const std::string made = shared_folder() + "/include";
    for (const DeviceHeader& header : device_headers()) {
      const fs::path path = fs::path(made) / header.path;
      fs::create_directories(path.parent_path());
      write_input(path.string(), header.text);
    }
    return made;
  }();
  return folder;
}

Precompiled::Precompiled(std::string text, std::string stem)
    : text_(std::move(text)), stem_(std::move(stem)) {}

Precompiled::~Precompiled() {
  std::error_code ignored;
  fs::remove(header(), ignored);
  fs::remove(path(), ignored);
}

std::shared_ptr<const Precompiled> precompiled(const std::string& text, const ClangPlace& place,
                                               const Precompile& make) {
  constexpr std::size_t kMostKept = 8;
  const fs::path folder = fs::path(shared_headers());
  static std::mutex mutex;
  static int count = 0;
  static std::deque<std::shared_ptr<const Precompiled>> kept;
  const std::lock_guard lock(mutex);
  for (const auto& one : kept)
    if (one->text() == text) return one;
  const std::string stem = (folder / fmt::format("before-{}", count++)).string();
  auto made = std::make_shared<const Precompiled>(text, stem);
  write_input(made->header(), text);
  const std::string output = place.folder + "/before.pch";
  make(made->header(), output);
  fs::copy_file(output, made->path());  // the place may be on another file system
  fs::remove(output);
  kept.push_back(made);
  if (kept.size() > kMostKept) kept.pop_front();
  return made;
}

}  // namespace heddle::kernel::cxx
