// A job: a kernel, its arguments and its launch, as a TOML file describes them. docs/jobs.md has
// every key.
//
//   const Job job = read_job("examples/gemm.toml", {"M=4096"});     // --set M=4096
//   Arguments arguments = resolve_arguments(job, config_of_the_kernel);
//   const Launch launch = make_launch(job, std::move(arguments), heuristics_of_the_kernel);
//
// Rules
//   1. A key that is not known is an Error with its place and the keys there are.
//   2. Expressions may name sizes, scalars, constexprs, tensors and what the kernel's autotune
//      config sets, in any order; a circle is an Error. Every expression is evaluated, used or not.
//   3. A name is used once among sizes, tensors, scalars and constexprs. What the job says wins
//      over `defaults` and `extra`, and `extra` over `defaults`.
//   4. Errors have the place of the value in the file (or "--set NAME") and quote the expression.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/launch.h"
#include "config/written.h"
#include "support/error.h"

namespace heddle::config {

struct NamedValue {
  std::string name;
  Value value;
};

struct NamedExpression {
  std::string name;
  Written written;
  std::optional<DType> dtype;  ///< of a scalar, where the job gives it
};

struct JobTensor {
  std::string name;
  DType dtype = DType::float32;
  WrittenList shape;
  std::optional<WrittenList> strides;
  std::optional<Written> contents;
  std::optional<Written> seed;
  std::optional<Written> address;
  std::optional<WrittenList> block;
  bool is_parameter = true;
  Position position;  ///< of its table
};

/// The keys of [launch].
inline constexpr std::array<std::string_view, 5> kLaunchKeys = {"warps", "stages", "threads",
                                                                "registers", "shared_bytes"};

/// Which triton.Config: nothing said, its number from 0, or values it must have.
using ConfigChoice = std::variant<std::monostate, std::int64_t, std::vector<NamedValue>>;

struct Job {
  std::string path;
  std::string kernel_path;  ///< from where heddle runs
  std::string function;     ///< may be empty
  ConfigChoice config;
  Position config_position;
  std::vector<std::string> include;  ///< folders of headers, from where heddle runs
  std::vector<std::string> defines;  ///< macros: "N=4"
  WrittenList grid;
  std::vector<NamedExpression> sizes;
  std::vector<JobTensor> tensors;
  std::vector<NamedExpression> scalars;
  std::vector<NamedExpression> constexprs;
  std::map<std::string, Written> launch;  ///< by key, of kLaunchKeys
  std::string captured_gpu;  ///< where it ran, as the driver calls it; empty: not captured
  /// --set of names that the job does not have: they must be among `defaults`.
  std::vector<NamedExpression> unplaced;
  Target target;  ///< what the kernel's host code is read for

  /// What the job gives the kernel: tensors that are parameters, scalars, constexprs.
  std::vector<std::string> argument_names() const;
};

/// Reads and checks a job file; "-" is standard input. Each override is "NAME=EXPRESSION", or
/// several with commas between them.
Job read_job(const std::string& path, const std::vector<std::string>& overrides,
             const Target& target = {});

/// Everything but the grid and the addresses.
struct Arguments {
  std::vector<Tensor> tensors;      ///< address 0 where the job sets none
  std::vector<bool> address_given;  ///< one per tensor
  std::vector<Argument> arguments;  ///< tensors, scalars, constexprs, then defaults
  std::vector<NamedValue> names;    ///< everything an expression can name
  int warps = 4;
  int stages = 2;
  std::array<int, 3> threads{};
  std::optional<int> registers;
  std::optional<std::int64_t> shared_bytes;

  const Argument* find(const std::string& name) const;
};

/// `defaults`: constexprs of the kernel's autotune config, num_warps and num_stages among them
/// (those two become warps and stages, not arguments).
Arguments resolve_arguments(const Job& job, const std::vector<NamedValue>& defaults);

/// `extra`: constexprs that @triton.heuristics computes from the arguments.
Launch make_launch(const Job& job, Arguments arguments, const std::vector<NamedValue>& extra);

}  // namespace heddle::config
