#!/usr/bin/env python3
"""Verbs that the golden tests do not run with --json, beside their schemas; and the check itself.

    run.py --program build/heddle

Every verb with --json has a schema, and every schema is one of a verb. jsonschema, where it is
installed, must agree with validate.py.
"""
import argparse
import copy
import json
import pathlib
import subprocess
import sys
import tempfile

from documents import ROOT, faulty_documents
from validate import Schemas

SMALL = ["--set", "rows=256", "--set", "columns=256"]
SEARCH = ["--gpu", "mi300x", *SMALL, "--effort", "low", "--iterations", "2"]
STENCIL = "examples/stencil_2d.toml"


def commands(folder):
    history = str(folder / "history.db")
    yield ["optimize", STENCIL, *SEARCH, "--history", history, "-o", str(folder / "out")]
    yield ["history", history]
    yield ["history", history, "--run", "1"]
    yield ["bundle", "examples/copy.toml", "--gpu", "h200", "--set", "elements=65536", "--order", "xcd(8)",
           "-o", str(folder / "bundle")]
    yield ["profile", "examples/copy.toml", "--gpu", "mi210", "--set", "elements=65536", "-n", "copy",
           "-p", str(folder / "workloads")]
    yield ["merge", "validation/runs/gemm_wide/1"]
    yield ["gpus"]
    yield ["gpus", "mi300x"]
    yield ["doctor"]
    yield ["help"]
    yield ["capture", "-o", str(folder / "captured"), "--", "true"]
    yield ["check", STENCIL, *SMALL]
    yield ["trace", STENCIL, *SMALL, "--tile", "1,1"]
    yield ["calibrate", "tests/golden/inputs/points.csv", "--gpu", "h200"]


def with_json(words):
    place = words.index("--") if "--" in words else len(words)
    return [*words[:place], "--json", *words[place:]]


def run_all(program, failures):
    with tempfile.TemporaryDirectory() as name:
        documents = pathlib.Path(name) / "documents"
        documents.mkdir()
        for number, words in enumerate(commands(pathlib.Path(name))):
            done = subprocess.run([program, *with_json(words)], cwd=ROOT, capture_output=True, text=True, check=False)
            (documents / f"{words[0]}.{number}").write_text(done.stdout, encoding="utf-8")
            if '"error"' in done.stdout and words[0] != "calibrate":
                failures.append(f"heddle {' '.join(words)}: {done.stderr}")
        failures += faulty_documents(documents)


def check_names(program, failures):
    done = subprocess.run([program, "help", "--json"], capture_output=True, text=True, check=True)
    verbs = {verb["name"] for verb in json.loads(done.stdout)["verbs"]
             if any("--json" in flag["names"] for flag in verb["flags"])}
    names = set(Schemas(ROOT / "docs/schemas").names()) - {"common", "error"}
    failures += [f"docs/schemas: {name} is a verb or a schema, not both" for name in sorted(verbs ^ names)]


def spoilt(document):
    """Copies of a document, each with one thing wrong."""
    for change in (lambda one: one.pop("verdict"), lambda one: one.update(more=1),
                   lambda one: one.update(verdict="PERHAPS"), lambda one: one.update(version=2),
                   lambda one: one.update(order=7), lambda one: one["grid"].append("x")):
        other = copy.deepcopy(document)
        change(other)
        yield other


def check_validator(program, failures):
    done = subprocess.run([program, "check", "xcd(8)", "--grid", "64", "--json"], capture_output=True, text=True,
                          check=True)
    good = json.loads(done.stdout)
    schemas = Schemas(ROOT / "docs/schemas")
    failures += schemas.problems("check", good)
    failures += [f"nothing is wrong with {one}" for one in spoilt(good) if not schemas.problems("check", one)]
    try:
        import jsonschema
        import referencing
    except ImportError:
        print("jsonschema is not installed: validate.py alone was used")
        return
    files = {name: schemas.file(f"{name}.schema.json") for name in schemas.names()}
    for schema in files.values():
        jsonschema.Draft202012Validator.check_schema(schema)
    registry = referencing.Registry().with_resources(
        (f"{name}.schema.json", referencing.Resource.from_contents(schema)) for name, schema in files.items())
    other = jsonschema.Draft202012Validator(files["check"], registry=registry)
    failures += [error.message for error in other.iter_errors(good)]
    failures += [f"jsonschema accepts {one}" for one in spoilt(good) if other.is_valid(one)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    program = str(pathlib.Path(parser.parse_args().program).resolve())
    failures = []
    check_names(program, failures)
    check_validator(program, failures)
    run_all(program, failures)
    for failure in failures:
        print(failure)
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
