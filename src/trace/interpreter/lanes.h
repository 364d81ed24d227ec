// Element-wise work, element by element, over no more of a block than varies.
//
//   offs[:, None] % 7, offs int32[128, 1], result int32[128, 64]
//     -> domain axis 0: 128 elements are computed, the result is a table on axis 0
//
// Rules
//   1. A domain is one element (axis kNoAxis), one axis, or the whole block (kSeveralAxes), in
//      row-major order. Operands that do not vary outside it give the same result everywhere.
//   2. read_* gives an operand as an array over a domain of the result: its own storage where that
//      fits, else a scratch slot. Any family is converted: booleans are 0 and 1.
//   3. write_* gives room for a result over a domain; finish_* then makes the register's form.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "trace/interpreter/context.h"

namespace heddle::trace::interpreter {

struct Domain {
  int axis = kNoAxis;
  std::int64_t size = 1;

  bool is_whole() const { return axis == kSeveralAxes; }
};

/// The smallest domain of a result of this type outside which no operand varies. Null operands
/// are skipped.
Domain domain_of(const BlockType& out, std::initializer_list<const Value*> operands);
/// One entry per element of the block, whatever varies.
Domain whole_of(const BlockType& out);

const std::int64_t* read_integers(Context& context, const Value& value, const BlockType& out,
                                  Domain domain, int slot);
const std::uint8_t* read_flags(Context& context, const Value& value, const BlockType& out,
                               Domain domain, int slot);
const double* read_reals(Context& context, const Value& value, const BlockType& out, Domain domain,
                         int slot);

/// These three use scratch slot kResultSlot where the domain is a single element.
inline constexpr int kResultSlot = 4;
std::int64_t* write_integers(Context& context, Value& out, Domain domain);
std::uint8_t* write_flags(Context& context, Value& out, Domain domain);
double* write_reals(Context& context, Value& out, Domain domain);

void finish_integers(Context& context, Value& out, Domain domain);
void finish_flags(Context& context, Value& out, Domain domain);
void finish_reals(Context& context, Value& out, Domain domain);

/// out = value, of the same family and broadcast to out's shape.
void copy_value(Context& context, const Value& value, Value& out);

/// A domain of which a real result can be made: one element or the whole block.
Domain real_domain(const BlockType& out, Domain domain);

/// to[i] = from[start + sum of strides * index], over a shape in row-major order.
template <class T>
void gather(const T* from, const std::vector<std::int64_t>& shape,
            const std::vector<std::int64_t>& strides, T* to) {
  const std::size_t rank = shape.size();
  if (rank == 0) {
    *to = *from;
    return;
  }
  std::vector<std::int64_t> index(rank, 0);
  const std::int64_t inner = shape[rank - 1];
  const std::int64_t inner_stride = strides[rank - 1];
  while (true) {
    for (std::int64_t i = 0; i < inner; ++i) *to++ = from[i * inner_stride];
    std::size_t axis = rank - 1;
    while (axis > 0) {
      --axis;
      from += strides[axis];
      if (++index[axis] < shape[axis]) break;
      from -= strides[axis] * shape[axis];
      index[axis] = 0;
      if (axis == 0) return;
    }
    if (rank == 1) return;
  }
}

/// Elements between neighbours along each axis, row-major.
std::vector<std::int64_t> row_major_strides(const std::vector<std::int64_t>& shape);
/// The same for a block seen as a larger one: 0 where its extent is 1 or it has no such axis.
std::vector<std::int64_t> broadcast_strides(const std::vector<std::int64_t>& shape,
                                            const std::vector<std::int64_t>& seen_as);

}  // namespace heddle::trace::interpreter
