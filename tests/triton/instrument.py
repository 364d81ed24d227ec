"""Rewrites a Triton kernel so that it logs the pointers of every memory instruction.

    tl.load(p, mask=m)  ->  tl.load(trace_pointers(trace_log, trace_counts, p, m, 3), mask=m)
    tl.load(block)      ->  trace_N = trace_numbers(trace_log, trace_counts, tl.load(twin), 4)
                            tl.load(block)

Every function gets the log as its first two parameters. Needs neither Triton nor PyTorch.
"""
import ast
import copy

LOG = "trace_log"
COUNTS = "trace_counts"
TWIN = "_twin"

PRELUDE = '''import triton
import triton.language as tl

TRACE_CAPACITY = tl.constexpr({capacity})
TRACE_ROW = tl.constexpr({row})


@triton.jit
def trace_row(log, counts, SITE: tl.constexpr, elements):
    """The next row of this program's log, its header written."""
    program = tl.program_id(0) + tl.num_programs(0) * (
        tl.program_id(1) + tl.num_programs(1) * tl.program_id(2))
    slot = tl.atomic_add(counts + program, 1)
    slot = tl.minimum(slot, TRACE_CAPACITY - 1)
    row = log + (program.to(tl.int64) * TRACE_CAPACITY + slot) * TRACE_ROW
    tl.store(row, SITE)
    tl.store(row + 1, elements)
    return row + 2


@triton.jit
def trace_words(log, counts, words, SITE: tl.constexpr):
    """Logs a scalar or a block of int64 in row-major order."""
    if len(words.shape) == 0:
        row = trace_row(log, counts, SITE, 1)
        tl.store(row, words)
    else:
        row = trace_row(log, counts, SITE, words.numel)
        if len(words.shape) == 1:
            place = tl.arange(0, words.shape[0])
        elif len(words.shape) == 2:
            place = tl.arange(0, words.shape[0])[:, None] * words.shape[1]
            place = place + tl.arange(0, words.shape[1])[None, :]
        else:
            place = tl.arange(0, words.shape[0])[:, None, None] * words.shape[1]
            place = (place + tl.arange(0, words.shape[1])[None, :, None]) * words.shape[2]
            place = place + tl.arange(0, words.shape[2])[None, None, :]
        tl.store(row + place, words)


@triton.jit
def trace_pointers(log, counts, pointer, mask, SITE: tl.constexpr):
    address = pointer.to(tl.int64)
    if mask is not None:
        address = tl.where(mask, address, 0)
    trace_words(log, counts, address, SITE)
    return pointer


@triton.jit
def trace_numbers(log, counts, numbers, SITE: tl.constexpr):
    trace_words(log, counts, numbers.to(tl.int64), SITE)
    return 0

'''

KINDS = {"load": "read", "store": "write"}


def name(text):
    return ast.Name(text, ast.Load())


def is_language_call(node, *functions):
    return (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name) and node.func.value.id == "tl"
            and node.func.attr in functions)


def is_memory(node):
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and (
        node.func.attr in KINDS or node.func.attr.startswith("atomic_"))


class TwinNames(ast.NodeTransformer):
    """The same expression about the twins of tensors and block pointers."""

    def __init__(self, names):
        self.names = names

    def visit_Name(self, node):
        return ast.Name(node.id + TWIN, node.ctx) if node.id in self.names else node


