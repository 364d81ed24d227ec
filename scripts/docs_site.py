#!/usr/bin/env python3
"""Writes the documentation as pages that a browser opens from the disk, with a search that needs no server.

    scripts/docs_site.py site          then open site/index.html

Pages are those of README.md, CHANGELOG.md, CONTRIBUTING.md, SECURITY.md and docs/; files that they link to are
copied. The Markdown is what these pages use: headings, paragraphs, lists, tables, blocks, quotes, links, images,
code, bold and italic. Anything else is shown as it stands.
"""
import argparse
import html
import json
import os
import pathlib
import re
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FIRST = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"]
MENU = [("README", "README.md"), ("All pages", "docs/README.md"), ("Install", "docs/install.md"),
        ("Command line", "docs/cli.md"), ("Changelog", "CHANGELOG.md")]

STYLE = """
:root { color-scheme: light dark; --line: #8884; --soft: #8881; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 0 1rem 4rem; }
nav { display: flex; flex-wrap: wrap; gap: 1rem; align-items: center; padding: .8rem 0; border-bottom: 1px solid var(--line); }
nav form { margin-left: auto; }
input { font: inherit; width: 16rem; max-width: 100%; }
pre { background: var(--soft); padding: .8rem; overflow-x: auto; font-size: 13px; line-height: 1.4; }
code { background: var(--soft); font-size: .9em; } pre code { background: none; font-size: 1em; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
th, td { border: 1px solid var(--line); padding: .25rem .6rem; text-align: left; vertical-align: top; }
img { max-width: 100%; } blockquote { border-left: 3px solid var(--line); margin-left: 0; padding-left: 1rem; }
.hit { margin: 1rem 0; } .hit small { display: block; opacity: .75; }
"""

SEARCH = """
const words = (new URLSearchParams(location.search).get("q") || "").toLowerCase().split(/\\s+/).filter(Boolean);
document.querySelector("input").value = words.join(" ");
const scored = [];
for (const [url, page, title, text] of sections) {
  const head = (page + " " + title).toLowerCase(), all = head + " " + text.toLowerCase();
  if (!words.length || !words.every(word => all.includes(word))) continue;
  let score = 0;
  for (const word of words) score += 20 * head.includes(word) + Math.min(all.split(word).length - 1, 10);
  scored.push([score, url, page, title, text]);
}
scored.sort((a, b) => b[0] - a[0]);
const list = document.getElementById("hits");
document.getElementById("count").textContent = words.length ? "Sections: " + scored.length : "Type words, then Enter.";
for (const [, url, page, title, text] of scored.slice(0, 50)) {
  const hit = document.createElement("div"), link = document.createElement("a"), words_around = document.createElement("small");
  const at = Math.max(0, text.toLowerCase().indexOf(words[0]) - 80);
  hit.className = "hit"; link.href = url; link.textContent = page === title ? page : page + ": " + title;
  words_around.textContent = text.slice(at, at + 240);
  hit.append(link, words_around); list.append(hit);
}
"""


