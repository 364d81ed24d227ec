#!/usr/bin/env python3
"""Runs the steps of the files in ci/ in a new repository, as GitHub, GitLab and pre-commit would.

    run.py --program build/heddle
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CI = ROOT / "ci"
PROGRAM = ""


class CiTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        (self.path / "bin").mkdir()
        (self.path / "bin/heddle").symlink_to(PROGRAM)
        self.environment = {**os.environ, "PATH": f"{self.path / 'bin'}{os.pathsep}{os.environ['PATH']}",
                            "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1",
                            **{f"GIT_{who}_{what}": "nobody" for who in ("AUTHOR", "COMMITTER")
                               for what in ("NAME", "EMAIL")}}
        self.repository = self.path / "repository"
        (self.repository / "kernels").mkdir(parents=True)
        shutil.copy(ROOT / "examples/kernels/stencil_2d.py", self.repository / "kernels")
        job = (ROOT / "examples/stencil_2d.toml").read_text()
        (self.repository / "stencil.toml").write_text(re.sub(r"\b8192\b", "128", job))
        for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "Begin"]):
            self.run_it("git", *words)

    def run_it(self, *words, **more):
        return subprocess.run([str(word) for word in words], cwd=self.repository, capture_output=True, text=True,
                              check=False, env={**self.environment, **more})

    def change(self, name):
        shutil.copy(ROOT / "examples/patches" / name, self.repository / "kernels/stencil_2d.py")

    def audit(self, *words):
        return self.run_it(sys.executable, CI / "heddle_ci.py", *words, "stencil.toml")

    def test_an_unchanged_kernel_is_not_audited(self):
        done = self.audit()
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        self.assertIn("has not changed", done.stderr)

    def test_a_right_change_is_proved(self):
        self.change("stencil_xcd.py")
        done = self.audit("--sarif", "out.sarif")
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        self.assertEqual(json.loads((self.repository / "out.sarif").read_text())["runs"][0]["results"], [])

    def test_a_wrong_change_is_refuted_in_every_format(self):
        self.change("stencil_skips.py")
        done = self.audit("--sarif", "o.sarif", "--markdown", "o.md", "--gitlab", "o.json", "--junit", "o.xml")
        self.assertEqual(done.returncode, 1, done.stderr)
        first = done.stdout.splitlines()[0]
        matcher = json.loads((CI / "problem_matcher.json").read_text())["problemMatcher"][0]["pattern"][0]
        found = re.match(matcher["regexp"], first)
        self.assertEqual(found[matcher["file"]], "kernels/stencil_2d.py")
        self.assertEqual(found[matcher["severity"]], "error")
        self.assertIn("REFUTED: 12 of 16 tiles are computed", found[matcher["message"]])
        task = json.loads((CI / "tasks.json").read_text())["tasks"][0]["problemMatcher"]["pattern"]
        self.assertEqual(task["regexp"], matcher["regexp"])
        read = lambda name: (self.repository / name).read_text()
        self.assertGreaterEqual(len(json.loads(read("o.sarif"))["runs"][0]["results"]), 2)
        self.assertIn("**REFUTED**", read("o.md"))
        entry = json.loads(read("o.json"))[0]
        self.assertEqual((entry["location"]["path"], entry["severity"]), ("kernels/stencil_2d.py", "major"))
        suite = xml.etree.ElementTree.fromstring(read("o.xml"))
        self.assertEqual((suite.get("tests"), suite.get("failures")), ("1", "1"))

    def test_an_error_is_a_failure(self):
        (self.repository / "kernels/stencil_2d.py").write_text("def (\n")
        done = self.audit("--junit", "o.xml")
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("kernels/stencil_2d.py:1: error: heddle:", done.stdout)
        self.assertNotEqual(self.audit("--base", "none").returncode, 0)

    def test_the_action_runs(self):
        """The commands of action.yml, with the variables that GitHub sets."""
        self.change("stencil_skips.py")
        text = (ROOT / "action.yml").read_text()
        steps = re.findall(r"^      run: (.*)$", text, flags=re.M)
        names = set(re.findall(r"^        (HEDDLE_\w+):", text, flags=re.M))
        values = {"HEDDLE_JOBS": "stencil.toml", "HEDDLE_BASE": "HEAD", "HEDDLE_SET": "rows=64 columns=64",
                  "HEDDLE_ALLOW_UNKNOWN": "false", "HEDDLE_SARIF": "heddle.sarif"}
        self.assertEqual(names, set(values))
        self.assertEqual(len(steps), 2)
        summary, output = self.path / "summary.md", self.path / "output"
        more = {**values, "GITHUB_ACTION_PATH": str(ROOT), "GITHUB_STEP_SUMMARY": str(summary),
                "GITHUB_OUTPUT": str(output)}
        first, second = (self.run_it("bash", "-e", "-o", "pipefail", "-c", step, **more) for step in steps)
        self.assertEqual(first.returncode, 0, first.stderr)
        self.assertEqual(second.returncode, 1, second.stderr)
        self.assertIn("::add-matcher::", second.stdout)
        self.assertIn("kernels/stencil_2d.py:", second.stdout)
        self.assertIn("**REFUTED**", summary.read_text())
        self.assertEqual(output.read_text(), "sarif=heddle.sarif\n")
        self.assertTrue((self.repository / "heddle.sarif").exists())

    def test_the_hook_of_pre_commit_runs(self):
        """language: script starts the entry itself, with args of the user, in the repository."""
        hook = (ROOT / ".pre-commit-hooks.yaml").read_text()
        self.assertIn("  language: script\n  pass_filenames: false\n", hook)
        entry = ROOT / re.search(r"^  entry: (.*)$", hook, flags=re.M)[1]
        files = re.compile(re.search(r"^  files: (.*)$", hook, flags=re.M)[1])
        self.assertTrue(files.search("kernels/stencil_2d.py") and not files.search("README.md"))
        for change, code in (("stencil_xcd.py", 0), ("stencil_skips.py", 1)):
            self.change(change)
            self.run_it("git", "add", ".")
            done = self.run_it(entry, "stencil.toml")
            self.assertEqual(done.returncode, code, done.stderr)

    def test_the_job_of_gitlab_runs(self):
        command = re.search(r"^    - (python3 .*)$", (CI / "gitlab.yml").read_text(), flags=re.M)[1]
        command = command.replace("/usr/share/heddle/ci", str(CI)).replace("python3", sys.executable, 1)
        for change, code, count in (("stencil_xcd.py", 0, 0), ("stencil_skips.py", 1, 2)):
            self.change(change)
            done = self.run_it("sh", "-c", command, CI_MERGE_REQUEST_DIFF_BASE_SHA="HEAD", HEDDLE_JOBS="*.toml")
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertGreaterEqual(len(json.loads((self.repository / "heddle.json").read_text())), count)
            suite = xml.etree.ElementTree.parse(self.repository / "heddle.xml").getroot()
            self.assertEqual(suite.get("failures"), str(code))

    def test_the_tasks_of_vs_code_run(self):
        tasks = json.loads((CI / "tasks.json").read_text())
        values = {"${input:job}": "stencil.toml", "${file}": str(self.repository / "kernels/stencil_2d.py"),
                  "/usr/share/heddle/ci/heddle_ci.py": str(CI / "heddle_ci.py"), "python3": sys.executable}
        self.assertEqual(tasks["inputs"][0]["id"], "job")
        audit, check = ([values.get(word, word) for word in (task["command"], *task["args"])] for task in tasks["tasks"])
        self.assertNotIn("$", " ".join(audit + check))
        done = self.run_it(*check)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout.startswith("PROVED"), done.stdout)
        self.change("stencil_skips.py")
        done = self.run_it(*audit)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("kernels/stencil_2d.py:", done.stdout)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    arguments, rest = parser.parse_known_args()
    PROGRAM = os.path.abspath(arguments.program)
    unittest.main(argv=[sys.argv[0], *rest])