class Instrument(ast.NodeTransformer):
    def __init__(self, functions, tensors):
        self.functions = functions  # names of the file's own jit functions
        self.tensors = tensors      # parameters that are tensors
        self.blocks = {}            # block pointers in scope: name -> tensor
        self.sites = []             # (line, kind, tensor where twins are read, else None)
        self.before = []            # statements to put before the current one
        self.uses_twins = False

    def site(self, node, tensor=None):
        kind = KINDS.get(node.func.attr, "atomic")
        self.sites.append((node.lineno, kind, tensor))
        return ast.Constant(len(self.sites) - 1)

    # ---- statements ----
    def visit_FunctionDef(self, node):
        self.blocks = {}
        for parameter in (COUNTS, LOG):
            node.args.args.insert(0, ast.arg(parameter))
        node.decorator_list = [ast.Attribute(name("triton"), "jit", ast.Load())]
        node.body = self.statements(node.body)
        return node

    def statements(self, body):
        result = []
        for statement in body:
            outer, self.before = self.before, []
            after = self.follow_block_pointer(statement)
            if isinstance(statement, (ast.For, ast.While, ast.If)):
                statement.body = self.statements(statement.body)
                statement.orelse = self.statements(statement.orelse)
            else:
                statement = self.visit(statement)
            result += self.before + [statement] + after
            self.before = outer
        return result

    def follow_block_pointer(self, statement):
        """What keeps the twin of a block pointer in step."""
        if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name):
            return []
        target, value = statement.targets[0].id, statement.value
        if is_language_call(value, "make_block_ptr"):
            used = [node.id for node in ast.walk(value)
                    if isinstance(node, ast.Name) and node.id in self.tensors]
            self.blocks[target] = used[0]
            names = set(used)
        elif (isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute)
              and value.func.attr == "advance"):
            names = set(self.blocks)
            self.blocks.setdefault(target, next(
                self.blocks[node.id] for node in ast.walk(value)
                if isinstance(node, ast.Name) and node.id in self.blocks))
        else:
            return []
        self.uses_twins = True
        twin = TwinNames(names).visit(copy.deepcopy(value))
        return [ast.Assign([ast.Name(target + TWIN, ast.Store())], twin)]

    # ---- expressions ----
    def visit_Call(self, node):
        if isinstance(node.func, ast.Name) and node.func.id in self.functions:
            self.generic_visit(node)
            node.args[:0] = [name(LOG), name(COUNTS)]
            return node
        if not is_memory(node):
            self.generic_visit(node)
            return node
        of_language = is_language_call(node, node.func.attr)
        first = node.args[0] if of_language and node.args else None
        if of_language and isinstance(first, ast.Name) and first.id in self.blocks:
            self.log_twin(node, self.blocks[first.id], is_block_pointer=True)
        elif not of_language and isinstance(node.func.value, ast.Name):
            self.log_twin(node, node.func.value.id, is_block_pointer=False)
        elif of_language:
            return self.log_pointers(node)
        self.generic_visit(node)
        return node

    def log_twin(self, node, tensor, is_block_pointer):
        """A load of the twin, logged before the statement."""
        self.uses_twins = True
        if is_block_pointer:
            keywords = [copy.deepcopy(k) for k in node.keywords if k.arg == "boundary_check"]
            if keywords:
                keywords.append(ast.keyword("padding_option", ast.Constant("zero")))
            block = name(node.args[0].id + TWIN)
            load = ast.Call(ast.Attribute(name("tl"), "load", ast.Load()), [block], keywords)
        else:
            load = ast.Call(ast.Attribute(name(tensor + TWIN), "load", ast.Load()),
                            [copy.deepcopy(node.args[0])], [])
        note = ast.Call(name("trace_numbers"), [name(LOG), name(COUNTS), load,
                                                self.site(node, tensor)], [])
        self.before.append(ast.Assign([ast.Name(f"trace_{len(self.sites)}", ast.Store())], note))

    def log_pointers(self, node):
        parameters = ["pointer", "mask", "other"] if node.func.attr == "load" else [
            "pointer", "cmp", "val"] if node.func.attr == "atomic_cas" else [
            "pointer", "value" if node.func.attr == "store" else "val", "mask"]
        given = dict(zip(parameters, node.args))
        given |= {keyword.arg: keyword.value for keyword in node.keywords}
        mask = copy.deepcopy(given.get("mask", ast.Constant(None)))
        # What is stored is computed first, and may contain loads of its own.
        given = {key: self.visit(value) for key, value in
                 sorted(given.items(), key=lambda item: item[0] == "pointer")}
        given["pointer"] = ast.Call(name("trace_pointers"), [
            name(LOG), name(COUNTS), given["pointer"], mask, self.site(node)], [])
        node.args = []
        node.keywords = [ast.keyword(key, value) for key, value in given.items()]
        return node


def instrumented(path, function, tensors, capacity, row):
    """The source that logs, the table of sites, and whether twins of the tensors are needed."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    kept = []
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    rewriter = Instrument(functions, tensors)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            kept.append(rewriter.visit(node))
        elif isinstance(node, ast.Assign):
            kept.append(node)
    if rewriter.uses_twins:
        kernel = next(n for n in kept if isinstance(n, ast.FunctionDef) and n.name == function)
        own = [argument.arg for argument in kernel.args.args]
        for tensor in reversed([one for one in tensors if one in own]):
            kernel.args.args.insert(2, ast.arg(tensor + TWIN))
    module = ast.fix_missing_locations(ast.Module(kept, []))
    text = PRELUDE.format(capacity=capacity, row=row) + ast.unparse(module) + "\n"
    return text, rewriter.sites, rewriter.uses_twins
