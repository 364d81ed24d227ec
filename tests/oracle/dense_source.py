"""Runs a kernel's own Python source with the dense versions of triton and triton.language.

The source is changed a little before it runs, where a kernel means something else than Python:
  x = 5           makes a scalar block, not a Python int (x: tl.constexpr = 5 stays a constant)
  tl.load(p)      is told the line it stands on
  a and b, not a  work on blocks
  a if c else b   gives a block if c is one
"""
import ast
import sys
import types

import dense_language
from dense_language import FUNCTIONS
from dense_values import Block, DenseError, as_block, cast, int1, invert

MEMORY_CALLS = {name for name in FUNCTIONS if name.startswith("atomic_")} | {
    "load", "store", "gather", "scatter", "load_tensor_descriptor", "store_tensor_descriptor"}


def call(name, *arguments):
    return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])


def later(expression):
    nothing = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
    return ast.Lambda(nothing, expression)


class Rewriter(ast.NodeTransformer):
    def __init__(self, language_names):
        self.language_names = language_names  # what triton.language is called here
        self.depth = 0

    def visit_FunctionDef(self, node):
        self.depth += 1
        node.body = [self.visit(statement) for statement in node.body]
        self.depth -= 1
        return node

    def visit_Assign(self, node):
        self.generic_visit(node)
        if self.depth:
            node.value = call("_assigned", node.value)
        return node

    def visit_AugAssign(self, node):
        self.generic_visit(node)
        target = ast.Name(node.target.id, ast.Load())
        value = call("_assigned", ast.BinOp(target, node.op, node.value))
        return ast.Assign([node.target], value)

    def visit_AnnAssign(self, node):
        self.generic_visit(node)
        constant = "constexpr" in ast.unparse(node.annotation)
        return ast.Assign([node.target], node.value if constant else call("_assigned", node.value))

    def visit_Return(self, node):
        self.generic_visit(node)
        if node.value is not None:
            node.value = call("_assigned", node.value)
        return node

    def visit_Call(self, node):
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and node.func.attr in MEMORY_CALLS:
            of_language = (isinstance(node.func.value, ast.Name)
                           and node.func.value.id in self.language_names)
            # x.gather(...) of a descriptor is memory, tl.gather(...) is not.
            if node.func.attr != "gather" or not of_language:
                node.keywords.append(ast.keyword("_line", ast.Constant(node.lineno)))
        return node

    def visit_BoolOp(self, node):
        self.generic_visit(node)
        name = "_both" if isinstance(node.op, ast.And) else "_either"
        result = node.values[0]
        for value in node.values[1:]:
            result = call(name, result, later(value))
        return result

    def visit_UnaryOp(self, node):
        self.generic_visit(node)
        return call("_negated", node.operand) if isinstance(node.op, ast.Not) else node

    def visit_IfExp(self, node):
        self.generic_visit(node)
        return call("_chosen", node.test, later(node.body), later(node.orelse))


def _assigned(value):
    if isinstance(value, tuple):
        return tuple(_assigned(part) for part in value)
    return as_block(value) if isinstance(value, (bool, int, float)) else value


def _both(a, b):
    if not isinstance(a, Block):
        return b() if a else a
    b = b()
    if not isinstance(b, Block):
        return a if b else b
    return cast(a, int1) & cast(b, int1)


def _either(a, b):
    if not isinstance(a, Block):
        return a if a else b()
    b = b()
    if not isinstance(b, Block):
        return b if b else a
    return cast(a, int1) | cast(b, int1)


def _negated(a):
    return invert(cast(a, int1)) if isinstance(a, Block) else not a


def _chosen(condition, then, otherwise):
    value = then() if condition else otherwise()
    return _assigned(value) if isinstance(condition, Block) else value


def _builtin(of_blocks, of_numbers):
    def function(*values):
        if any(isinstance(value, Block) for value in values):
            result = values[0]
            for value in values[1:]:
                result = of_blocks(result, value)
            return result
        return of_numbers(*values)
    return function


class Kernel:
    """A @triton.jit function with what its decorators say."""

    def __init__(self, function):
        self.function = function
        self.name = function.__name__
        self.configs = []
        self.heuristics = {}
        self.called = False

    def __call__(self, *arguments, **named):
        return self.function(*arguments, **named)


class Config:
    def __init__(self, kwargs, num_warps=4, num_stages=3, **_):
        self.kwargs = kwargs
        self.num_warps = num_warps
        self.num_stages = num_stages


def jit(function=None, **_):
    return Kernel(function) if function is not None else Kernel


def autotune(configs, key, **_):
    def decorate(kernel):
        kernel.configs = configs
        return kernel
    return decorate


def heuristics(values):
    def decorate(kernel):
        kernel.heuristics = values
        return kernel
    return decorate


def cdiv(a, b):
    return -(-a // b)


def next_power_of_2(n):
    return 1 << max(n - 1, 0).bit_length()


def fake_modules():
    triton = types.ModuleType("triton")
    language = types.ModuleType("triton.language")
    math = types.ModuleType("triton.language.math")
    for name, value in FUNCTIONS.items():
        setattr(language, name, value)
        setattr(math, name, value)
    language.math = math
    language.extra = types.SimpleNamespace(libdevice=math)
    triton.language = language
    triton.jit, triton.autotune, triton.heuristics = jit, autotune, heuristics
    triton.Config, triton.cdiv, triton.next_power_of_2 = Config, cdiv, next_power_of_2
    return {"triton": triton, "triton.language": language, "triton.language.math": math}


def language_names(tree):
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.asname or alias.name for alias in node.names
                      if alias.name == "triton.language"}
        if isinstance(node, ast.ImportFrom) and node.module == "triton":
            names |= {alias.asname or alias.name for alias in node.names
                      if alias.name == "language"}
    return names


def load_kernel(path, function_name=None):
    """The kernel of a file. Without a name: the only one that no other function calls."""
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text, str(path))
    called = {node.func.id for node in ast.walk(tree)
              if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    tree = ast.fix_missing_locations(Rewriter(language_names(tree)).visit(tree))
    names = {
        "__name__": "kernel", "range": FUNCTIONS["range"], "_assigned": _assigned, "_both": _both,
        "_either": _either, "_negated": _negated, "_chosen": _chosen,
        "min": _builtin(dense_language.minimum, min), "max": _builtin(dense_language.maximum, max)}
    modules = fake_modules()
    before = {name: sys.modules.get(name) for name in modules}
    sys.modules.update(modules)
    try:
        exec(compile(tree, str(path), "exec"), names)
    finally:
        for name, module in before.items():
            if module is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module
    kernels = {name: value for name, value in names.items() if isinstance(value, Kernel)}
    if function_name is None:
        free = [name for name in kernels if name not in called]
        if len(free) != 1:
            raise DenseError(f"{path} has {len(free)} kernels that nothing calls: {free}")
        function_name = free[0]
    if function_name not in kernels:
        raise DenseError(f"{path} has no kernel {function_name}")
    return kernels[function_name]
