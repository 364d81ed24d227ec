"""Pages in a real browser: headless Chromium opens what heddle writes.

    tests/html/run.py --program build/heddle [--keep FOLDER]

Of every page, light and dark: nothing is requested, the console has no error, no script of a name
runs, text stands out from what is behind it, nothing is wider than the window, ids are unique,
pictures have labels and tables captions. Sliders, hover, keyboard, colours, search, sorting and
switches do what they say. --keep also writes a screenshot of every page to a folder. Without
Chromium the exit code is 77: skipped.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from browser import Browser, find_chromium

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77
LEAST_CONTRAST = 4.5
LARGEST_BYTES = 5_000_000
SLOWEST_S = 5  # to open; on a machine that has nothing else to do it is below 1
HOSTILE = "<script>window.pwned=1<&>'\" onload=x"

# Text whose colour is too close to what is behind it.
CONTRAST = """(() => {
  const channel = v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  const light = c => 0.2126 * channel(c[0]) + 0.7152 * channel(c[1]) + 0.0722 * channel(c[2]);
  const parse = text => (text.match(/[\\d.]+/g) || []).map(Number);
  const behind = element => {
    for (let e = element; e; e = e.parentElement) {
      const c = parse(getComputedStyle(e).backgroundColor);
      if (c.length === 3 || c[3] > 0.99) return c;
    }
    return [255, 255, 255];
  };
  const poor = [];
  for (const element of document.querySelectorAll('body *')) {
    if (!element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true })) continue;
    const has = [...element.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
    if (!has || element.closest('script')) continue;
    const style = getComputedStyle(element);
    const front = parse(element instanceof SVGElement ? style.fill : style.color);
    const a = light(front), b = light(behind(element));
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < %f) poor.push(`${ratio.toFixed(2)}: ${element.tagName} ${element.textContent.slice(0, 40)}`);
  }
  return poor.slice(0, 5);
})()""" % LEAST_CONTRAST

UNNAMED = """(() => {
  const bad = [];
  const ids = [...document.querySelectorAll('[id]')].map(e => e.id);
  if (new Set(ids).size !== ids.length) bad.push('an id twice');
  for (const s of document.querySelectorAll('svg:not([aria-hidden])'))
    if (s.getAttribute('role') !== 'img' || !s.getAttribute('aria-label')) bad.push('a picture without a label');
  for (const t of document.querySelectorAll('table'))
    if (!t.caption || !t.caption.textContent.trim()) bad.push('a table without a caption');
  for (const c of document.querySelectorAll('input, select, button'))
    if (!(c.getAttribute('aria-label') || (c.labels && c.labels.length) || c.textContent.trim()))
      bad.push('a control without a name');
  for (const f of document.querySelectorAll('figure'))
    if (!f.querySelector('details table')) bad.push('a picture without its table: ' + f.textContent.slice(0, 40));
  if (document.querySelectorAll('main, header, h1').length !== 3) bad.push('landmarks');
  return [...new Set(bad)];
})()"""


class Pages:
    """What heddle writes, in a folder."""

    def __init__(self, program, folder):
        self.program = program
        self.folder = folder
        self.made = {}

    def heddle(self, *arguments, codes=(0,)):
        environment = {**os.environ, "HEDDLE_HISTORY": str(self.folder / "history.db")}
        done = subprocess.run([self.program, *arguments], capture_output=True, text=True, check=False,
                              cwd=ROOT, env=environment)
        if done.returncode not in codes:
            raise RuntimeError(f"heddle {' '.join(arguments)}: code {done.returncode}\n{done.stderr}")

    def make(self, name, *arguments, codes=(0,)):
        path = self.folder / (name + ".html")
        self.heddle(*arguments, "-o", str(path), codes=codes)
        self.made[name] = path

    def make_all(self):
        order = self.folder / (HOSTILE.replace("/", "") + ".txt")
        order.write_text("(p0 % 8) * (g0 // 8) + p0 // 8\n", encoding="utf-8")
        self.make("refuted", "check", str(order), "--grid", "100", codes=(1,))
        self.make("refuted_range", "check", "(p0 % 8) * (g0 // 8) + p0 // 8", "--grids", "9..40", codes=(1,))
        self.make("proved", "check", "xcd_chunk(8, 64) | group(8)", "--all-sizes")
        self.make("large", "check", "xcd(8)", "--grid", "2048x1024")
        self.make("plain", "check", "identity", "--grid", "256x256")
        self.make("simulated", "simulate", "examples/stencil_2d.toml", "--gpu", "mi300x", "--set", "rows=1024",
                  "--set", "columns=1024")
        out = self.folder / "out"
        self.heddle("optimize", "examples/stencil_2d.toml", "--gpu", "mi300x", "--set", "rows=1024", "--set",
                    "columns=2048", "--iterations", "12", "-o", str(out))
        self.made["optimized"] = out / "report.html"
        self.make("history", "history")
        self.make("run", "history", "--run", "1")
        self.make("compared", "history", "--compare", "1", "1")
        self.make("roofline", "roofline", "-p", "tests/golden/inputs/roofline/lab/MI200")
        self.make("panels", "analyze", "-p", "examples/workloads/scale/MI200", "-b", "2", "16", "17")
        self.make("audited", "audit", "examples/logs/stencil.log", "--grid", "256x256", "--let",
                  "M=8192,N=8192,BLOCK_SIZE_M=32,BLOCK_SIZE_N=32", codes=(1,))
        self.make("patched", "audit", "--patch", "examples/kernels/stencil_2d.py",
                  "examples/patches/stencil_xcd.py", "--job", "examples/stencil_2d.toml", "--set",
                  "rows=136,columns=150")
        self.make("merged", "merge", "validation/runs/gemm_wide/1")
        self.make("validated", "validate", "tests/golden/inputs/points.csv")


def check_page(browser, name, path, dark, folder):
    """What is wrong with a page."""
    wrong = []
    if path.stat().st_size > LARGEST_BYTES:
        wrong.append(f"{path.stat().st_size} bytes")
    page = browser.open(str(path), dark=dark)
    if page.seconds > SLOWEST_S:
        wrong.append(f"{page.seconds:.1f} s to open")
    if page.requests != [pathlib.Path(path).as_uri()]:
        wrong.append(f"requests {page.requests}")
    if page.evaluate("window.pwned === undefined") is not True:
        wrong.append("a name was run as a script")
    if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
        wrong.append("wider than the window")
    wrong += page.evaluate(CONTRAST)
    wrong += page.evaluate(UNNAMED)
    if not dark:
        wrong += check_controls(page)
        page.call("Emulation.setDeviceMetricsOverride", width=380, height=800, deviceScaleFactor=1, mobile=True)
        if page.evaluate("document.documentElement.scrollWidth > innerWidth + 1"):
            wrong.append("wider than a telephone")
        page.call("Emulation.setDeviceMetricsOverride", width=1280, height=900, deviceScaleFactor=1, mobile=False)
    if folder:
        page.screenshot(str(pathlib.Path(folder) / f"{name}_{'dark' if dark else 'light'}.png"))
    wrong += page.errors
    page.close()
    return [f"{name}{', dark' if dark else ''}: {one}" for one in wrong]


def tip_at(page, selector):
    """What is said with the pointer on the middle of an element."""
    for _ in range(20):  # scrolling ends when it ends, hides what is said, and lays out what comes into view
        x, y = page.evaluate(
            "(() => { const e = document.querySelector(%r); e.scrollIntoView({block: 'center', behavior: 'instant'});"
            " const b = e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; })()" % selector)
        time.sleep(0.05)
        page.move(x, y)
        words = page.evaluate("tip.hidden ? '' : tip.textContent")
        if words:
            return words
    return ""


def check_map(page):
    wrong = []
    if "launch id" not in tip_at(page, ".plane .tiles"):
        wrong.append("no hover on a tile map")
    page.evaluate("document.querySelector('.plane .tiles').focus()")
    page.key("ArrowRight")
    if "launch id" not in page.evaluate("tip.textContent"):
        wrong.append("no keyboard on a tile map")
    page.evaluate("(() => { const s = document.querySelector('.controls input'); s.value = 400;"
                  " s.dispatchEvent(new Event('input')); })()")
    words = page.evaluate("document.querySelector('.controls output').textContent")
    pale = page.evaluate("document.querySelector('.later').getAttribute('d').length")
    if " launched" not in words or pale == 0:
        wrong.append(f"the slider does nothing: {words}")
    has_times = page.evaluate("[...document.querySelector('.controls select').options].some(o => o.value === 'misses')")
    if has_times and "in flight" not in words:
        wrong.append(f"no tiles in flight: {words}")
    page.evaluate("(() => { const s = document.querySelector('.controls select'); s.value = 'turn';"
                  " s.dispatchEvent(new Event('change')); })()")
    if page.evaluate("document.querySelector('.plane .tiles').classList.contains('by-turn')") is not True:
        wrong.append("the colours stay")
    causes = page.evaluate("[...document.querySelectorAll('.controls select')].map(s =>"
                           " [...s.options].filter(o => o.value.startsWith('cause')).map(o => o.text)).flat()")
    if has_times and "L2 misses: cold" not in causes:
        wrong.append(f"no causes of misses: {causes}")
    if causes:
        page.evaluate("(() => { const s = document.querySelector('.controls select'); s.value = 'cause0';"
                      " s.dispatchEvent(new Event('change')); })()")
        if "L2 misses" not in page.evaluate("document.querySelector('.tiles-legend').textContent"):
            wrong.append("no colours of a cause")
        if " cold" not in tip_at(page, ".plane .tiles"):
            wrong.append("no cause on hover")
    page.evaluate("document.querySelector('.play').click()")
    before = page.evaluate("document.querySelector('.controls input').value")
    time.sleep(0.2)
    after = page.evaluate("document.querySelector('.controls input').value")
    page.evaluate("document.querySelector('.play').click()")
    if before == after:
        wrong.append("play does not play")
    return wrong


def check_table(page):
    wrong = []
    page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    rows = page.evaluate("document.querySelector('table.long').tBodies[0].rows.length")
    page.evaluate("(() => { const t = document.querySelector('table.long').parentNode.previousElementSibling;"
                  " t.value = 'no such row'; t.dispatchEvent(new Event('input')); })()")
    shown = page.evaluate("[...document.querySelector('table.long').tBodies[0].rows].filter(r => !r.hidden).length")
    page.evaluate("(() => { const t = document.querySelector('table.long').parentNode.previousElementSibling;"
                  " t.value = ''; t.dispatchEvent(new Event('input')); })()")
    if shown != 0:
        wrong.append(f"search leaves {shown} of {rows} rows")
    page.evaluate("(() => { const b = document.querySelector('table.long th button'); b.click(); b.click(); })()")
    if page.evaluate("document.querySelector('table.long th:has(button)').getAttribute('aria-sort')") != "descending":
        wrong.append("a table does not sort")
    return wrong


def check_controls(page):
    wrong = []
    if page.evaluate("!!document.querySelector('.plane')"):
        wrong += check_map(page)
    if page.evaluate("!!document.querySelector('figure .mark[data-tip]')") and not tip_at(page, "figure .mark[data-tip]"):
        wrong.append("no hover on a point")
    if page.evaluate("!!document.querySelector('table.long')"):
        wrong += check_table(page)
    if page.evaluate("!!document.querySelector('input[data-series]')"):
        page.evaluate("document.querySelector('input[data-series]').click()")
        if page.evaluate("[...document.querySelectorAll('g[data-series]')].some(g => g.style.display === 'none')") is not True:
            wrong.append("a series cannot be hidden")
        page.evaluate("document.querySelector('input[data-series]').click()")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--keep", help="a folder for screenshots and pages")
    arguments = parser.parse_args()
    chromium = find_chromium()
    if chromium is None:
        print("skipped: Chromium is not installed (apt-get install chromium)")
        return SKIPPED
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(arguments.keep or temporary).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        pages = Pages(str(pathlib.Path(arguments.program).resolve()), folder)
        pages.make_all()
        failures = []
        with Browser(chromium) as browser:
            for name, path in pages.made.items():
                for dark in (False, True):
                    failures += check_page(browser, name, path, dark, arguments.keep)
    for failure in failures:
        print("FAILED", failure)
    print(f"{len(pages.made)} pages, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
