#include "kernel/triton/syntax.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "support/child_process.h"
#include "support/program_path.h"

namespace heddle::kernel::triton {
namespace {

// One node: [kind, line, column, end line, end column, text, constant kind, {field: [nodes]}].
// Columns of Python's trees count bytes from 0. The modules `ast` and `json` would do the same; to
// import them takes longer than all the rest.
constexpr const char* kScript = R"python(
import _ast, gc, sys
try: from _json import encode_basestring_ascii as quoted
except ImportError: from json import dumps as quoted
gc.disable()

DEPTH = 150
NODES = 250000
SKIPPED = ("ctx", "type_comment", "type_ignores", "kind")
OPERATORS = (_ast.operator, _ast.unaryop, _ast.boolop)
source = sys.stdin.buffer.read()
text = source.decode("utf-8", "replace")
names_of = {}
count = 0

def fail(line, column, message):
    sys.stdout.write('{"error":[%d,%d,%s]}' % (line or 0, column or 0, quoted(str(message))))
    sys.exit(0)

def written(value):
    try: value.encode("utf-8")
    except UnicodeEncodeError: return ascii(value), "other"  # a lone surrogate
    return value, "text"

def constant(value):
    if value is None: return "", "none"
    if value is True or value is False: return "1" if value else "", "boolean"
    if isinstance(value, int): return hex(value), "integer"
    if isinstance(value, float): return repr(value), "real"
    if isinstance(value, str): return written(value)
    if value is Ellipsis: return "", "ellipsis"
    return ascii(value), "other"

def shown(kind, place, words, constant_kind="", fields=""):
    return '["%s",%s,%s,"%s",{%s}]' % (kind, place, quoted(words), constant_kind, fields)

def listed(items, depth, place):
    return ",".join(shown("Absent", place, "") if item is None else dump(item, depth, place)
                    for item in items)

def dump(node, depth, place):
    global count
    kind = node.__class__
    if kind.__name__ == "Index": return dump(node.value, depth, place)  # Python 3.8 wraps what stands in brackets
    if kind.__name__ == "ExtSlice":
        return shown("Tuple", place, "", "", '"elts":[%s]' % listed(node.dims, depth + 1, place))
    if hasattr(node, "lineno"):
        place = "%d,%d,%d,%d" % (node.lineno, node.col_offset + 1,
                                 node.end_lineno, node.end_col_offset + 1)
    count += 1
    if count > NODES:
        fail(*map(int, place.split(",")[:2]), "the file has more than %d syntax nodes" % NODES)
    if depth > DEPTH: return shown("TooDeep", place, "")
    if kind is _ast.Constant: return shown("Constant", place, *constant(node.value))
    names = names_of.get(kind)
    if names is None:
        names = names_of[kind] = [name for name in node._fields if name not in SKIPPED]
    words, fields = "", []
    for name in names:
        value = getattr(node, name, None)
        if value is None: continue
        if value.__class__ is list:
            if value and isinstance(value[0], _ast.cmpop):
                words = " ".join(one.__class__.__name__ for one in value)
            elif value and value[0].__class__ is str: words = " ".join(value)
            elif value: fields.append('"%s":[%s]' % (name, listed(value, depth + 1, place)))
        elif value.__class__ is str:
            if name == "asname": fields.append('"asname":[%s]' % shown("Name", place, value))
            else: words = value
        elif isinstance(value, OPERATORS): words = value.__class__.__name__
        elif isinstance(value, _ast.AST):
            fields.append('"%s":[%s]' % (name, dump(value, depth + 1, place)))
        elif value: fields.append('"%s":[%s]' % (name, shown("Number", place, str(value))))
    return shown(kind.__name__, place, words, "", ",".join(fields))

try:
    tree = compile(text, "<kernel>", "exec", _ast.PyCF_ONLY_AST)
    result = dump(tree, 0, "0,0,0,0")
    if source != text.encode("utf-8"): result = result.replace('""', '"damaged"', 1)
except SyntaxError as error:
    fail(error.lineno, error.offset, error.msg)
except (RecursionError, MemoryError):
    fail(0, 0, "nested too deeply for Python's own parser")
except ValueError as error:
    fail(0, 0, error)
sys.stdout.write(result)
)python";

constexpr std::size_t kSourceLimit = std::size_t{2} << 20;
/// A file at the limits takes 4 s; machines that are shared take several times as long.
constexpr std::chrono::seconds kParseLimit{60};

ConstantKind constant_kind(const std::string& text) {
  if (text == "boolean") return ConstantKind::boolean;
  if (text == "integer") return ConstantKind::integer;
  if (text == "real") return ConstantKind::real;
  if (text == "text") return ConstantKind::text;
  if (text == "ellipsis") return ConstantKind::ellipsis;
  if (text == "other") return ConstantKind::other;
  return ConstantKind::none;
}

Node node_of(const nlohmann::json& json) {
  Node node;
  node.kind = json[0].get<std::string>();
  node.begin = {json[1].get<int>(), json[2].get<int>()};
  node.end = {json[3].get<int>(), json[4].get<int>()};
  node.text = json[5].get<std::string>();
  node.constant = constant_kind(json[6].get<std::string>());
  if (node.constant == ConstantKind::real) node.real = std::strtod(node.text.c_str(), nullptr);
  for (const auto& [name, values] : json[7].items()) {
    Field field{name, {}};
    for (const auto& value : values) field.nodes.push_back(node_of(value));
    node.fields.push_back(std::move(field));
  }
  return node;
}

/// The last texts that were parsed: a file is read again for every launch of it, and starting Python
/// takes longer than all the rest.
class KeptTexts {
 public:
  std::optional<Node> find(const std::string& text) {
    const std::lock_guard lock(mutex_);
    for (const auto& [kept, node] : all_)
      if (kept == text) return node;
    return std::nullopt;
  }
  void keep(const std::string& text, const Node& node) {
    constexpr std::size_t kMostTexts = 16;
    constexpr std::size_t kMostBytes = std::size_t{64} << 10;
    if (text.size() > kMostBytes) return;
    const std::lock_guard lock(mutex_);
    all_.emplace_back(text, node);
    if (all_.size() > kMostTexts) all_.pop_front();
  }

