// What a file is, by its first 100 bytes, before SQLite sees it: SQLite may write to what it opens.
//
//   check_file("history.db")   -> FileState::history
//   check_file("notes.txt")    -> Error: 'notes.txt' is not a history of heddle
//
// Rules
//   1. Nothing is written, created or locked.
//   2. A file that is not there is absent, one of 0 bytes empty. Anything else is a history of this
//      version or an Error: a folder, a text, somebody else's database, a newer version.
//   3. A file in write-ahead mode is refused: opening it would leave files beside it.
#pragma once

#include <cstdint>
#include <string>

namespace heddle::history {

/// "heddle" would not fit: four bytes at offset 68, which say whose database it is.
inline constexpr std::int64_t kApplicationId = 0x68646c68;  // "hdlh"
/// Of the tables; at offset 60.
inline constexpr std::int64_t kVersion = 1;

enum class FileState { absent, empty, history };

FileState check_file(const std::string& path);

}  // namespace heddle::history
