/* What a traced kernel asks of the program that runs it (src/runner). Included by heddle/device.h
 * when a kernel is compiled for this machine, and by the runner, which defines these functions.
 *
 * Rules
 *   1. A lane is one thread of a block. Lanes of a wave are `heddle_wave_lanes()` neighbours in the
 *      order x, y, z of their index.
 *   2. heddle_atomicN announces an atomic of N bytes at the address, which the kernel then does
 *      itself with a compiler builtin: builtins are not observed, loads and stores are. The compiler
 *      step gives every call of it the number of its site as a second argument.
 *   3. Functions with a mask act among the lanes of the wave whose bits are set, and return when all
 *      of them that still run have come; a lane that is not in its own mask is an error.
 */
#ifndef HEDDLE_ABI_H
#define HEDDLE_ABI_H

#ifdef __cplusplus
extern "C" {
#endif

/* axis 0, 1, 2: x, y, z. Constant for a lane. */
unsigned heddle_thread_index(int axis) __attribute__((const));
unsigned heddle_block_index(int axis) __attribute__((const));
unsigned heddle_block_extent(int axis) __attribute__((const));
unsigned heddle_grid_extent(int axis) __attribute__((const));
unsigned heddle_lane(void) __attribute__((const));       /* in its wave */
unsigned heddle_wave_lanes(void) __attribute__((const)); /* 32 or 64: warpSize */

void heddle_barrier(void); /* __syncthreads */
/* operation 0: how many lanes have a nonzero predicate; 1: all have; 2: any has. With a barrier. */
int heddle_barrier_vote(int predicate, int operation);
void heddle_wave_barrier(unsigned long long mask); /* __syncwarp */
/* Gives `value` to the others and returns that of lane `source` of the wave. A lane that does not
 * take part gives what the asking lane itself gave. */
unsigned long long heddle_exchange(unsigned long long value, unsigned source,
                                   unsigned long long mask);
/* Bit i: lane i takes part and its predicate is not zero. */
unsigned long long heddle_ballot(int predicate, unsigned long long mask);
/* The lanes of the wave that have not ended. */
unsigned long long heddle_active_mask(void);

void heddle_atomic1(const volatile void* address);
void heddle_atomic2(const volatile void* address);
void heddle_atomic4(const volatile void* address);
void heddle_atomic8(const volatile void* address);
void heddle_atomic16(const volatile void* address);

/* Ends the trace with a reason: __trap, something that cannot be done here, a failed assert. */
void heddle_stop(const char* reason) __attribute__((noreturn));
void heddle_stop_at_assert(const char* condition) __attribute__((noreturn));
/* Cycles: some number that grows. */
unsigned long long heddle_clock(void);

#ifdef __cplusplus
}
#endif
#endif