def slug(heading):
    """The anchor that GitHub gives to a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def plain(text):
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"[`*|]", " ", text)


class Page:
    def __init__(self, site, source):
        self.site, self.source = site, source
        self.lines = (ROOT / source).read_text().split("\n")
        self.at = 0
        self.title, self.sections = source, []

    def target(self, link):
        """Where a link leads in the site; None: to nothing that is in it."""
        if re.match(r"[a-z]+:", link) or link.startswith("#"):
            return link
        path, _, anchor = link.partition("#")
        name = os.path.normpath(os.path.join(os.path.dirname(self.source), path))
        if (ROOT / name).is_dir():
            name = os.path.join(name, "README.md")
        if name.startswith("..") or not (ROOT / name).is_file():
            return None
        self.site.want(name)
        if name.endswith(".md"):
            name = name[:-3] + ".html"
        return os.path.relpath(name, os.path.dirname(self.source) or ".") + ("#" + anchor if anchor else "")

    def inline(self, text):
        kept = []

        def keep(markup):
            kept.append(markup)
            return f"\0{len(kept) - 1}\0"

        text = re.sub(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", lambda m: keep(f"<code>{html.escape(m[2].strip())}</code>"),
                      text, flags=re.S)
        text = html.escape(text, quote=False)

        def image(match):
            return keep(f'<img src="{html.escape(self.target(match[2]) or "")}" alt="{html.escape(match[1])}">')

        def link(match):
            target = self.target(html.unescape(match[2]))
            return keep(f'<a href="{html.escape(target)}">') + match[1] + keep("</a>") if target else match[1]

        text = re.sub(r"!\[([^\]]*)\]\(([^)\s]+)\)", image, text)
        text = re.sub(r"\[(\[[^\]]*\]|[^\]]+)\]\(([^)\s]+)\)", link, text)
        text = re.sub(r"&lt;(https?://[^\s&]+)&gt;", lambda m: keep(f'<a href="{m[1]}">') + m[1] + keep("</a>"), text)
        text = re.sub(r"\*\*(\S(?:.*?\S)?)\*\*", r"<strong>\1</strong>", text)
        text = re.sub(r"(?<![\w*])\*(\S(?:[^*]*?\S)?)\*(?![\w*])", r"<em>\1</em>", text)
        return re.sub(r"\0(\d+)\0", lambda m: kept[int(m[1])], text)

    def block(self):
        """A fenced block, from its first line."""
        first = self.lines[self.at]
        indent, fence = re.match(r"( *)(`{3,})", first).groups()
        body = []
        self.at += 1
        while self.at < len(self.lines) and not self.lines[self.at].strip() == fence:
            body.append(self.lines[self.at].removeprefix(indent))
            self.at += 1
        self.at += 1
        return "<pre><code>" + html.escape("\n".join(body)) + "</code></pre>\n"

    def table(self):
        rows = []
        while self.at < len(self.lines) and self.lines[self.at].lstrip().startswith("|"):
            cells = re.split(r"(?<!\\)\|", re.sub(r"`[^`]*`", lambda m: m[0].replace("|", "\\|"), self.lines[self.at].strip()))
            rows.append([cell.strip().replace("\\|", "|") for cell in cells[1:-1]])
            self.at += 1
        parts = []
        for number, row in enumerate(rows):
            if number == 1 and all(re.fullmatch(r":?-+:?", cell) for cell in row):
                continue
            kind = "th" if number == 0 else "td"
            parts.append("<tr>" + "".join(f"<{kind}>{self.inline(cell)}</{kind}>" for cell in row) + "</tr>")
        return "<table>\n" + "\n".join(parts) + "\n</table>\n"

    def list(self, indent):
        """Items at this indent, with what stands below them."""
        begin = re.match(r" *([*-]|\d+\.) ", self.lines[self.at])
        kind = "ol" if begin[1][0].isdigit() else "ul"
        parts = []
        while self.at < len(self.lines):
            match = re.match(r"( *)([*-]|\d+\.) +", self.lines[self.at])
            if not match or len(match[1]) != indent:
                break
            inner = len(match[0])
            self.lines[self.at] = " " * inner + self.lines[self.at][inner:]
            parts.append("<li>" + self.blocks(inner, tight=True) + "</li>")
        return f"<{kind}>\n" + "\n".join(parts) + f"\n</{kind}>\n"

    def blocks(self, indent=0, tight=False):
        parts = []
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if not line.strip():
                self.at += 1
                continue
            deep = len(line) - len(line.lstrip(" "))
            if deep < indent:
                break
            if re.match(r" *`{3,}", line):
                parts.append(self.block())
            elif line.lstrip().startswith("|"):
                parts.append(self.table())
            elif re.match(r" *([*-]|\d+\.) ", line):
                parts.append(self.list(deep))
            elif heading := re.match(r"(#+) +(.*)", line):
                parts.append(self.heading(len(heading[1]), heading[2]))
            else:
                text = self.paragraph(indent)
                parts.append(text + "\n" if tight and not parts else f"<p>{text}</p>\n")
        return "".join(parts)

    def heading(self, level, text):
        self.at += 1
        if level == 1:
            self.title = plain(text).strip()
        self.sections.append([slug(text), plain(text).strip(), self.at])
        return f'<h{level} id="{slug(text)}">{self.inline(text)}</h{level}>\n'

    def paragraph(self, indent):
        lines = []
        while self.at < len(self.lines):
            line = self.lines[self.at]
            is_other = re.match(r" *(`{3,}|\||#+ |[*-] |\d+\. )", line)
            if not line.strip() or (lines and (is_other or len(line) - len(line.lstrip(" ")) < indent)):
                break
            lines.append(line.strip().removeprefix("> "))
            self.at += 1
        return self.inline("\n".join(lines))

    def write(self, folder):
        body = self.blocks()
        up = os.path.relpath(".", os.path.dirname(self.source) or ".")
        out = folder / (self.source[:-3] + ".html")
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(frame(self.title, body, up))
        lines = (ROOT / self.source).read_text().split("\n")
        ends = [section[2] - 1 for section in self.sections[1:]] + [len(lines)]
        for (anchor, heading, begin), end in zip(self.sections, ends):
            text = re.sub(r"\s+", " ", plain("\n".join(lines[begin:end]))).strip()
            yield [f"{self.source[:-3]}.html#{anchor}", self.title, heading, text]


def frame(title, body, up):
    menu = " ".join(f'<a href="{up}/{page[:-3]}.html">{name}</a>' for name, page in MENU)
    return (f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}</title>\n'
            f'<meta name="viewport" content="width=device-width"><link rel="stylesheet" href="{up}/style.css"></head>\n'
            f'<body><nav>{menu}<form action="{up}/search.html"><input name="q" type="search" placeholder="Search" '
            f'aria-label="Search"></form></nav>\n{body}</body></html>\n')


class Site:
    def __init__(self):
        self.wanted, self.done = [], set()

    def want(self, name):
        if name not in self.done:
            self.done.add(name)
            self.wanted.append(name)

    def write(self, folder):
        for name in FIRST + sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md")):
            self.want(name)
        sections = []
        while self.wanted:
            name = self.wanted.pop(0)
            if name.endswith(".md"):
                sections += Page(self, name).write(folder)
            else:
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(ROOT / name, folder / name)
        (folder / "style.css").write_text(STYLE)
        text = ",\n".join(json.dumps(section, ensure_ascii=False) for section in sections)
        (folder / "search.js").write_text(f"const sections = [{text}];\n{SEARCH}")
        hits = '<h1>Search</h1>\n<p id="count"></p><div id="hits"></div><script src="search.js"></script>'
        (folder / "search.html").write_text(frame("Search", hits, "."))
        (folder / "index.html").write_text('<meta http-equiv="refresh" content="0; url=README.html">\n')
        return len(self.done), len(sections)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", help="where the site goes; files of the same names are replaced")
    folder = pathlib.Path(parser.parse_args().folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        files, sections = Site().write(folder)
    except OSError as error:
        sys.exit(f"docs_site: {error}")
    print(f"{folder}/index.html: {files} files, {sections} sections to search")


if __name__ == "__main__":
    main()
