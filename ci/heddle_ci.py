#!/usr/bin/env python3
"""Audits the kernels that changed between two commits, for continuous integration.

    heddle_ci.py --base origin/main jobs/gemm.toml jobs/attention.toml

For every job whose kernel's file differs from the one in the base commit, `heddle audit --patch` judges
whether the new kernel does the work of the old one. Findings are printed a line each,

    kernels/gemm.py:41: error: order: REFUTED: 1,152 of 1,155 tiles are computed

and written as SARIF, Markdown, GitLab's code quality or JUnit where asked. The exit code is the worst of
all jobs: 0 nothing changed or all is proved, 1 refuted, 3 not known (0 with --allow-unknown), others as
heddle's. It needs git and heddle, and nothing of Python but itself.
"""
import argparse
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from xml.sax.saxutils import escape, quoteattr

VERDICTS = {0: "PROVED", 1: "REFUTED", 3: "UNKNOWN"}


def git(*words):
    done = subprocess.run(["git", *words], capture_output=True, check=False)
    return done.returncode, done.stdout


def kernel_of(job):
    """The path of the job's kernel, as git names it; jobs name it from their own folder."""
    found = re.search(r'^kernel\s*=\s*"([^"]+)"', pathlib.Path(job).read_text(encoding="utf-8"), flags=re.M)
    if found is None:
        sys.exit(f"heddle_ci: {job} names no kernel")
    return os.path.relpath(pathlib.Path(job).parent / found[1])


class Audit:
    """One job, and what was found in it."""

    def __init__(self, job, kernel):
        self.job, self.kernel = job, kernel
        self.code, self.sarif, self.message = 0, None, ""

    @property
    def verdict(self):
        return VERDICTS.get(self.code, "ERROR")

    def run(self, heddle, base, options):
        code, before = git("show", f"{base}:./{self.kernel}")
        if code:
            self.message = f"{self.kernel} is new"
            return
        if before == pathlib.Path(self.kernel).read_bytes():
            self.message = f"{self.kernel} has not changed"
            return
        with tempfile.TemporaryDirectory() as folder:
            old = pathlib.Path(folder) / pathlib.Path(self.kernel).name
            old.write_bytes(before)
            done = subprocess.run([heddle, "audit", "--patch", str(old), self.kernel, "--job", self.job, "--sarif",
                                   *options], capture_output=True, text=True, check=False)
        self.code = done.returncode
        if done.returncode in VERDICTS and done.stdout.strip():
            self.sarif = json.loads(done.stdout)
            self.message = f"{self.kernel} does the work of the one in {base}" if done.returncode == 0 else ""
        else:
            self.message = done.stderr.strip() or f"heddle ended with {done.returncode}"

    def findings(self):
        """(path, line, level, check, text) of what is not proved."""
        for run in (self.sarif or {}).get("runs", []):
            for result in run.get("results", []):
                place = result["locations"][0]["physicalLocation"]
                level = "error" if result.get("level") == "error" else "warning"
                yield (place["artifactLocation"]["uri"], place.get("region", {}).get("startLine", 1), level,
                       result["ruleId"], result["message"]["text"])
        if self.verdict == "ERROR":
            yield self.kernel, 1, "error", "heddle", self.message


def as_lines(audits):
    for audit in audits:
        for path, line, level, check, text in audit.findings():
            yield f"{path}:{line}: {level}: {check}: {text.splitlines()[0]}"


def as_sarif(audits):
    merged = None
    for audit in audits:
        if audit.sarif is not None and merged is None:
            merged = json.loads(json.dumps(audit.sarif))
        elif audit.sarif is not None:
            merged["runs"] += audit.sarif["runs"]
    return json.dumps(merged or {"version": "2.1.0", "runs": []}, indent=2) + "\n"


def cell(text):
    return text.replace("|", "\\|").replace("\n", "<br>")


def as_markdown(audits):
    rows = ["## heddle", "", "| job | kernel | verdict |", "|---|---|---|"]
    rows += [f"| `{cell(audit.job)}` | `{cell(audit.kernel)}` | **{audit.verdict}** {cell(audit.message)} |"
             for audit in audits]
    found = [finding for audit in audits for finding in audit.findings()]
    if found:
        rows += ["", "| place | check | what |", "|---|---|---|"]
        rows += [f"| `{cell(path)}:{line}` | {check} | {cell(text)} |" for path, line, _, check, text in found]
    return "\n".join(rows) + "\n"


def as_gitlab(audits):
    entries = []
    for audit in audits:
        for path, line, level, check, text in audit.findings():
            mark = hashlib.sha256(f"{path}\n{check}\n{text}".encode()).hexdigest()
            entries.append({"description": text, "check_name": f"heddle/{check}", "fingerprint": mark,
                            "severity": "major" if level == "error" else "minor",
                            "location": {"path": path, "lines": {"begin": line}}})
    return json.dumps(entries, indent=2) + "\n"


def as_junit(audits):
    cases = []
    for audit in audits:
        found = list(audit.findings())
        inner = "".join(f"<failure message={quoteattr(f'{check}: {text.splitlines()[0]}')}>"
                        f"{escape(f'{path}:{line}: {text}')}</failure>" for path, line, _, check, text in found)
        cases.append(f"  <testcase classname=\"heddle\" name={quoteattr(audit.job)}>{inner}</testcase>\n")
    failed = sum(1 for audit in audits if any(True for _ in audit.findings()))
    return (f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="heddle" tests="{len(audits)}" '
            f'failures="{failed}">\n{"".join(cases)}</testsuite>\n')


def worst(audits, allow_unknown):
    codes = [audit.code for audit in audits if not (allow_unknown and audit.code == 3)]
    for code in (1, 2, 4, 5):
        if code in codes:
            return code
    return max(codes, default=0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("jobs", nargs="+", help="job files; one whose kernel did not change is skipped")
    parser.add_argument("--base", default="HEAD", help="the commit to compare with (HEAD: what is not committed yet)")
    parser.add_argument("--heddle", default="heddle", help="the program")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="as of heddle audit")
    parser.add_argument("--allow-unknown", action="store_true", help="UNKNOWN does not fail")
    writers = {"sarif": as_sarif, "markdown": as_markdown, "gitlab": as_gitlab, "junit": as_junit}
    for name in writers:
        parser.add_argument(f"--{name}", metavar="FILE", help=f"also write {name}")
    arguments = parser.parse_args()
    if git("rev-parse", "--verify", "--quiet", f"{arguments.base}^{{commit}}")[0]:
        sys.exit(f"heddle_ci: there is no commit {arguments.base}; fetch it first")
    options = [word for value in arguments.set for word in ("--set", value)]
    audits = [Audit(job, kernel_of(job)) for job in arguments.jobs]
    for audit in audits:
        audit.run(arguments.heddle, arguments.base, options)
        print(f"{audit.verdict}  {audit.job}" + (f": {audit.message}" if audit.message else ""), file=sys.stderr)
    for line in as_lines(audits):
        print(line)
    for name, writer in writers.items():
        if getattr(arguments, name):
            pathlib.Path(getattr(arguments, name)).write_text(writer(audits), encoding="utf-8")
    return worst(audits, arguments.allow_unknown)


if __name__ == "__main__":
    sys.exit(main())
