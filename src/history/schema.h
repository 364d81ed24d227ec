// The tables of a history: made in an empty file, checked in any other.
//
//   runs         one row a search: what it ran on; `started` is for people
//   ends         how it ended; none: it was killed
//   attempts     one row an order of a run
//   predictions  one row a fidelity of an attempt; without a prediction, one that says so
//
// Rules
//   1. make_tables is one transaction: a file is empty or whole. Of two processes one makes them.
//   2. check_tables only reads. It refuses what SQLite's integrity_check finds, tables that are not
//      these to the letter, and any row whose last cell is not the checksum of the others.
//   3. Rows are written by write_row alone, which adds that checksum.
#pragma once

#include <string>

#include "history/database.h"

namespace heddle::history {

/// Without tables, and nobody's.
bool has_no_tables(Database& database);
void make_tables(Database& database);
void check_tables(Database& database);

/// "attempts.iteration, attempts.proposer, ...": all columns but the checksum.
std::string column_list(const std::string& table);
/// How many these are.
std::size_t column_count(const std::string& table);

/// A row of all columns but the checksum; one with that id is replaced.
void write_row(Database& database, const std::string& table, Row row);

}  // namespace heddle::history
