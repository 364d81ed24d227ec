"""Random integer expressions of kernels, with the lines that name their parts.

    words = Expressions(seed)
    words.block((8, 4)).text      "((s3 + tl.arange(0, 8)[:, None] * n1) + o5)"
"""
import dataclasses
import math
import random

LIMIT = 2**31
ELEMENTS_A_BLOCK = 128


@dataclasses.dataclass
class Expr:
    """An integer expression of a kernel."""
    text: str
    shape: tuple = ()
    bound: int = 0           # its absolute value is at most this
    constant: bool = False   # a Python int for the compiler, not a block
    bits: int = 32


def broadcast_shape(a, b):
    rank = max(len(a), len(b))
    a = (1,) * (rank - len(a)) + a
    b = (1,) * (rank - len(b)) + b
    return tuple(max(x, y) for x, y in zip(a, b))


class Expressions:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []
        self.indent = 1
        self.names = 0
        self.scalars = {}      # run-time arguments
        self.constants = {}    # constexprs
        self.known = []        # scalar expressions in scope

    # ---- small choices ----
    def chance(self, share):
        return self.random.random() < share

    def pick(self, *items):
        return self.random.choice(items)

    def fresh(self, stem):
        self.names += 1
        return f"{stem}{self.names}"

    def line(self, text):
        self.lines.append("    " * self.indent + text)

    def assign(self, stem, expr):
        name = self.fresh(stem)
        self.line(f"{name} = {expr.text}")
        return dataclasses.replace(expr, text=name, constant=False)

    # ---- the signature ----
    def argument(self, low, high):
        name = f"n{len(self.scalars)}"
        value = self.random.randint(low, high)
        self.scalars[name] = value
        return Expr(name, (), abs(value))

    def constant(self, value):
        name = f"C{len(self.constants)}"
        self.constants[name] = value
        return Expr(name, (), abs(value), constant=True)

    # ---- scalar expressions ----
    def scalar_leaf(self):
        choice = self.random.random()
        if choice < 0.6 and self.known:
            return self.random.choice(self.known)
        if choice < 0.8:
            return self.argument(2, 40) if len(self.scalars) < 5 else Expr(
                *self.random.choice([(name, (), value) for name, value in self.scalars.items()]))
        value = self.random.randint(-9, 20)
        return Expr(f"({value})" if value < 0 else str(value), (), abs(value), constant=True)

    def positive(self):
        """A divisor."""
        if self.chance(0.5) and self.scalars:
            name, value = self.random.choice(list(self.scalars.items()))
            if value > 0:
                return Expr(name, (), value)
        value = self.random.randint(1, 17)
        return Expr(str(value), (), value, constant=True)

    def combine(self, a, b):
        """a op b, of any shapes."""
        shape = broadcast_shape(a.shape, b.shape)
        bits = max(a.bits, b.bits)
        constant = a.constant and b.constant
        operation = self.pick("+", "+", "+", "-", "-", "*", "*", "//", "%", "min", "max", "&")
        if operation in ("//", "%"):
            b = self.positive()
            bound = a.bound if operation == "//" else b.bound
            return Expr(f"({a.text} {operation} {b.text})", a.shape, bound,
                        a.constant and b.constant, a.bits)
        if operation in ("min", "max"):
            bound = max(a.bound, b.bound)
            if shape == () and not constant and self.chance(0.5):
                return Expr(f"{operation}({a.text}, {b.text})", shape, bound, False, bits)
            return Expr(f"tl.{operation}imum({a.text}, {b.text})", shape, bound, False, bits)
        if operation == "&":
            mask = self.pick(1, 3, 7, 15)
            return Expr(f"({a.text} & {mask})", a.shape, mask, a.constant, a.bits)
        bound = a.bound * b.bound if operation == "*" else a.bound + b.bound
        if bound >= LIMIT:
            return a
        return Expr(f"({a.text} {operation} {b.text})", shape, bound, constant, bits)

    def scalar(self, depth=2):
        if depth == 0 or self.chance(0.25):
            return self.scalar_leaf()
        a = self.scalar(depth - 1)
        special = self.random.random()
        if special < 0.06 and not a.constant and a.bits == 32:
            return dataclasses.replace(a, text=f"{self.wrapped(a)}.to(tl.int64)", bits=64)
        if special < 0.12:
            divisor = self.positive()
            if not (a.constant and divisor.constant):
                return Expr(f"tl.cdiv({a.text}, {divisor.text})", (), a.bound + 1, False, a.bits)
        if special < 0.18:
            b = self.scalar_leaf()
            if not a.constant and not b.constant and a.bits == b.bits == 32:
                comparison = self.pick("<", ">", "<=", "==", "!=")
                return Expr(f"({a.text} if {a.text} {comparison} {b.text} else {b.text})", (),
                            max(a.bound, b.bound))
        if special < 0.22 and not a.constant:
            return Expr(f"(-{self.wrapped(a)})", (), a.bound, False, a.bits)
        if special < 0.26 and not a.constant and a.bits == 32:
            return self.shifted(a)
        if special < 0.28:
            extent = 1 << self.random.randint(0, 4)
            function = self.pick("sum", "max", "min")
            block = f"tl.arange(0, {extent}) - {self.random.randint(0, extent)}"
            return Expr(f"tl.{function}({block}, 0)", (), extent * extent)
        return self.combine(a, self.scalar(depth - 1))

    def shifted(self, expr):
        """Shifts, exclusive or, and what narrow types keep of a number."""
        choice = self.pick("<<", ">>", "^", "uint8", "int8", "int16", "uint16")
        if choice == "<<":
            bits = self.random.randint(0, 4)
            if expr.bound << bits >= LIMIT:
                return expr
            return Expr(f"({expr.text} << {bits})", expr.shape, expr.bound << bits)
        if choice == ">>":
            return Expr(f"({expr.text} >> {self.random.randint(0, 5)})", expr.shape, expr.bound)
        if choice == "^":
            mask = self.random.randint(0, 31)
            return Expr(f"({expr.text} ^ {mask})", expr.shape, expr.bound + 32)
        return Expr(f"{self.wrapped(expr)}.to(tl.{choice}).to(tl.int32)", expr.shape, 1 << 16)

    def wrapped(self, expr):
        return expr.text if expr.text.isidentifier() else f"({expr.text})"

    def narrow(self, expr):
        """As int32, for what Triton wants 32 bits for."""
        if expr.bits == 64:
            return dataclasses.replace(expr, text=f"{self.wrapped(expr)}.to(tl.int32)", bits=32)
        return expr

    def as_scalar_name(self, expr):
        """Assigned, so that it is a block of one number and not a constant."""
        return self.assign("s", expr)

    def condition(self):
        a, b = self.scalar(1), self.scalar_leaf()
        if a.constant and b.constant:
            a = self.as_scalar_name(a)
        text = f"{a.text} {self.pick('<', '>', '<=', '>=', '==', '!=')} {b.text}"
        if self.chance(0.2):
            c = self.as_scalar_name(self.scalar_leaf())
            text = f"({text}) {self.pick('and', 'or', '&', '|')} ({c.text} % 2 == 0)"
        return f"not ({text})" if self.chance(0.1) else text

    # ---- blocks ----
    def block_shape(self):
        rank = self.pick(1, 1, 2, 2, 2, 3)
        shape = []
        left = ELEMENTS_A_BLOCK
        for _ in range(rank):
            extent = min(1 << self.random.randint(0, 5), left)
            shape.append(extent)
            left //= extent
        self.random.shuffle(shape)
        return tuple(shape)

    def axis_block(self, shape, axis):
        """An arange along one axis, with extents of 1 elsewhere."""
        extent = shape[axis]
        start = self.pick(0, 0, 0, extent)
        text = f"tl.arange({start}, {start + extent})"
        if extent in self.constants.values() and start == 0:
            name = next(n for n, value in self.constants.items() if value == extent)
            text = f"tl.arange(0, {name})"
        place = tuple(extent if k == axis else 1 for k in range(len(shape)))
        if len(shape) > 1:
            if self.chance(0.8):
                inside = ", ".join(":" if k == axis else "None" for k in range(len(shape)))
                text = f"{text}[{inside}]"
            elif self.chance(0.5):
                text = f"tl.reshape({text}, {list(place)})"
            else:
                for k in range(len(shape)):
                    if k != axis:
                        text = f"tl.expand_dims({text}, {k})"
        return Expr(text, place, start + extent)

    def affine_block(self, shape):
        """scalar + sum of (scalar + arange) * scalar."""
        total = self.scalar()
        if total.bound > 10**6:
            total = self.scalar_leaf()
        for axis in range(len(shape)):
            along = self.axis_block(shape, axis)
            if self.chance(0.4):
                along = self.combine_with(along, "+", self.scalar_leaf())
            if self.chance(0.75):
                along = self.combine_with(along, "*", self.scalar_leaf())
            if self.chance(0.5):
                along = self.assign("o", along)
            total = self.combine_with(total, self.pick("+", "+", "+", "-"), along)
        return self.full_shape(total, shape)

    def combine_with(self, a, operation, b):
        bound = a.bound * b.bound if operation == "*" else a.bound + b.bound
        if bound >= LIMIT:
            return a if len(a.shape) >= len(b.shape) else b
        return Expr(f"({a.text} {operation} {b.text})", broadcast_shape(a.shape, b.shape), bound,
                    a.constant and b.constant, max(a.bits, b.bits))

    def full_shape(self, expr, shape):
        if expr.shape == shape:
            return expr
        zeros = f"tl.zeros({list(shape)}, tl.int32)"
        return Expr(f"({expr.text} + {zeros})", shape, expr.bound, False, max(expr.bits, 32))

    def block(self, shape):
        """Mostly affine, sometimes not."""
        expr = self.affine_block(shape)
        choice = self.random.random()
        if choice < 0.12:
            expr = self.combine(expr, self.scalar_leaf())
        elif choice < 0.18:
            expr = self.combine(expr, self.affine_block(shape))
        elif choice < 0.24:
            other = self.affine_block(shape)
            expr = Expr(f"tl.where({self.mask(shape)}, {expr.text}, {other.text})", shape,
                        max(expr.bound, other.bound), False, max(expr.bits, other.bits))
        elif choice < 0.28:
            expr = dataclasses.replace(expr, text=f"{self.wrapped(expr)}.to(tl.int64)", bits=64)
        elif choice < 0.33 and len(shape) == 2:
            turned = self.affine_block(shape[::-1])
            text = self.pick("tl.trans({})", "({}).T", "tl.permute({}, (1, 0))")
            expr = dataclasses.replace(turned, text=text.format(turned.text), shape=shape)
        elif choice < 0.37:
            flat = self.affine_block((math.prod(shape),))
            expr = dataclasses.replace(flat, text=f"tl.reshape({flat.text}, {list(shape)})",
                                       shape=shape)
        elif choice < 0.40 and shape[-1] > 1:
            half = shape[:-1] + (shape[-1] // 2,)
            a, b = self.affine_block(half), self.affine_block(half)
            if a.bits == b.bits:
                expr = Expr(f"tl.interleave({a.text}, {b.text})", shape, max(a.bound, b.bound),
                            False, a.bits)
        elif choice < 0.43 and expr.bits == 32:
            expr = self.shifted(self.full_shape(expr, shape))
        elif choice < 0.45:
            expr = dataclasses.replace(self.full_shape(expr, shape))
            expr.text = f"tl.{self.pick('flip', 'sort')}({expr.text})"
        elif choice < 0.48 and len(shape) == 1:
            inner = self.affine_block(shape)
            if inner.bits == 32 and inner.bound * shape[0] < LIMIT:
                expr = Expr(f"tl.cumsum({inner.text}, 0)", shape, inner.bound * shape[0])
        return self.full_shape(expr, shape)

    def mask(self, shape):
        parts = []
        for _ in range(self.pick(1, 1, 2)):
            axis = self.random.randrange(len(shape))
            along = self.axis_block(shape, axis)
            if self.chance(0.5):
                along = self.combine_with(along, "+", self.scalar_leaf())
            comparison = self.pick("<", "<", "<", ">=", ">", "<=", "!=")
            parts.append(f"({along.text} {comparison} {self.scalar_leaf().text})")
        text = f" {self.pick('&', '&', '|')} ".join(parts)
        if self.chance(0.1):
            text = f"~({text})"
        return f"({text})" if len(parts) > 1 else text
