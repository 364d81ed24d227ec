#!/usr/bin/env python3
"""The pages that scripts/docs_site.py writes: every link leads somewhere, tags nest, no Markdown is left
in them, and the search knows every heading."""
import html.parser
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
VOID = {"meta", "link", "img", "input", "br"}
CODE = {"code", "pre", "script"}


class Reader(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.ids, self.links, self.text, self.faults = [], set(), [], "", []

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id":
                self.ids.add(value)
            if name in ("href", "src"):
                self.links.append(value)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> closes nothing")

    def handle_data(self, data):
        if not CODE & set(self.open):
            self.text += data


def faults_of(site):
    pages = {}
    for path in site.rglob("*.html"):
        pages[path] = Reader()
        pages[path].feed(path.read_text())
    for path, page in pages.items():
        name = path.relative_to(site)
        yield from (f"{name}: {fault}" for fault in page.faults + page.open)
        yield from (f"{name}: Markdown is left: {left!r}" for left in re.findall(r"\]\(|\*\*|`|\0", page.text))
        for link in page.links:
            target, _, anchor = link.partition("#")
            target = (path.parent / target).resolve() if target else path
            if re.match(r"[a-z]+:", link):
                continue
            if not target.exists() or (anchor and target in pages and anchor not in pages[target].ids):
                yield f"{name}: {link} leads nowhere"
    lines = (site / "search.js").read_text().split("];\n", 1)[0].removeprefix("const sections = [").split(",\n")
    known = {json.loads(line)[0] for line in lines}
    for path, page in pages.items():
        wanted = {f"{path.relative_to(site)}#{anchor}" for anchor in page.ids}
        if path.name != "search.html" and not wanted <= known:
            yield f"the search does not know {sorted(wanted - known)}"
    if len(pages) < 50 or not any(item.startswith("docs/sweep.html#slurm") for item in known):
        yield f"there are {len(pages)} pages"


def main():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, ROOT / "scripts/docs_site.py", folder], check=True, stdout=subprocess.DEVNULL)
        faults = list(faults_of(pathlib.Path(folder)))
    print("\n".join(faults) or "docs_site: good")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
