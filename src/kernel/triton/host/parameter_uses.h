// What a kernel does with its parameters: which are pointers, which hold integers that reach an
// address, which are flags, texts, types, descriptors.
//
//   i = tl.load(index_ptr + pid)          index_ptr: a pointer, to integers, since i is an offset
//   x = tl.load(x_ptr + i)                x_ptr: a pointer
//   if ACT == "relu": ...                 ACT: a text, one of "relu", ...
//
// Rules
//   1. Nothing is compiled: names are followed through assignments and calls of jit functions.
//   2. What is not seen is not claimed: every member is false where nothing shows it.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "kernel/triton/source.h"

namespace heddle::kernel::triton::host {

struct ParameterUse {
  bool is_pointer = false;
  bool holds_integers = false;    ///< its values reach an address, a loop bound, // or &
  bool holds_bits = false;        ///< they are shifted or masked: packed numbers
  bool holds_bytes = false;       ///< their bits are read as numbers of 8 bits
  std::set<std::string> factors;  ///< parameters that offsets of its accesses are multiplied by
  bool has_lane = false;          ///< an access adds tl.arange with no factor: an axis of stride 1
  /// Parameters whose values reach its addresses, and what each is multiplied by there: parameters,
  /// or "" for anything else; nothing: it is added as it is.
  std::map<std::string, std::set<std::string>> indices;
  bool places_writes = false;     ///< what is stored is placed by its values
  bool reads_neighbours = false;  ///< it is read at i and at i + 1: where pieces begin and end
  bool is_descriptor = false;
  int descriptor_rank = 0;  ///< offsets that its loads and stores give; 0: not known
  bool is_tuple = false;
  bool is_flag = false;  ///< asked as it stands, and nothing else
  bool is_type = false;
  bool is_bound = false;             ///< of tl.arange or a block's shape: a power of two
  bool is_pointer_table = false;     ///< what it holds is cast to a pointer
  bool is_compared = false;          ///< with None
  std::vector<std::string> numbers;  ///< it is compared with for equality, in order
  std::vector<std::string> texts;    ///< it is compared with, in order

  /// Of a tensor that holds integers and has no dtype: pointers need 64 bits.
  const char* integer_type() const { return is_pointer_table ? "int64" : "int32"; }
};

std::map<std::string, ParameterUse> parameter_uses(TritonSource& source, const Module& module,
                                                   const Node& function);

}  // namespace heddle::kernel::triton::host
