#!/usr/bin/env python3
"""The files for the CI of others: the steps of action.yml and docs/ci/affirm.yml run here as their host would run them."""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SOURCES = pathlib.Path(__file__).resolve().parents[2]
AFFIRM = None
GOOD = "HloModule m\nENTRY e {\n  p = f32[4] parameter(0)\n  ROOT n = f32[4] negate(p)\n}\n"
UNKNOWN = "HloModule m\nENTRY e {\n  p = f32[4] parameter(0)\n  ROOT c = f32[4] custom-call(p), custom_call_target=\"x\"\n}\n"


def scripts_of(file):
    """What stands behind each `run: |` of a file, and behind `run: ` in a line."""
    found = []
    for step in re.finditer(r"^( *)run: (?:\|\n((?:\1  .*\n|\n)+)|(.*)\n)", file.read_text(), re.M):
        found.append(re.sub(f"^{step[1]}  ", "", step[2], flags=re.M) if step[2] else step[3])
    return found


class CiFiles(unittest.TestCase):
    def run_step(self, script, folder, status, **environment):
        path = os.pathsep.join([os.path.dirname(AFFIRM), os.environ["PATH"]])
        for name in ("output", "summary"):
            pathlib.Path(folder, name).touch()
        done = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script], cwd=folder, capture_output=True,
                              text=True, timeout=300, env=os.environ | environment | {
                                  "PATH": path, "GITHUB_OUTPUT": f"{folder}/output", "GITHUB_STEP_SUMMARY": f"{folder}/summary"})
        self.assertEqual(done.returncode, status, (script, done.stdout, done.stderr))
        return done

    def test_action(self):
        (script,) = scripts_of(SOURCES / "action.yml")
        inputs = {"VERB": "check", "ARGUMENTS": "*.hlo -j 2", "BASELINE": "known.json", "REPORTS": "out", "UNKNOWN": "fail", "ACCEPT": "proved"}
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "good one.hlo").write_text(GOOD)
            self.run_step(script, folder, 0, **inputs)
            self.assertEqual(json.loads(pathlib.Path(folder, "out.sarif").read_text())["runs"][0]["results"], [])
            self.assertEqual(pathlib.Path(folder, "output").read_text(), "status=0\n")
            pathlib.Path(folder, "unknown.hlo").write_text(UNKNOWN)
            self.run_step(script, folder, 2, **inputs)
            self.run_step(script, folder, 0, **inputs | {"UNKNOWN": "pass"})
            self.assertIn("custom-call 'c'", pathlib.Path(folder, "summary").read_text())
            subprocess.run([AFFIRM, "check", "unknown.hlo", "--write-baseline", "known.json"], cwd=folder, stdout=subprocess.DEVNULL)
            done = self.run_step(script, folder, 0, **inputs)
            self.assertIn("0 new, 2 known", done.stdout)
            self.run_step(script, folder, 3, **inputs | {"ARGUMENTS": "missing.hlo"})

    def test_workflow(self):
        check, audit, summary = scripts_of(SOURCES / "docs/ci/affirm.yml")
        text = (SOURCES / "docs/ci/affirm.yml").read_text()
        settings = dict(re.findall(r'^      (FILES|RULES): "(.*)"$', text, re.M))
        self.assertEqual(set(settings), {"FILES", "RULES"})
        with tempfile.TemporaryDirectory() as folder:
            for step in (check, audit, summary):  # a repository without either
                self.run_step(step, folder, 0, **settings)
            pathlib.Path(folder, "models").mkdir()
            pathlib.Path(folder, "models/u.hlo").write_text(UNKNOWN)
            pathlib.Path(folder, "rules").mkdir()
            pathlib.Path(folder, "rules/wrong.rules").write_text(
                "rule wrong: (x + y) floordiv c => x floordiv c + y floordiv c\n  when c > 0\n  why  it is not so\n")
            self.run_step(check, folder, 2, **settings)
            self.run_step(audit, folder, 1, **settings)
            self.run_step(summary, folder, 0, **settings)
            for name in ("affirm-check.sarif", "affirm-check.xml", "affirm-check.html", "affirm-audit.sarif", "affirm-audit.xml"):
                self.assertTrue(pathlib.Path(folder, name).stat().st_size, name)
            self.assertIn("rule of `wrong`", pathlib.Path(folder, "summary").read_text())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--affirm", required=True)
    options, rest = parser.parse_known_args()
    AFFIRM = os.path.abspath(options.affirm)
    unittest.main(argv=[sys.argv[0], *rest])
