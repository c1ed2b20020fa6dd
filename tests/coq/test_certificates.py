#!/usr/bin/env python3
"""The checker of certificates of maps is proved, from no axiom, and the committed OCaml is what Coq prints of it."""

import pathlib
import re
import subprocess
import tempfile
import unittest

import coq

FOLDER = coq.SOURCES / "verify/coq/certificate"
MODULES = ("map_claims", "polynomials", "proof_checker", "claim_checker", "hlo_reads", "reads_checker")
# The modules of affirm-check that people wrote, in the order in which they are linked.
LINKED = re.search(r"set\(sources ([^)]*)\)", (coq.SOURCES / "tools/check/CMakeLists.txt").read_text())[1].split()
PROGRAM = tuple(name for name in LINKED if not name.startswith("checker."))
TEXTS = {name: (FOLDER / f"{name}.v").read_text() for name in MODULES}
# The theorems anew, by the names of their statements alone.
STATEMENT = """From Affirm Require Import map_claims hlo_reads.
From Affirm Require claim_checker reads_checker.
Definition maps : forall c cs, claim_checker.check c cs = true -> true_claim c := claim_checker.check_sound.
Definition hlo : forall c cs, reads_checker.check_reads c cs = true -> true_reads c := reads_checker.check_reads_sound.
Definition checked := (maps, hlo).
Print Assumptions checked.
"""


def problems(**changed):
    texts = {**TEXTS, **changed, "assumptions": STATEMENT}
    with tempfile.TemporaryDirectory() as folder:
        for name, text in texts.items():
            (pathlib.Path(folder) / f"{name}.v").write_text(text)
            status, output = coq.run("coqc", folder, f"{name}.v")
            if status:
                return [f"{name}.v: {output}"]
        wrong = [] if output == f"{coq.CLOSED}\n" else [f"the proof assumes something: {output}"]
        modules = [word for name in texts for word in ("-norec", f"Affirm.{name}")]
        status, output = coq.run("coqchk", folder, "-silent", "-o", *modules)
        return wrong + ([f"coqchk: {output}"] if status else []) + coq.coqchk_findings(output)


def replaced(name, old, new):
    assert TEXTS[name].count(old) == 1, f"{old!r} stands {TEXTS[name].count(old)} times"
    return {name: TEXTS[name].replace(old, new)}


class Certificates(unittest.TestCase):

    def test_the_checker_is_proved(self):
        self.assertEqual(problems(), [])

    def test_the_committed_checker_is_what_coq_prints(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in (*MODULES, "extraction"):
                (pathlib.Path(folder) / f"{name}.v").write_text((FOLDER / f"{name}.v").read_text())
                status, output = coq.run("coqc", folder, f"{name}.v")
                self.assertEqual(status, 0, output)
            version = subprocess.run(["coqc", "--version"], text=True, capture_output=True, check=True).stdout
            for name in ("checker.ml", "checker.mli"):
                # The committed text is that of Coq 8.16.
                same = (pathlib.Path(folder) / name).read_text() == (coq.SOURCES / "tools/check" / name).read_text()
                self.assertTrue(same or "version 8.16" not in version,
                                f"tools/check/{name}: print it anew with coqc -Q . Affirm extraction.v")
            self.assert_that_it_checks(pathlib.Path(folder))

    def assert_that_it_checks(self, folder):
        """What this Coq has printed accepts a certificate, and rejects it with one number changed."""
        for name in PROGRAM:
            (folder / name).write_text((coq.SOURCES / "tools/check" / name).read_text())
        sources = ("checker.mli", "checker.ml", *PROGRAM)
        subprocess.run(["ocamlfind", "ocamlopt", "-w", "-a", "-package", "unix", "-linkpkg", *sources, "-o", "check"], cwd=folder,
                       check=True)
        subprocess.run([coq.AFFIRM, "equiv", "--certificates", folder, "--map-a", "(d0) -> (d0 mod 4), domain: d0 in [0, 3]", "--map-b",
                        "(d0) -> (d0), domain: d0 in [0, 3]"], stdout=subprocess.DEVNULL, check=True)
        text = (folder / "equal.cert").read_text()
        for certificate, status in ((text, 0), (text.replace("mod 4", "mod 3"), 1)):
            (folder / "equal.cert").write_text(certificate)
            done = subprocess.run([folder / "check", folder / "equal.cert"], stdout=subprocess.DEVNULL, check=False)
            self.assertEqual(done.returncode, status, certificate)


class Faults(unittest.TestCase):
    """Each fault in the checker is found by a proof that does not go through."""

    def assert_found(self, name, old, new):
        self.assertNotEqual(problems(**replaced(name, old, new)), [], f"{old!r} -> {new!r}")

    def test_faults_of_the_checker(self):
        for fault in [
                ("proof_checker", "if is_equation f || (0 <=? k) then", "if true then"),
                ("proof_checker", "if is_equation f then negb (c =? 0) else c <? 0", "if is_equation f then negb (c =? 0) else c <=? 0"),
                ("polynomials", "if c mod d =? 0 then match divide_all d p", "if true then match divide_all d p"),
                ("claim_checker", "(if 0 <? c then Some [] else None)", "(Some [])"),
                ("claim_checker", "if Nat.ltb i n then at_a i else nth_error w (i - n)", "nth_error w i"),
                ("claim_checker", "Some (d ++ d' ++ d'' ++ map AtLeast0 f ++ map Is0 q)", "Some (d ++ d' ++ d'' ++ map Is0 q)"),
                ("claim_checker", "Some (d ++ d' ++ d'' ++ map AtLeast0 f ++ map Is0 q)", "Some (d ++ d' ++ map AtLeast0 f ++ map Is0 q)"),
                ("claim_checker", "if Nat.ltb i (runtime m) then own (both m) i\n  else", ""),
                ("reads_checker", "plain n a && match b with Const c => 0 <? c | _ => false end", "plain n a"),
                ("reads_checker", "if Nat.ltb i (runtime b) then Var (runtime a + i)", "if Nat.ltb i (runtime b) then Var i"),
                ("reads_checker", "match P with\n      | [] => Some R\n      | _ =>", "match M with\n      | [] => Some R\n      | _ =>"),
                ("reads_checker", "if Nat.eqb k t then Some [identity (shape_of n)]", "if Nat.eqb k t then Some []"),
                ("reads_checker", "Nat.leb r i && Nat.ltb i (r + d)", "Nat.ltb i (r + d)"),
                ("reads_checker", "if producer_eq_dec q p then Some O", "if Nat.eqb (from q) (from p) then Some O"),
                ("reads_checker", "match limit p with Some l => 0 <=? l | None => false end", "true"),
                ("reads_checker", "Some (if exact c then Equal r d (said c) (map map_of M) else", "Some (if false then Equal r d (said c) (map map_of M) else"),
        ]:
            with self.subTest(fault[1]):
                self.assert_found(*fault)

    def test_an_admitted_lemma(self):
        self.assertIn("assumes something", "\n".join(problems(**replaced(
            "proof_checker", "Proof. induction l; simpl; intros; auto. inversion H; subst. apply IHl; auto. apply all_true_set; auto. Qed.",
            "Proof. Admitted."))))


if __name__ == "__main__":
    unittest.main()
