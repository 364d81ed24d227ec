"""Looks at emitted Triton text: is anything divided twice, unused, or used before it is set?

    python3 inspect_orders.py MODULE      prints one line per fault, nothing where there is none

MODULE holds one function per order, as python_program.h writes it.
"""
import ast
import sys


class Inspector:
    """Walks one function in the order in which it runs."""

    def __init__(self, function):
        self.function = function
        self.versions = {argument.arg: 0 for argument in function.args.args}
        self.used = set()
        self.assigned = {}
        self.faults = []

    def run(self):
        self.block(self.function.body, [set()])
        for name, line in self.assigned.items():
            if name not in self.used:
                self.fault(line, f"{name} is set and never used")
        return self.faults

    def fault(self, line, text):
        self.faults.append(f"{self.function.name} line {line - self.function.lineno}: {text}")

    def block(self, statements, divisions):
        for statement in statements:
            if isinstance(statement, ast.Assign):
                self.expression(statement.value, divisions)
                for target in statement.targets:
                    self.store(target)
            elif isinstance(statement, (ast.If, ast.While)):
                self.branch(statement, divisions)
            elif isinstance(statement, ast.Return) and statement.value is not None:
                self.expression(statement.value, divisions)

    def branch(self, statement, divisions):
        self.expression(statement.test, divisions)
        before = dict(self.versions)
        self.block(statement.body, divisions + [set()])
        after = dict(self.versions)
        self.versions = dict(before)
        self.block(statement.orelse, divisions + [set()])
        both = isinstance(statement, ast.If) and statement.orelse
        for name, version in after.items():
            if name in before or not both or name in self.versions:
                latest = max(version, self.versions.get(name, 0))
                self.versions[name] = latest + (version != before.get(name))
        if both:
            for name in list(self.versions):
                if name not in before and name not in after:
                    del self.versions[name]

    def store(self, target):
        for name in target.elts if isinstance(target, ast.Tuple) else [target]:
            self.versions[name.id] = self.versions.get(name.id, 0) + 1
            self.assigned.setdefault(name.id, name.lineno)

    def expression(self, node, divisions):
        for part in ast.walk(node):
            if isinstance(part, ast.Name) and part.id not in ("tl", "min", "max"):
                self.used.add(part.id)
                if part.id not in self.versions:
                    self.fault(part.lineno, f"{part.id} is used before it is set")
            if isinstance(part, ast.BinOp) and isinstance(part.op, (ast.FloorDiv, ast.Mod)):
                key = (self.text(part.left), self.text(part.right))
                if any(key in known for known in divisions):
                    self.fault(part.lineno, f"{ast.unparse(part)} divides once more")
                divisions[-1].add(key)

    def text(self, node):
        """The expression with the version of each name in it."""
        names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
        versions = sorted((name, self.versions.get(name, 0)) for name in names)
        return ast.unparse(node), tuple(versions)


def main():
    with open(sys.argv[1], encoding="utf-8") as text:
        tree = ast.parse(text.read())
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            for fault in Inspector(node).run():
                print(fault)


if __name__ == "__main__":
    main()
