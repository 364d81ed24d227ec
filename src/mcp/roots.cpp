#include "mcp/roots.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "support/error.h"

namespace heddle::mcp {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kShownPath = 200;

/// A path as it may be printed.
std::string shown_path(const std::string& path) {
  std::string text;
  for (const char c : path.substr(0, kShownPath))
    text += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  return path.size() > kShownPath ? text + "..." : text;
}

int hexadecimal(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const int letter = std::tolower(static_cast<unsigned char>(c));
  return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

/// "/home/me/a%20b" -> "/home/me/a b"; empty where it is not written so.
std::string decoded(std::string_view text) {
  std::string path;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      path += text[i];
      continue;
    }
    if (i + 2 >= text.size()) return {};
    const int high = hexadecimal(text[i + 1]);
    const int low = hexadecimal(text[i + 2]);
    if (high < 0 || low < 0 || (high == 0 && low == 0)) return {};
    path += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return path;
}

/// Where a path leads that need not be there; empty where rule 3 forbids it.
fs::path led_to(const fs::path& path) {
  std::error_code error;
  fs::path existing = path;
  std::vector<fs::path> missing;
  while (!fs::exists(existing, error)) {
    if (error || fs::is_symlink(fs::symlink_status(existing, error))) return {};
    const fs::path name = existing.filename();
    if (name == ".." || !existing.has_relative_path()) return {};
    if (!name.empty() && name != ".") missing.push_back(name);
    existing = existing.parent_path();
  }
  fs::path whole = fs::canonical(existing, error);
  if (error) return {};
  for (auto name = missing.rbegin(); name != missing.rend(); ++name) whole /= *name;
  return whole;
}

void refuse_odd(const std::string& path) {
  if (path.empty()) throw Error("a path is empty", "name a file in one of the roots");
  if (path.find('\0') != std::string::npos)
    throw Error(fmt::format("'{}' is not a path", shown_path(path)), "leave out the null byte");
}

}  // namespace

bool Roots::add_folder(const std::string& path) {
  std::error_code error;
  const fs::path whole = fs::canonical(path, error);
  if (error || !fs::is_directory(whole, error) || !whole.has_relative_path()) return false;
  if (std::find(folders_.begin(), folders_.end(), whole.string()) == folders_.end())
    folders_.push_back(whole.string());
  return true;
}

bool Roots::add_uri(std::string_view uri) {
  constexpr std::string_view kScheme = "file://";
  if (!uri.starts_with(kScheme)) return false;
  uri.remove_prefix(kScheme.size());
  if (uri.starts_with("localhost/")) uri.remove_prefix(std::string_view("localhost").size());
  if (!uri.starts_with("/")) return false;  // another machine
  const std::string path = decoded(uri);
  return !path.empty() && path.find('\0') == std::string::npos && add_folder(path);
}

void Roots::add(const Roots& more) {
  for (const std::string& folder : more.folders_) add_folder(folder);
}

bool Roots::is_inside(const std::string& whole) const {
  return std::any_of(folders_.begin(), folders_.end(), [&](const std::string& folder) {
    return whole == folder || whole.starts_with(folder + "/");
  });
}

OutsideRoots Roots::outside(const std::string& path) const {
  return OutsideRoots(fmt::format("'{}' is not in the roots of this server", shown_path(path)),
                      folders_.empty()
                          ? "start heddle mcp with --root DIR"
                          : fmt::format("use a path in {}", fmt::join(folders_, ", ")));
}

std::string Roots::existing(const std::string& path) const {
  refuse_odd(path);
  std::vector<fs::path> places;
  if (fs::path(path).is_absolute()) places.emplace_back(path);
  if (places.empty())
    for (const std::string& folder : folders_) places.push_back(fs::path(folder) / path);
  bool is_missing = false;
  for (const fs::path& place : places) {
    std::error_code error;
    const fs::path whole = fs::canonical(place, error);
    if (!error && is_inside(whole.string())) return whole.string();
    is_missing |= static_cast<bool>(error) && is_inside(led_to(place).string());
  }
  if (is_missing)
    throw Error(fmt::format("'{}' does not exist", shown_path(path)),
                fmt::format("use a path in {}", fmt::join(folders_, ", ")));
  throw outside(path);
}

std::string Roots::writable(const std::string& path) const {
  refuse_odd(path);
  const bool is_whole = fs::path(path).is_absolute();
  if (!is_whole && folders_.empty()) throw outside(path);
  const fs::path whole = led_to(is_whole ? fs::path(path) : fs::path(folders_[0]) / path);
  if (whole.empty() || !is_inside(whole.string())) throw outside(path);
  return whole.string();
}

}  // namespace heddle::mcp
