#!/usr/bin/env python3
"""Runs the commands of the documentation and compares what they print with what stands there.

    scripts/check_docs.py --program build/heddle            compares README.md, docs/ and docs/checks/
    scripts/check_docs.py --program build/heddle --update   rewrites the output in them
    scripts/check_docs.py --program build/heddle docs/check.md ...   runs the commands of these pages only

A command is a line '$ ...' of a ```console block (continued by a backslash or by '> ' lines), run
from the project's root with the program as `heddle`. Links between the pages must lead somewhere,
docs/README.md links every page of docs/, and every id of `heddle explain` has its page in docs/checks/.
Ends with 'N passed, N failed'.
"""
import argparse
import concurrent.futures
import difflib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def commands_of(block):
    lines = block.split("\n")
    commands = []
    i = 0
    while i < len(lines):
        if lines[i].startswith("$ "):
            command = [lines[i]]
            while command[-1].endswith("\\") or (i + 1 < len(lines) and lines[i + 1].startswith("> ")):
                i += 1
                command.append(lines[i])
            commands.append(command)
        i += 1
    return commands


def run_block(block, environment):
    output = ""
    last = 0
    for command in commands_of(block):
        text = "\n".join(re.sub("^> ", "", line) for line in command)[2:]
        if text == "echo $?":
            printed = f"{last}\n"
        else:
            result = subprocess.run(["bash", "-c", text], cwd=ROOT, env=environment, text=True,
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            printed, last = result.stdout, result.returncode
        output += "\n".join(command) + "\n" + printed
    return "```console\n" + output + "```"


def page_now(page, environment):
    """The text of a page, with what its commands print now."""
    return re.sub(r"```console\n(.*?)```", lambda m: run_block(m.group(1), environment), page.read_text(),
                  flags=re.S)


def without_blocks(text):
    return re.sub(r"```.*?```", "", text, flags=re.S)


def anchors_of(page):
    """Those that GitHub gives to the headings."""
    headings = re.findall(r"^#+ +(.*)$", without_blocks(page.read_text()), flags=re.M)
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}


def broken_links(page):
    for link in re.findall(r"\]\(([^)\s]+)\)", without_blocks(page.read_text())):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        if not target.exists():
            yield f"{page.relative_to(ROOT)}: there is no {link}"
        elif anchor and target.suffix == ".md" and anchor not in anchors_of(target):
            yield f"{page.relative_to(ROOT)}: there is no heading for {link}"


def check_pages(environment):
    """Ids without a page, pages without an id, and ids that the table leaves out."""
    printed = subprocess.run(["heddle", "explain", "--json"], env=environment, text=True, check=True,
                             stdout=subprocess.PIPE).stdout
    ids = {entry["id"] for entries in json.loads(printed).values() if isinstance(entries, list) for entry in entries}
    pages = {page.stem for page in (ROOT / "docs/checks").glob("*.md")}
    table = (ROOT / "docs/checks.md").read_text()
    yield from (f"docs/checks/{name}.md is missing" for name in sorted(ids - pages))
    yield from (f"docs/checks/{name}.md is about no check and no finding" for name in sorted(pages - ids))
    yield from (f"docs/checks.md does not link checks/{name}.md" for name in sorted(ids)
                if f"](checks/{name}.md)" not in table)


def missing_in_index():
    folder = ROOT / "docs"
    index = (folder / "README.md").read_text()
    for page in sorted({*folder.glob("*.md"), *folder.glob("*/README.md")} - {folder / "README.md"}):
        if f"]({page.relative_to(folder)})" not in index:
            yield f"docs/README.md does not link {page.relative_to(folder)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("pages", nargs="*", help="run the commands of these pages only", metavar="PAGE")
    arguments = parser.parse_args()
    passed = failed = 0
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "docs/checks").glob("*.md"))]
    linking = pages + sorted((ROOT / "examples").rglob("README.md"))
    if arguments.pages:
        pages = [pathlib.Path(page).resolve() for page in arguments.pages]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        (pathlib.Path(folder) / "heddle").symlink_to(pathlib.Path(arguments.program).resolve())
        environment = dict(os.environ, PATH=folder + os.pathsep + os.environ["PATH"], NO_COLOR="1",
                           TMPDIR="/tmp")  # paths of one length: output is wrapped
        environment.pop("COLUMNS", None)
        for page, after in zip(pages, pool.map(lambda page: page_now(page, environment), pages)):
            before = page.read_text()
            if before == after:
                passed += 1
            elif arguments.update:
                page.write_text(after)
                print(f"rewrote {page.relative_to(ROOT)}")
            else:
                failed += 1
                name = str(page.relative_to(ROOT))
                print("\n".join(difflib.unified_diff(before.split("\n"), after.split("\n"), name, "now", lineterm="")))
        for fault in [*check_pages(environment), *missing_in_index(), *(fault for page in linking for fault in broken_links(page))]:
            failed += 1
            print(fault)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
