// The actions: what each instruction does, once operands are set. See context.h for the contract.
//
//   choose_action(step) -> integer_sum for an add of int32 blocks, mask_operate for a bit_and of
//   booleans, null for control flow
//
// Rules
//   1. Each integer and mask action first tries the separable algebra, then works lane by lane.
//   2. An action whose operands are of another family than the result converts them.
#pragma once

#include "trace/interpreter/context.h"

namespace heddle::trace::interpreter {

/// By opcode and the families of operands and result.
Action choose_action(const Step& step);

// operate_source.cpp
void constant_integer(Context& context, const Step& step);
void constant_real(Context& context, const Step& step);
void parameter(Context& context, const Step& step);
void program_id(Context& context, const Step& step);
void number_of_programs(Context& context, const Step& step);
void arange(Context& context, const Step& step);
void block_pointer(Context& context, const Step& step);
void bounds_mask(Context& context, const Step& step);
void random(Context& context, const Step& step);
void unknown(Context& context, const Step& step);

// operate_integer.cpp
void copy(Context& context, const Step& step);
void integer_sum(Context& context, const Step& step);
void integer_multiply(Context& context, const Step& step);
void integer_operate(Context& context, const Step& step);
void integer_compare(Context& context, const Step& step);
void integer_fused(Context& context, const Step& step);
void select(Context& context, const Step& step);

// operate_mask.cpp
void mask_operate(Context& context, const Step& step);

// operate_real.cpp
void real_operate(Context& context, const Step& step);
void real_compare(Context& context, const Step& step);
void math(Context& context, const Step& step);

// operate_cast.cpp
void cast(Context& context, const Step& step);
void bitcast(Context& context, const Step& step);

// operate_shape.cpp
void rearrange_axes(Context& context, const Step& step);
void reshape(Context& context, const Step& step);
void join(Context& context, const Step& step);
void split(Context& context, const Step& step);
void concatenate(Context& context, const Step& step);
void flip(Context& context, const Step& step);

// operate_across.cpp
void reduce(Context& context, const Step& step);
void scan(Context& context, const Step& step);
void sort(Context& context, const Step& step);
void gather_along(Context& context, const Step& step);
void histogram(Context& context, const Step& step);
void dot(Context& context, const Step& step);

// operate_memory.cpp
void load(Context& context, const Step& step);
void store(Context& context, const Step& step);
void atomic(Context& context, const Step& step);

}  // namespace heddle::trace::interpreter
