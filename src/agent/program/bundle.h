// The folder to measure, as bundle.txt says it (docs/agent.md).
//
//   heddle-bundle 1
//   language cuda
//   candidate 0 kernels/0.cu identity
//   launch main
//   grid 256 32 1
//   ...
//   end
//
// Rules
//   1. A bundle is untrusted input: every number has bounds, every list a longest length (`bounds`),
//   and
//      what is not understood is an error with its line and what to try.
//   2. Paths are relative, have no `..`, and lead to plain files inside the folder, links
//   followed.
//   3. What a launch needs is complete: a grid, threads of C++ kernels, tensors of arguments.
//   4. `parse_bundle` touches no file; `read_bundle` looks at all that are named.
//
// It does not look into kernels.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dtype.h"

namespace heddle::agent {

namespace bounds {
inline constexpr std::size_t kFileBytes = std::size_t{16} << 20;
inline constexpr std::size_t kLineBytes = std::size_t{64} << 10;
inline constexpr std::size_t kBundles = 10'000;  ///< of one command
inline constexpr std::size_t kCandidates = 1000;
inline constexpr std::size_t kLaunches = 64;
inline constexpr std::size_t kPerLaunch = 1024;  ///< tensors, arguments, constexprs
inline constexpr std::size_t kSeeds = 64;
inline constexpr std::size_t kDefines = 256;
inline constexpr std::size_t kAxes = 8;
inline constexpr std::uint64_t kTensorBytes = std::uint64_t{1} << 40;
inline constexpr std::uint64_t kSourceBytes = std::uint64_t{16} << 20;
}  // namespace bounds

enum class Language { triton, cuda, hip };
enum class Use { read, write, update };
enum class ContentsKind { random, normal, uniform, constant, zeros, range, file, addresses };

struct Contents {
  ContentsKind kind = ContentsKind::random;
  double low = 0;  ///< of `constant` the value
  double high = 0;
  std::string path;
  std::vector<std::size_t> tensors;  ///< of `addresses`: where in the launch's list
};

struct Tensor {
  std::string name;
  Dtype dtype = Dtype::fp32;
  std::uint64_t bytes = 0;
  Use use = Use::read;
  Contents contents;
  std::vector<std::int64_t> shape;  ///< empty where nothing is said
  std::vector<std::int64_t> strides;
  std::vector<std::int64_t> block;
};

enum class ArgumentKind { tensor, number, none };

struct Argument {
  std::string name;
  ArgumentKind kind = ArgumentKind::none;
  std::size_t tensor = 0;                ///< where in the launch's list
  std::array<unsigned char, 8> bytes{};  ///< of a number
  std::size_t size = 8;
};

struct Launch {
  std::string name;
  std::array<std::uint32_t, 3> grid{};
  std::array<std::uint32_t, 3> threads{};
  std::uint32_t shared_bytes = 0;
  std::uint32_t warps = 0;
  std::uint32_t stages = 0;
  std::vector<Tensor> tensors;
  std::vector<Argument> arguments;
  std::size_t constants =
      0;  ///< how many `constexpr` there are; the Triton worker reads them itself
};

struct Candidate {
  std::string path;
  std::string title;
};

struct Bundle {
  std::string job;
  std::string gpu;
  Language language = Language::cuda;
  std::string function;
  std::vector<std::string> defines;
  std::vector<std::uint64_t> seeds;
  std::uint32_t limit_s = 0;
  std::uint32_t rounds = 0;
  std::uint32_t budget_s = 0;
  bool lean = false;                  ///< `mode lean`: compared once, timed with cold caches alone
  std::vector<std::size_t> counters;  ///< candidates whose counters are wanted
  std::vector<Candidate> candidates;  ///< by number
  std::vector<Launch> launches;
};

/// Throws Failure(kUsage).
Bundle parse_bundle(std::string_view text);
Bundle read_bundle(const std::string& folder);

/// A file that a bundle names, as a path that can be opened: rule 2 holds, or it throws.
std::string file_of(const std::string& folder, const std::string& path);

/// The bytes of such a file; at most `most`.
std::string read_file(const std::string& path, std::uint64_t most);

/// Of bundle.txt and all candidates' files: results are of this bundle and of no other.
std::string bundle_digest(const std::string& folder);

/// The kernel's name without template arguments and namespaces: `scale` of `ns::scale<float, 4>`.
std::string base_name(const std::string& function);

}  // namespace heddle::agent
