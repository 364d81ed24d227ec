#include "kernel/source.h"

#include <algorithm>
#include <array>

#include "kernel/cxx/language.h"
#include "kernel/triton/language.h"

namespace heddle::kernel {
namespace {

/// The first takes what no other claims.
const std::array<const Language*, 2>& languages() {
  static const std::array<const Language*, 2> all = {&triton::language(), &cxx::language()};
  return all;
}

}  // namespace

const Language& language_of(const std::string& path) {
  const auto found = std::find_if(languages().begin(), languages().end(),
                                  [&](const Language* one) { return one->claims(path); });
  return found != languages().end() ? **found : *languages().front();
}

bool is_kernel_path(const std::string& path) {
  return std::any_of(languages().begin(), languages().end(),
                     [&](const Language* one) { return one->claims(path); });
}

std::unique_ptr<Source> Source::open(const std::string& path) {
  return language_of(path).open(path, std::nullopt);
}

std::unique_ptr<Source> Source::open(const std::string& path, std::string text) {
  return language_of(path).open(path, std::move(text));
}

LoadedKernel load_kernel(const std::string& job_path, const std::vector<std::string>& overrides,
                         const config::Target& target) {
  const config::Job job = config::read_job(job_path, overrides, target);
  const std::unique_ptr<Source> source = Source::open(job.kernel_path);
  LoadedKernel loaded;
  loaded.launch = source->launch(job).launch;
  loaded.program = source->compile(loaded.launch);
  return loaded;
}

KernelProgram compile_kernel(const std::string& path, const std::string& text,
                             const config::Launch& launch) {
  return Source::open(path, text)->compile(launch);
}

}  // namespace heddle::kernel
