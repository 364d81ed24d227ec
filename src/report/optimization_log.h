// The log of a search in the shape of the SwizzlePerf logs, which `heddle audit` reads back.
//
// Sample (one iteration)
//   Iteration 4:
//   Code optimization reasoning:
//   Proposed by walks. The best order before it is iteration 1, identity, with 167 us predicted ...
//   Reason why old was slow:
//   {
//       "iteration 1": "Of 6,540,451 requests to the L2, 2,087,468 hit: 31.9 % of at most ..."
//   }
//   Summary of optimization:
//   xcd(8) | columns: Each die walks one run of whole columns. PROVED for all sizes ...
//   Reason why new should be better:
//   It is predicted 12.2 % faster than iteration 1. The L2 hit rate rises from 31.9 % to 69.2 % ...
//   Swizzling formula:
//   p0 = tl.program_id(0)
//   ...
//
//   --- PROFILING ITERATION 4 ---
//   On the simulated GPU, predicted and not measured: hit rate increased from 31.9% to 69.2%.
//   Predicted: achieved 1.122x speedup with execution time reduced from 0.1672ms to 0.149ms ...
//
// Rules
//   1. optlog::read_log gives back every attempt: its number, its formula, and as its claim the
//      figures of its replay, rounded; without remarks. A report without attempts has none, and
//      read_log says so.
//   2. Every sentence comes from a figure of the report (optimization_facts.h). "Reason why old was
//      slow" speaks of the best order known before, or of the launch order itself.
//   3. Only a replayed attempt has a profile. A refuted, unknown or repeated one has a section
//      "NOT PROFILED" that says why, which no reader takes for a claim.
//   4. The formula is the proved code, else the text as proposed: printable, and with a '#' before
//      a line that would be a heading of the log and before a code fence without a partner.
//   5. It ends with a section RESULT: the answer, why the search ended, how sure it is.
#pragma once

#include <string>

#include "results/optimization.h"

namespace heddle::report {

std::string optimization_log(const OptimizationReport& report);

/// "The GPU, ..., has 8 dies of 38 compute units with an L2 of 4 MiB each, ...".
std::string gpu_sentence(const GpuFacts& gpu);
/// A line for each access of the kernel, and one on all of them.
std::string memory_sentences(const OptimizationReport& report);

}  // namespace heddle::report
