#include "config/fingerprint.h"

#include <fmt/format.h>

#include <cstdint>

#include "support/file.h"

namespace heddle::config {
namespace {

constexpr std::size_t kLargestFile = std::size_t{1} << 30;

std::uint64_t hash(std::string_view text, std::uint64_t seed) {
  std::uint64_t value = seed;
  for (const char c : text) {
    value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    value ^= value >> 29;
  }
  return value ^ text.size();
}

/// A number as its bits, so that nothing is lost.
std::string bits(double number) {
  return fmt::format("{:a}", number);
}

void add(std::string& text, const Contents& contents) {
  text += fmt::format("contents {} {} {} {} {} {} {}", static_cast<int>(contents.kind),
                      bits(contents.lo), bits(contents.hi), contents.rows, contents.columns,
                      bits(contents.density), contents.seed);
  for (const std::string& tensor : contents.tensors) text += " " + tensor;
  for (const double value : contents.values) text += " " + bits(value);
  if (contents.kind == Contents::Kind::file)
    text += " " + fingerprint(read_text(contents.path, kLargestFile));
  text += '\n';
}

void add(std::string& text, const Tensor& tensor) {
  text += fmt::format("tensor {} {} [{}] [{}] {} {} [{}]\n", tensor.name,
                      static_cast<int>(tensor.dtype), fmt::join(tensor.shape, ","),
                      fmt::join(tensor.strides, ","), tensor.address, tensor.bytes,
                      fmt::join(tensor.block, ","));
  add(text, tensor.contents);
}

}  // namespace

std::string fingerprint(std::string_view text) {
  return fmt::format("{:016x}{:016x}", hash(text, 0xcbf29ce484222325U),
                     hash(text, 0x9e3779b97f4a7c15U));
}

std::string fingerprint(const Launch& launch) {
  std::string text = read_text(launch.kernel_path, kLargestFile);
  text +=
      fmt::format("\n{} {} {} {} {} {}\n", launch.function, launch.grid.text(), launch.warps,
                  launch.stages, launch.registers.value_or(-1), launch.shared_bytes.value_or(-1));
  if (launch.threads[0] > 0) text += fmt::format("threads {}\n", fmt::join(launch.threads, " "));
  for (const std::string& define : launch.defines) text += "define " + define + '\n';
  for (const std::string& folder : launch.include) text += "include " + folder + '\n';
  for (const Tensor& tensor : launch.tensors) add(text, tensor);
  for (const Argument& argument : launch.arguments)
    text +=
        fmt::format("argument {} {} {} {}\n", argument.name, value_text(argument.value),
                    argument.is_constexpr, argument.dtype ? static_cast<int>(*argument.dtype) : -1);
  return fingerprint(text);
}

}  // namespace heddle::config
