#!/usr/bin/env python3
"""Every format of every verb that reports: runs the tool, also on files whose names hold quotes, markup and bytes that are
no UTF-8, and reads what it prints with Python's readers of XML, HTML and JSON. SARIF is held against what SARIF 2.1.0
says of the parts that are in it (sarif_problems)."""
import argparse
import html.parser
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import urllib.parse
import xml.etree.ElementTree

try:  # a model of all of SARIF 2.1.0, and a reader of JUnit XML, where Python has them
    from junitparser import JUnitXml
    from sarif_pydantic import Sarif
except ImportError:
    JUnitXml = Sarif = None

SOURCES = pathlib.Path(__file__).resolve().parents[2]
AFFIRM = None

GOOD = "HloModule m\nENTRY e {\n  p = f32[4,8] parameter(0)\n  ROOT r = f32[4,8] reverse(p), dimensions={1}\n}\n"
UNKNOWN = "HloModule m\nENTRY e {\n  p = f32[4] parameter(0)\n  ROOT c = f32[4] custom-call(p), custom_call_target=\"x\"\n}\n"
RULES = """rule good: (c * x + y) floordiv c => x + y floordiv c
  when c > 1
  why  right
rule wrong: (x + y) floordiv c => x floordiv c + y floordiv c
  when c > 0
  why  it is not so
rule never: x mod c => x
  when c < 0
  why  a modulus is positive
"""
# As a file may be called.
ODD = [b"it's \"quoted\" & <b>.hlo", b"]]>-->.hlo", b"\xff\xfe\x80.hlo", b"`|`` [x](y).hlo", b"a\tb\nc%41.hlo",
       "größe \u2028\uffff.hlo".encode(), b"\x1b[31m\x01.hlo"]
FORMATS = ["text", "json", "markdown", "sarif", "junit", "html"]


def run(*arguments, status=None, folder=SOURCES, environment=None):
    done = subprocess.run([AFFIRM, *arguments], capture_output=True, cwd=folder, timeout=300,
                          env=os.environ | (environment or {}))
    assert status is None or done.returncode == status, (arguments, done.returncode, done.stdout, done.stderr)
    return done


class Page(html.parser.HTMLParser):
    """Checks that each element that is opened is closed, and collects what is loaded from elsewhere."""
    VOID = {"meta", "link", "br", "img", "hr", "input"}

    def __init__(self, text):
        super().__init__()
        self.open, self.elsewhere, self.words = [], [], []
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attributes):
        self.elsewhere += [(tag, name, value) for name, value in attributes if name in ("src", "href")]
        if tag == "script":
            self.elsewhere.append((tag, "", ""))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, (self.open, tag)
        self.open.pop()

    def handle_data(self, data):
        self.words.append(data)


def sarif_problems(log):
    """What SARIF 2.1.0 demands of a log and this one has not: required properties, enumerations, indices, URIs."""
    def need(value, kind, *keys):
        for key in keys:
            if key not in value:
                yield f"{kind} without {key}"

    yield from need(log, "log", "version", "runs")
    if log.get("version") != "2.1.0":
        yield "another version"
    for a_run in log["runs"]:
        yield from need(a_run, "run", "tool", "results")
        driver = a_run["tool"]["driver"]
        yield from need(driver, "driver", "name")
        ids = [rule["id"] for rule in driver["rules"]]
        if len(ids) != len(set(ids)):
            yield "a rule twice"
        for rule in driver["rules"]:
            yield from need(rule["shortDescription"], "description", "text")
            if rule["defaultConfiguration"]["level"] not in ("none", "note", "warning", "error"):
                yield "level of a rule"
        for invocation in a_run["invocations"]:
            yield from need(invocation, "invocation", "executionSuccessful")
        for result in a_run["results"]:
            yield from need(result, "result", "message", "ruleId")
            yield from need(result["message"], "message", "text")
            if not result["message"]["text"]:
                yield "an empty message"
            if ids[result["ruleIndex"]] != result["ruleId"]:
                yield "ruleIndex is another rule's"
            if result["level"] not in ("none", "note", "warning", "error"):
                yield "level of a result"
            if result.get("baselineState", "new") not in ("new", "unchanged", "updated", "absent"):
                yield "baselineState"
            if result.get("occurrenceCount", 1) < 1:
                yield "occurrenceCount"
            if not all(isinstance(print_, str) for print_ in result["partialFingerprints"].values()):
                yield "a fingerprint that is no string"
            for location in result["locations"]:
                physical = location["physicalLocation"]
                uri = physical["artifactLocation"]["uri"]
                if not re.fullmatch(r"(?:[A-Za-z0-9._~/-]|%[0-9A-F]{2}|file://)*", uri):
                    yield f"no URI: {uri}"
                region = physical["region"]
                if region["startLine"] < 1 or region.get("startColumn", 1) < 1:
                    yield "region"


