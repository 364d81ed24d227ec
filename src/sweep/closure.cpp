#include "sweep/closure.h"

#include <fmt/format.h>

#include <filesystem>
#include <string_view>

#include "config/fingerprint.h"
#include "config/toml_document.h"
#include "support/error.h"
#include "support/file.h"
#include "support/text.h"

namespace heddle::sweep {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestScanned = std::size_t{4} << 20;
constexpr std::size_t kLargestHashed = std::size_t{1} << 30;

bool is_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
}

/// Follows files from a job or a kernel, first come, first read.
class Walk {
 public:
  explicit Walk(const std::string& root) : root_(root) {}

  std::vector<std::string> run(const std::string& path) {
    if (path.ends_with(".toml")) {
      start_with_job(path);
    } else {
      home_ = fs::path(path).parent_path();
      add(path);
    }
    while (!open_.empty() && found_.size() < kMostClosure) {
      const std::string next = open_.back();
      open_.pop_back();
      scan(next);
    }
    return {found_.begin(), found_.end()};
  }

 private:
  void add(const fs::path& path) {
    const std::string name = path.lexically_normal().generic_string();
    if (found_.contains(name)) return;
    std::error_code error;
    if (!fs::is_regular_file(fs::path(root_) / name, error)) return;
    found_.insert(name);
    open_.push_back(name);
  }

  void start_with_job(const std::string& path) {
    found_.insert(fs::path(path).lexically_normal().generic_string());
    const fs::path folder = fs::path(path).parent_path();
    home_ = folder;
    try {
      const config::TomlNode job = config::read_toml((fs::path(root_) / path).string());
      if (const config::TomlNode* kernel = job.find("kernel"))
        home_ = (folder / kernel->text).parent_path();
      if (const config::TomlNode* include = job.find("include"))
        for (const config::TomlNode& item : include->items) include_.push_back(folder / item.text);
      add_texts(job, folder);
    } catch (const Error&) {
      // The unit will say what is wrong with the job.
    }
  }

  /// Rule 3.
  void add_texts(const config::TomlNode& node, const fs::path& folder) {
    if (node.kind == config::TomlNode::Kind::text && node.text.size() < 4096) {
      add(folder / node.text);
      for (std::size_t begin = node.text.find_first_of("'\""); begin != std::string::npos;) {
        const std::size_t end = node.text.find(node.text[begin], begin + 1);
        if (end == std::string::npos) break;
        add(folder / node.text.substr(begin + 1, end - begin - 1));
        begin = node.text.find_first_of("'\"", end + 1);
      }
    }
    for (const config::TomlNode& item : node.items) add_texts(item, folder);
  }

  void scan(const std::string& path) {
    const std::string ending = fs::path(path).extension().string();
    const bool is_python = ending == ".py";
    if (!is_python && (ending == ".toml" || ending == ".npy" || ending == ".csv")) return;
    std::string text;
    try {
      text = read_text((fs::path(root_) / path).string(), kLargestScanned);
    } catch (const Error&) {
      return;  // its hash says so
    }
    if (is_python)
      scan_python(text, fs::path(path).parent_path());
    else
      scan_cxx(text, fs::path(path).parent_path());
  }

  // ---- Python ---------------------------------------------------------------------------------

  void scan_python(const std::string& text, const fs::path& folder) {
    std::error_code error;
    for (fs::path package = folder;
         fs::is_regular_file(fs::path(root_) / package / "__init__.py", error);
         package = package.parent_path()) {
      add(package / "__init__.py");
      if (package.empty()) break;
    }
    for (std::size_t at = 0; at < text.size(); ++at) {
      if (at > 0 && is_name(text[at - 1])) continue;
      if (text.compare(at, 5, "from ") == 0)
        scan_from(text, at + 5, folder);
      else if (text.compare(at, 7, "import ") == 0)
        for (const std::string& name : names_after(text, at + 7)) find(name, folder);
    }
  }

