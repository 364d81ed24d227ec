// A GPU that is none: its driver, its compiler and its clocks, for tests of the agent.
//
// A kernel is its own source; comments in it say what a launch does:
//   // fake: add                 c[i] = a[i] + b[i], of parameters (float* a, float* b, float* c,
//   int n)
//   // fake: skip 16             as add, without the last 16
//   // fake: wrong 7             as add, element 7 is one more
//   // fake: vary                as add, with something else in every launch
//   // fake: guard               writes one float behind c
//   // fake: front               writes one float in front of c
//   // fake: input               changes a[3]
//   // fake: fault               every call after it fails
//   // fake: refuse              the launch is refused
//   // fake: hang, crash         does so
//   // fake: print TEXT          writes a line to standard output, as a kernel's printf does
//   // fake: compile-error       is not compiled
//   // fake: time_us 100 noise 2 how long it takes on the clock of events, give or take
//   // fake: less_with reverse 20 so much less, where heddle has put that order into the kernel
//   // fake: only time           what stands there happens in timings only (after the flush was
//   made)
// Calls of CUDA and HIP have the same code; FAKE_HIP chooses their names.
#pragma once

#ifdef FAKE_HIP
#define FAKE(cuda, hip) hip
#else
#define FAKE(cuda, hip) cuda
#endif
