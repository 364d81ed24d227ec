// Attempts and predictions as rows of cells. The fields of the structs (results/fields.h) name the
// columns, write a row and read it back, so that the three cannot disagree.
//
//   attempts     iteration, proposer, formula, title, ..., counterexample, first, second, ...
//   predictions  fidelity, speedup, finalist, predicted, time_us, ..., l2_requests, l2_hits, ...
//
// Rules
//   1. from_row(row_of(x)) == x for every field that is stored: all of an OrderAttempt; of its
//      SimResult the totals. Names of GPU, kernel and order, occupancy, dies and notes are left
//      out.
//   2. A struct that may be absent has a column of its own, 0 or 1; the columns of an absent one
//      are NULL.
//   3. The columns are the file's format: a change of any is a new kVersion in file_check.h.
#pragma once

#include <string>
#include <vector>

#include "history/value.h"

namespace heddle::history {

struct Column {
  std::string name;
  std::string type;  ///< "INTEGER", "REAL", "TEXT"
};

std::vector<Column> attempt_columns();
std::vector<Column> prediction_columns();

/// What the order is and what is proved of it.
Row attempt_row(const OrderAttempt& attempt);
/// What it is predicted to do, at one fidelity.
Row prediction_row(const OrderAttempt& attempt);

/// Reads as many cells as there are columns, from `first` on. Fields of the other kind are left.
void read_attempt(const Row& row, std::size_t first, OrderAttempt& attempt);
void read_prediction(const Row& row, std::size_t first, OrderAttempt& attempt);

}  // namespace heddle::history