  /// "a.b as c, d" and "(a,\n b)": a.b and d, a and b.
  static std::vector<std::string> names_after(const std::string& text, std::size_t at) {
    std::vector<std::string> names;
    const std::size_t most = std::min(text.size(), at + 4096);
    bool in_brackets = false;
    bool skips = false;  // after "as"
    while (at < most) {
      const char c = text[at];
      if (c == '(') in_brackets = true;
      if (c == ')' || c == ';' || (c == '\n' && !in_brackets && text[at - 1] != '\\')) break;
      if (c == '#') at = std::min(text.find('\n', at), most) - 1;
      if (!is_name(c)) {
        ++at;
        continue;
      }
      const std::size_t begin = at;
      while (at < most && is_name(text[at])) ++at;
      const std::string word = text.substr(begin, at - begin);
      if (word != "as" && !skips) names.push_back(word);
      skips = word == "as";
    }
    return names;
  }

  /// "from ..pkg.tools import cdiv".
  void scan_from(const std::string& text, std::size_t at, const fs::path& folder) {
    while (at < text.size() && text[at] == ' ') ++at;
    fs::path base = folder;
    bool is_relative = false;
    for (; at < text.size() && text[at] == '.'; ++at) {
      if (is_relative) base = base.parent_path();
      is_relative = true;
    }
    std::size_t end = at;
    while (end < text.size() && is_name(text[end])) ++end;
    const std::string module = text.substr(at, end - at);
    const std::size_t import = text.find("import", end);
    if (import == std::string::npos || import > end + 64) return;
    std::vector<std::string> names = names_after(text, import + 6);
    names.emplace_back();  // the module itself
    if (is_relative) add(base / "__init__.py");
    for (const std::string& name : names) {
      const std::string whole = module.empty() ? name : name.empty() ? module : module + "." + name;
      if (is_relative)
        look_up(whole, base);
      else
        find(whole, folder);
    }
  }

  void find(const std::string& name, const fs::path& folder) {
    look_up(name, home_);
    if (folder != home_) look_up(name, folder);
  }

  void look_up(const std::string& name, const fs::path& folder) {
    fs::path at = folder;
    for (const std::string_view part : split(name, '.')) {
      if (part.empty()) continue;
      at /= part;
      add(at.string() + ".py");
      add(at / "__init__.py");
    }
  }

  // ---- C++ ------------------------------------------------------------------------------------

  void scan_cxx(const std::string& text, const fs::path& folder) {
    for (const std::string_view line : split_lines(text)) {
      std::string_view code = trim(line);
      if (!code.starts_with('#')) continue;
      code = trim(code.substr(1));
      if (!code.starts_with("include") && !code.starts_with("embed")) continue;
      const std::size_t open = code.find_first_of("\"<");
      if (open == std::string_view::npos) continue;
      const std::size_t close = code.find(code[open] == '<' ? '>' : '"', open + 1);
      if (close == std::string_view::npos) continue;
      const std::string name(code.substr(open + 1, close - open - 1));
      add(folder / name);
      add(home_ / name);
      for (const fs::path& include : include_) add(include / name);
    }
  }

  const std::string& root_;
  fs::path home_;                  ///< of the kernel
  std::vector<fs::path> include_;  ///< folders of the job
  std::set<std::string> found_;
  std::vector<std::string> open_;
};

}  // namespace

const std::string& Closures::text_hash(const std::string& path) {
  const auto [at, is_new] = hashes_.try_emplace(path);
  if (!is_new) return at->second;
  try {
    at->second = config::fingerprint(read_text((fs::path(root_) / path).string(), kLargestHashed));
  } catch (const Error&) {
    at->second = "unreadable";
  }
  return at->second;
}

const Closures::Closure& Closures::closure(const std::string& path) {
  const auto [at, is_new] = known_.try_emplace(path);
  Closure& result = at->second;
  if (!is_new) return result;
  result.files = Walk(root_).run(path);
  std::string text;
  for (const std::string& file : result.files) text += file + " " + text_hash(file) + "\n";
  result.fingerprint = config::fingerprint(text);
  return result;
}

const std::vector<std::string>& Closures::files(const std::string& path) {
  return closure(path).files;
}

const std::string& Closures::fingerprint(const std::string& path) {
  return closure(path).fingerprint;
}

}  // namespace heddle::sweep
