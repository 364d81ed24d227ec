// The types that a C++ file and its headers declare, by their text: for skeletons of jobs.
//
//   struct Shape { int rows; float* data; };        members("const Shape"): rows int32, data fp32*
//   typedef unsigned short bf16_t;                  resolved("bf16_t*"): "unsigned short *"
//
// Rules
//   1. Headers are those beside their file and in the project (project.h); number and size are
//      bounded.
//   2. Arrays of up to eight are listed one by one, structs in structs as members of members.
//      What a template leaves open is left out: such members are zero.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/skeleton.h"
#include "kernel/cxx/reach.h"
#include "kernel/cxx/source.h"

namespace heddle::kernel::cxx {

class TypeBook {
 public:
  /// The source must outlive this.
  explicit TypeBook(const CxxSource& source);

  /// With aliases of the files in place of their names.
  std::string resolved(const std::string& type) const;
  bool is_enum(const std::string& type) const;
  /// "Mode::kSum" of "Mode mode", where the type is an enum; else empty.
  std::string first_enumerator(const std::string& declaration) const;
  /// Of a class, or x to w of a vector; empty: nothing is known.
  std::vector<config::SkeletonParameter> members(const std::string& type) const;

 private:
  struct Members {
    std::vector<config::SkeletonParameter> all;
    int left = 64;
    std::string element = {};  ///< of what template arguments leave open
  };
  const ReachUnit* find(const std::string& name) const;
  std::string alias(const std::string& name) const;
  std::string meaning(const std::string& name) const;
  void gather(const CxxSource& source);
  void add_members(const std::string& type, int depth, Members& members) const;
  void add_texture(Members& members) const;
  void add_accessor(const std::string& type, Members& members) const;
  void add_variable(std::size_t file, TokenRange range, int depth, Members& members) const;
  std::string initial(std::size_t file, TokenRange range) const;
  void add_member(const std::string& name, const std::string& type, const std::string& value,
                  int depth, Members& members) const;

  std::vector<std::unique_ptr<CxxSource>> headers_;
  std::vector<const CxxSource*> files_;
  std::unique_ptr<Reach> reach_;
};

/// A parameter or member as a job gives it.
config::SkeletonParameter skeleton_member(const std::string& name, const std::string& type);

}  // namespace heddle::kernel::cxx
