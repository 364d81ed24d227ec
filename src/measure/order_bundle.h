// Orders of a search as candidates of a bundle.
#pragma once

#include <string>

#include "measure/bundle.h"
#include "results/optimization.h"

namespace heddle::measure {

/// `proof` is the scope of the order's proof, `text` the whole file with the order in it.
BundleCandidate order_candidate(const OrderAttempt& attempt, std::string proof, std::string text);

/// Candidate 0.
BundleCandidate original_candidate(const OrderAttempt& launch, std::string text);

/// A user-supplied file that is compared, not proved.
BundleCandidate file_candidate(std::string name, std::string text);

}  // namespace heddle::measure