def names_in(text):
    """What of a name every format shows: its plain letters."""
    return max(re.findall(r"[A-Za-z.]+", text.decode("ascii", "replace")), key=len)


class Formats(unittest.TestCase):
    def read(self, form, out):
        """The document as its readers read it."""
        text = out.decode("utf-8")  # whatever the names were
        if form in ("json", "sarif"):
            document = json.loads(text)
            if form == "sarif":
                self.assertEqual(list(sarif_problems(document)), [])
                if Sarif is not None:
                    Sarif.model_validate(document)
            return document
        if form == "junit":
            suites = xml.etree.ElementTree.fromstring(text)
            if JUnitXml is not None:
                JUnitXml.fromstring(out)
            self.assertEqual(suites.tag, "testsuites")
            for suite in [suites, *suites]:
                cases = suite.findall(".//testcase") if suite is suites else suite.findall("testcase")
                self.assertEqual(int(suite.get("tests")), len(cases))
                for kind, count in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
                    self.assertEqual(int(suite.get(count)), sum(case.find(kind) is not None for case in cases))
                self.assertEqual(len({(c.get("classname"), c.get("name")) for c in suite.findall("testcase")}),
                                 len(suite.findall("testcase")))
            return suites
        if form == "html":
            page = Page(text)
            self.assertEqual(page.elsewhere, [])
            return page
        return text

    def every_format(self, *arguments, status):
        return {form: self.read(form, run(*arguments, "--format", form, status=status).stdout)
                for form in FORMATS if form != "text"}

    def test_check(self):
        with tempfile.TemporaryDirectory() as folder:
            good, unknown = pathlib.Path(folder, "good.hlo"), pathlib.Path(folder, "unknown.hlo")
            good.write_text(GOOD)
            unknown.write_text(UNKNOWN)
            for jobs in ("1", "2"):
                documents = self.every_format("check", "-j", jobs, str(good), str(unknown), status=2)
                self.assertEqual(len(documents["json"]["reports"]), 2)
                self.assertEqual([r["status"] for r in documents["json"]["reports"]], [0, 2])
                results = documents["sarif"]["runs"][0]["results"]
                places = {(urllib.parse.unquote(r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]),
                           r["locations"][0]["physicalLocation"]["region"]["startLine"]) for r in results}
                self.assertEqual(places, {(f"file://{unknown}", 4)})
                self.assertEqual({case.get("classname") for case in documents["junit"].iter("testcase")}, {"m", "m/e"})
                self.assertIn("custom-call 'c'", documents["markdown"])

    def test_names_of_files_hold_anything(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ODD:
                path = os.path.join(os.fsencode(folder), name)
                with open(path, "wb") as file:
                    file.write(UNKNOWN.encode())
                for form in FORMATS:
                    with self.subTest(name=name, form=form):
                        done = run("check", path, "--format", form, status=2)
                        if form == "text":
                            self.assert_said_once(done.stdout)
                            self.assert_replays(done.stdout, path)
                            continue
                        document = self.read(form, done.stdout)
                        if form == "junit":
                            self.assertIn(names_in(name), document[0].get("name"))
                        if form == "html":
                            self.assertIn(names_in(name), "".join(document.words))
                            self.assertNotIn("b", document.open)
                        if form == "sarif":
                            uri = document["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
                            uri = uri["artifactLocation"]["uri"]
                            self.assertEqual(urllib.parse.unquote_to_bytes(uri.removeprefix("file://")), path)

    def assert_said_once(self, summary):
        said = [line for line in summary.splitlines() if line.startswith(b"UNKNOWN ")]
        self.assertEqual(len(said), 2, summary)  # the custom call, and the module that was not run for it
        self.assertNotIn(b" alike) ", summary)

    def assert_replays(self, summary, path):
        """The line is one that a shell reads as it was meant."""
        line = re.search(rb"^    replay: (affirm check (?:.|\n)*? --seed 0)$", summary, re.M)
        self.assertIsNotNone(line, summary)
        words = b'affirm() { printf "%s\\0" "$@"; }; ' + line.group(1)
        done = subprocess.run(["sh", "-c", words], capture_output=True)
        self.assertEqual(done.stdout.split(b"\0")[:-1], [b"check", path, b"--seed", b"0"])

    def test_a_baseline_with_odd_names_knows_them(self):
        with tempfile.TemporaryDirectory() as folder:
            known = os.path.join(folder, "known.json")
            for name in ODD:
                path = os.path.join(os.fsencode(folder), name)
                with open(path, "wb") as file:
                    file.write(UNKNOWN.encode())
                run("check", path, "--write-baseline", known, status=2)
                done = run("check", path, "--baseline", known, status=0)
                self.assertIn(b": 0 new, ", done.stdout)

    def test_audit(self):
        with tempfile.TemporaryDirectory() as folder:
            rules = pathlib.Path(folder, "mixed.rules")
            rules.write_text(RULES)
            documents = self.every_format("audit", str(rules), status=1)
            results = {(r["ruleId"], r["locations"][0]["physicalLocation"]["region"]["startLine"])
                       for r in documents["sarif"]["runs"][0]["results"]}
            self.assertTrue({("rule-refuted", 4), ("conditions-refuted", 7)} <= results, results)
            self.assertEqual(documents["json"]["refuted"], 1)
            self.assertEqual({c.get("name") for c in documents["junit"].iter("testcase") if not len(c)}, {"rule of good"})
            summary = run("audit", str(rules), status=1).stdout.decode()
            self.assertIn("3 rules: 2 proved, 1 refuted, 0 unknown; 2 with findings", summary)
            self.assertRegex(summary, r"\nREFUTED .*4: 'wrong': .*x = ")
            self.assertIn("replay: affirm audit ", summary)
            self.assertIn(f"{rules}:1: good: proved\n", run("audit", "-v", str(rules), status=1).stdout.decode())
            # A gate for new rules: those that were wrong already stand.
            known = pathlib.Path(folder, "known.json")
            run("audit", str(rules), "--write-baseline", str(known), status=1)
            rules.write_text("\n\n" + RULES)
            run("audit", str(rules), "--baseline", str(known), status=0)
            # So is one that says something else under the same name.
            rules.write_text(RULES.replace("=> x floordiv c + y floordiv c", "=> x floordiv c - y floordiv c"))
            run("audit", str(rules), "--baseline", str(known), status=1)
            rules.write_text(RULES.replace("rule good", "rule worse: x * c => x\n  when c > 1\n  why  no\nrule good"))
            done = run("audit", str(rules), "--baseline", str(known), status=1).stdout.decode()
            self.assertIn("'worse'", done)
            self.assertRegex(done, r"; against .*known.json: [1-9]\d* new, \d+ known")
            rules.write_text(RULES[:RULES.index("rule wrong")])
            done = run("audit", str(rules), "--baseline", str(known), status=0).stdout.decode()
            self.assertIn("vanished: REFUTED rule: 'wrong'", done)

    def test_validate(self):
        with tempfile.TemporaryDirectory() as folder:
            hlo, kernel = os.path.join(folder, "m.hlo"), os.path.join(folder, "k.ll")
            pathlib.Path(hlo).write_text(GOOD)
            launch = os.path.join(folder, "launch.json")
            pathlib.Path(kernel).write_bytes(run("emit", hlo, "--target", "nvptx", "--stage", "llvm", status=0).stdout)
            pathlib.Path(launch).write_bytes(run("emit", hlo, "--launch", status=0).stdout)
            validate = ["validate", "--hlo", hlo, "--kernel", kernel, "--launch", launch]
            self.assertIn(b"7 of 7 are proved", run(*validate, status=0).stdout)
            documents = self.every_format(*validate, status=0)
            self.assertEqual(len(documents["json"]["claims"]), 7)
            self.assertEqual(len(list(documents["junit"].iter("testcase"))), 7)
            self.assertEqual(run(*validate, "-v", status=0).stdout.count(b"\n"), 9)
            # Another computation's kernel: what is refuted, where, and what should have been there.
            pathlib.Path(hlo).write_text(GOOD.replace("={1}", "={0}"))
            summary = run(*validate, status=1).stdout.decode()
            self.assertLessEqual(summary.count("\n"), 40, summary)
            self.assertRegex(summary, r"\nREFUTED .*values.* 4:8: kernel '")
            self.assertIn(f"replay: affirm validate --hlo {hlo} --kernel {kernel}", summary)
            known = os.path.join(folder, "known.json")
            run(*validate, "--write-baseline", known, status=1)
            run(*validate, "--baseline", known, status=0)
            for form, document in self.every_format(*validate, status=1).items():
                if form == "sarif":
                    self.assertTrue(any("expected" in r["properties"] for r in document["runs"][0]["results"]))

    def test_equiv(self):
        maps = ["(d0) -> (d0 mod 4), domain: d0 in [0, 7]", "(d0) -> (d0), domain: d0 in [0, 7]"]
        documents = self.every_format("equiv", *maps, status=1)
        self.assertIn("d0 = 4", documents["markdown"])
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("a.hlo", GOOD), ("b.hlo", GOOD.replace("={1}", "={0}"))):
                pathlib.Path(folder, name).write_text(text)
            documents = self.every_format("equiv", "--hlo", f"{folder}/a.hlo", f"{folder}/b.hlo", status=1)
            result = documents["sarif"]["runs"][0]["results"][0]
            self.assertEqual(result["ruleId"], "result-refuted")
            self.assertIn("expected", result["properties"])

    def test_single_maps(self):
        maps = ["(d0) -> (d0 mod 4), domain: d0 in [0, 7]", "(d0) -> (d0 * 3), domain: d0 in [0, 1073741824]"]
        for arguments, claim, status in ((["bijection", maps[0], "--shape", "4"], "bijection", 1),
                                         (["bijection", maps[0], "--shape", "4", "--report", "/dev/null/x"], None, 3),
                                         (["width", "--width", "32", maps[1]], "width", 1), (["width", maps[1]], "width", 0),
                                         (["width", "--kernels", "corpus/hlo/reduce_odd.hlo"], "width", 0),
                                         (["check", "--symbolic", "transpose"], "formula", 0)):
            if claim is None:
                run(*arguments, status=status)
                continue
            documents = self.every_format(*arguments, status=status)
            cases = list(documents["junit"].iter("testcase"))
            self.assertTrue(cases and all(claim in case.get("name") for case in cases))
            self.assertEqual(len(documents["sarif"]["runs"][0]["results"]), status)
            self.assertEqual("\naffirm " + arguments[0] in documents["markdown"], status == 1, documents["markdown"])
        with tempfile.TemporaryDirectory() as folder:
            known = os.path.join(folder, "known.json")
            run("bijection", maps[0], "--shape", "4", "--write-baseline", known, status=1)
            run("bijection", maps[0], "--shape", "4", "--baseline", known, status=0)

    def test_pairs_of_maps(self):
        """Of a stream and of MLIR: lines as they are answered, or any other format when all are there."""
        a, b = "(d0) -> (d0 mod 4), domain: d0 in [0, 7]", "(d0) -> (d0), domain: d0 in [0, 7]"
        lines = "".join(json.dumps({"id": name, "lhs": left, "rhs": right}) + "\n"
                        for name, left, right in (("same", a, a), ("other", a, b)))
        with tempfile.TemporaryDirectory() as folder:
            files = [os.path.join(folder, name) for name in ("before.mlir", "after.mlir")]
            for file, one in zip(files, (a, b)):
                pathlib.Path(file).write_text(f'a = #xla.indexing_map<"{a}">\nb = #xla.indexing_map<"{one}">\n')
            pairs = os.path.join(folder, "pairs.jsonl")
            pathlib.Path(pairs).write_text(lines)
            for arguments in (["--jsonl"], ["--mlir", *files]):
                for form in FORMATS:
                    with open(pairs) as stdin:
                        report = os.path.join(folder, "report.json")
                        done = subprocess.run([AFFIRM, "equiv", *arguments, "--format", form, "--report", report], stdin=stdin,
                                              capture_output=True, timeout=300)
                    self.assertEqual(done.returncode, 1, done)
                    records = json.loads(pathlib.Path(report).read_text())["reports"][0]["records"]
                    self.assertEqual([record["verdict"] for record in records], ["proved", "refuted"])
                    self.assertIn("d0 = 4", records[1]["text"])
                    shell = records[1]["replay"].replace("affirm", AFFIRM, 1)
                    self.assertEqual(subprocess.run(["sh", "-c", shell], capture_output=True).returncode, 1, shell)
                    if form in ("text", "json"):
                        self.assertEqual(done.stdout.count(b"different"), 1)
                    else:
                        self.read(form, done.stdout)

    def test_mutants(self):
        arguments = ["fuzz", "mutants", "--modules", "corpus/hlo/iota.hlo", "--runs", "6", "--seed", "3"]
        plain = run(*arguments)
        self.assertIn(plain.returncode, (0, 2))
        documents = self.every_format(*arguments, status=plain.returncode)
        self.assertEqual(documents["json"]["target"], "mutants")
        self.assertEqual(documents["json"]["reports"][0]["status"], plain.returncode)
        with tempfile.TemporaryDirectory() as folder:
            report = os.path.join(folder, "r.json")
            run(*arguments, "--report", report, status=plain.returncode)
            self.assertEqual(json.loads(pathlib.Path(report).read_text())["reports"], documents["json"]["reports"])

    def test_xla_and_fuzz(self):
        with tempfile.TemporaryDirectory() as folder:
            before = GOOD.replace("HloModule m", "HloModule jit_f")
            pathlib.Path(folder, "module_0001.jit_f.before_optimizations.txt").write_text(before)
            pathlib.Path(folder, "module_0001.jit_f.sm_9.0a_gpu_after_optimizations.txt").write_text(
                before.replace("={1}", "={0}"))
            documents = self.every_format("xla", "--passes", folder, status=1)
            self.assertEqual(documents["json"]["first_wrong"]["stage"], "hlo-pass")
            result = documents["sarif"]["runs"][0]["results"][0]
            self.assertEqual(result["locations"][0]["physicalLocation"]["region"]["startLine"], 4)
            known = os.path.join(folder, "known.json")
            run("xla", "--passes", folder, "--write-baseline", known, status=1)
            run("xla", "--passes", folder, "--baseline", known, status=0)
        self.every_format("fuzz", "maps", "--runs", "2", "--out", "", status=0)

    def test_files_of_all_formats_at_once(self):
        with tempfile.TemporaryDirectory() as folder:
            endings = {"json": ".json", "sarif": ".sarif", "junit": ".xml", "html": ".html", "markdown": ".md",
                       "text": ".txt"}
            hlo = pathlib.Path(folder, "m.hlo")
            hlo.write_text(UNKNOWN)
            files = {form: os.path.join(folder, "report" + ending) for form, ending in endings.items()}
            done = run("check", str(hlo), *(word for file in files.values() for word in ("--report", file)), status=2)
            self.assertIn(b"verdict: UNKNOWN", done.stdout)
            for form, file in files.items():
                self.read(form, pathlib.Path(file).read_bytes())
            # A report of JSON becomes any other.
            for form in FORMATS:
                if form != "text":
                    self.read(form, run("merge", files["json"], "--format", form, status=2).stdout)
            done = run("check", str(hlo), "--report", "report.doc", status=3)
            self.assertIn(b"has no known ending", done.stderr)
            done = run("check", str(hlo), "--report", "/dev/null/x.json", status=3)
            self.assertIn(b"cannot write", done.stderr)
            done = run("check", str(hlo), "--baseline", str(hlo), status=3)
            self.assertIn(b"is no baseline", done.stderr)

    def test_color_is_for_terminals(self):
        with tempfile.TemporaryDirectory() as folder:
            hlo = os.path.join(folder, "m.hlo")
            pathlib.Path(hlo).write_text(UNKNOWN)
            self.assertNotIn(b"\x1b", run("check", hlo, status=2).stdout)
            self.assertIn(b"\x1b[", run("check", hlo, "--color", "always", status=2).stdout)
            on_terminal = f"import pty, sys; sys.exit(pty.spawn([{AFFIRM!r}, 'check', {hlo!r}]) >> 8)"

            def shown(**environment):
                done = subprocess.run([sys.executable, "-c", on_terminal], capture_output=True, stdin=subprocess.DEVNULL,
                                      timeout=300, env=os.environ | {"TERM": "xterm"} | environment)
                self.assertEqual(done.returncode, 2, done)
                return done.stdout
            self.assertIn(b"\x1b[0;1;33mUNKNOWN", shown())
            # Progress is drawn over and is gone at the end; of color nothing is left.
            self.assertNotIn(b"\x1b[0;1;33m", shown(NO_COLOR="1"))
            self.assertIn(b"\r\x1b[K", shown(NO_COLOR="1"))
            done = run("check", hlo, status=2)
            self.assertEqual(done.stderr, b"")

    def test_layer_norm_gradient_fits_a_screen(self):
        """A real module, with all that is wrong or unknown in it: of JAX, and one whose sums are custom calls."""
        file = SOURCES / "corpus/hlo/layer_norm_gradient.hlo"
        done = run("check", str(file), status=0)
        self.assertLessEqual(done.stdout.count(b"\n"), 40, done.stdout.decode())
        self.assertIn(b"verdict: affirmed", done.stdout)
        text = re.sub(r"^(\s*(?:ROOT )?[\w.]+ = f32\[\S*) rsqrt\(([\w.]+)\)",
                      r'\1 custom-call(\2), custom_call_target="f"', file.read_text(), flags=re.M)
        text = re.sub(r"^(\s*(?:ROOT )?[\w.]+ = f32\[8,32\]\S*) multiply\(([\w.]+), ([\w.]+)\)",
                      r'\1 custom-call(\2, \3), custom_call_target="g"', text, flags=re.M)
        with tempfile.TemporaryDirectory() as folder:
            hlo, report = pathlib.Path(folder, "m.hlo"), pathlib.Path(folder, "r.json")
            hlo.write_text(text)
            done = run("check", str(hlo), "--report", str(report), status=2)
            summary = done.stdout.decode()
            self.assertLessEqual(summary.count("\n"), 40, summary)
            # Each finding is in a line of its own or among those alike.
            findings = [r for r in json.loads(report.read_text())["reports"][0]["records"]
                        if r["verdict"] in ("unknown", "refuted")]
            self.assertGreater(len(findings), 3)
            lines = re.findall(r"^(?:UNKNOWN|REFUTED|MISMATCH) (?:\((\d+) alike\) )?", summary, re.M)
            self.assertEqual(sum(int(count or 1) for count in lines), len(findings), summary)
            self.assertNotIn("more of other kinds", summary)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--affirm", required=True)
    options, rest = parser.parse_known_args()
    AFFIRM = os.path.abspath(options.affirm)
    unittest.main(argv=[sys.argv[0], *rest], verbosity=1)