 private:
  std::mutex mutex_;
  std::deque<std::pair<std::string, Node>> all_;
};

KeptTexts& kept_texts() {
  static KeptTexts kept;
  return kept;
}

/// The Pythons to ask, one after the other. The first in PATH may be a script that looks for the
/// one that is meant, which takes longer than parsing: the first real interpreter comes before it.
std::vector<std::string> pythons() {
  const std::vector<std::string> found = programs_in_path("python3");
  const auto real = std::ranges::find_if_not(found, is_script);
  std::vector<std::string> names;
  if (real != found.end() && real != found.begin()) names.push_back(*real);
  names.emplace_back("python3");
  return names;
}

/// What one Python says of a text: its tree, or an object with an error.
nlohmann::json ask(const std::string& python, const std::string& text, const std::string& path) {
  ChildLimits limits;
  limits.time = kParseLimit;
  const ChildResult child =
      run_child({python, "-I", "-S", "-W", "ignore", "-c", kScript}, text, limits);
  if (child.timed_out)
    throw Error(fmt::format("Python did not parse the file in {} s", kParseLimit.count()),
                "give a smaller file")
        .in(path);
  nlohmann::json json = nlohmann::json::parse(child.output, nullptr, false);
  return child.exit_code == 0 ? json : nlohmann::json(nlohmann::json::value_t::discarded);
}

}  // namespace

const std::vector<Node>& Node::list(std::string_view field) const {
  static const std::vector<Node> kNothing;
  for (const Field& candidate : fields)
    if (candidate.name == field) return candidate.nodes;
  return kNothing;
}

const Node& Node::at(std::string_view field) const {
  const std::vector<Node>& nodes = list(field);
  if (nodes.size() == 1) return nodes.front();
  throw Error(fmt::format("a {} without its {}", kind, field), "write it as Python does")
      .at({}, begin);
}

Node parse_python(const std::string& text, const std::string& path) {
  if (text.size() > kSourceLimit)
    throw Error("the file is larger than 2 MiB", "give a file that holds the kernel only").in(path);
  if (auto known = kept_texts().find(text)) return std::move(*known);
  nlohmann::json json;
  for (const std::string& python : pythons()) {
    json = ask(python, text, path);
    if (json.is_array()) break;  // others may know newer syntax
  }
  if (json.is_discarded())
    throw Error("Python could not parse the file", "check it with python3 -m py_compile").in(path);
  if (json.is_object()) {
    const auto& error = json["error"];
    throw Error(error[2].get<std::string>(), "give a file that Python reads, with the kernel only")
        .at(path, {error[0].get<int>(), error[1].get<int>()});
  }
  Node node = node_of(json);
  kept_texts().keep(text, node);
  return node;
}

}  // namespace heddle::kernel::triton
