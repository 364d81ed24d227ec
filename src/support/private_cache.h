// Results that a program may use again, in a folder that is the user's alone.
//
//   const PrivateCache cache("clang", 256 << 20);
//   if (const auto known = cache.find(key)) return *known;
//   cache.keep(key, value);
//
// Rules
//   1. Entries lie in $XDG_CACHE_HOME/heddle/NAME or ~/.cache/heddle/NAME, a folder of the user's
//      with mode 0700. A folder that is somebody else's, a link, or open to others is not used, and
//      neither is such an entry. HEDDLE_CACHE=off switches all of it off.
//   2. The whole key is stored and compared: a hash only names the file. A damaged entry is none.
//   3. An entry is written under another name and renamed; the oldest go when there are more bytes
//      than the cache may have.
//   4. Nothing here is an Error: without a cache the work is done again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace heddle {

class PrivateCache {
 public:
  PrivateCache(const std::string& name, std::size_t most_bytes);

  bool is_on() const { return !folder_.empty(); }
  std::optional<std::string> find(const std::string& key) const;
  void keep(const std::string& key, std::string_view value) const;

 private:
  std::string path(const std::string& key) const;
  void make_room(std::size_t wanted) const;

  std::string folder_;  ///< empty: there is none, or none that can be trusted
  std::size_t most_bytes_;
};

/// Appends a part of a key or a value, with its length.
void put_part(std::string& out, std::string_view part);
/// Takes it off again; false where the text ends before the part does.
bool take_part(std::string_view& in, std::string& part);

/// Of a file: it is as it was as long as this is the same. "none" where there is no file.
std::string size_and_time(const std::string& path);

}  // namespace heddle
