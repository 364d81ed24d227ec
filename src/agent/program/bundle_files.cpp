// The files of a bundle: none of them may lie outside its folder.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "bundle.h"
#include "failure.h"
#include "words.h"

namespace heddle::agent {
namespace {

std::string resolved(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(realpath(path.c_str(), nullptr),
                                                         &std::free);
  return real ? std::string(real.get()) : std::string();
}

std::uint64_t size_of_file(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

}  // namespace

std::string file_of(const std::string& folder, const std::string& path) {
  const std::string root = resolved(folder);
  const std::string file = resolved(folder + "/" + path);
  if (file.empty())
    throw Failure(
        kUsage, "the bundle's file " + printable(path) + " cannot be read: " + std::strerror(errno),
        "copy the whole folder of the bundle");
  struct stat status {};
  const bool inside = file.compare(0, root.size() + 1, root + "/") == 0;
  if (root.empty() || !inside || stat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode))
    throw Failure(kUsage, "the bundle's file " + printable(path) + " is not a plain file inside it",
                  "put the file itself into the folder");
  return file;
}

std::string read_file(const std::string& path, std::uint64_t most) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  const auto fail = [&](const std::string& what) {
    throw Failure(kUsage, printable(path) + ": " + what,
                  "give the folder that heddle bundle wrote");
  };
  if (file < 0) fail(std::strerror(errno));
  struct stat status {};
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
    close(file);
    fail("it is not a plain file");
  }
  std::string text;
  ssize_t some = 1;
  while (some > 0 && text.size() <= most) {
    constexpr std::size_t kStep = std::size_t{1} << 20;
    const std::size_t before = text.size();
    text.resize(before + kStep);
    do {
      some = read(file, text.data() + before, kStep);
    } while (some < 0 && errno == EINTR);
    text.resize(before + static_cast<std::size_t>(some > 0 ? some : 0));
  }
  const int error = errno;
  close(file);
  if (some < 0) fail(std::strerror(error));
  if (text.size() > most) fail("is larger than " + std::to_string(most) + " bytes");
  return text;
}

Bundle read_bundle(const std::string& folder) {
  Bundle bundle = parse_bundle(read_file(folder + "/bundle.txt", bounds::kFileBytes));
  for (const Candidate& candidate : bundle.candidates)
    if (size_of_file(file_of(folder, candidate.path)) > bounds::kSourceBytes)
      throw Failure(kUsage, "the kernel " + printable(candidate.path) + " is larger than 16 MiB",
                    "give kernels as source");
  for (const Launch& launch : bundle.launches)
    for (const Tensor& tensor : launch.tensors) {
      if (tensor.contents.kind != ContentsKind::file) continue;
      const std::uint64_t bytes = size_of_file(file_of(folder, tensor.contents.path));
      if (bytes != tensor.bytes)
        throw Failure(kUsage,
                      "tensor " + tensor.name + " has " + std::to_string(tensor.bytes) +
                          " bytes, its file " + printable(tensor.contents.path) + " has " +
                          std::to_string(bytes),
                      "write the file anew, as bytes without a header");
    }
  return bundle;
}

std::string bundle_digest(const std::string& folder) {
  std::uint64_t digest = 0xcbf29ce484222325U;  // FNV-1a, 64 bits
  const auto add = [&](const std::string& text) {
    for (const char c : text + '\0') {
      digest ^= static_cast<unsigned char>(c);
      digest *= 0x100000001b3U;
    }
  };
  const Bundle bundle = read_bundle(folder);
  add(read_file(file_of(folder, "bundle.txt"), bounds::kFileBytes));
  for (const Candidate& candidate : bundle.candidates)
    add(read_file(file_of(folder, candidate.path), bounds::kSourceBytes));
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) text += "0123456789abcdef"[(digest >> shift) & 15U];
  return text;
}

}  // namespace heddle::agent
