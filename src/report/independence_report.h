// Whether tiles are independent, in one or two sentences and as JSON.
//
//   REFUTED  read-after-write: tile (1, 0) reads byte 65536 of x_ptr on line 13, which tile (0, 0)
//            writes on line 17; 8,064 pieces of 2 B in all
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "report/style.h"
#include "results/trace.h"

namespace heddle::report {

/// Sentences without the verdict, for lines that already say it.
std::string independence_sentence(const IndependenceReport& report);
/// A labelled line, "  independent    PROVED: ...", and one for what it was traced on.
std::string independence_text(const IndependenceReport& report, const Style& style);
nlohmann::json independence_json(const IndependenceReport& report);

}  // namespace heddle::report
