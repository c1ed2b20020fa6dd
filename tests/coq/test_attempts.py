#!/usr/bin/env python3
"""`affirm audit --coq F.rules` prints a file that coqc compiles by itself, and that says which rules are proved."""

import pathlib
import subprocess
import tempfile
import unittest

import coq

RULES = """
rule mine.split: (c * x + y) floordiv c  =>  x + y floordiv c
  when c > 0
  why  multiples of the divisor leave the quotient whole

rule mine.mod: (x + k) mod m  =>  x + k
  when m > 0, range(x) within [0 - k, m - k - 1]
  why  what lies in [0, m - 1] is its own residue

rule mine.carry: (x + k) mod m  =>  x mod m + k
  when m > 1, 0 <= k, k < m
  why  wrong *) Axiom any : forall P : Prop, P. (* "

rule mine.divisor: x  =>  x * (c floordiv c)
  why  wrong where c is zero

rule mine.ends: (x + match) mod y  =>  x mod y
  when lower(y) > 10, upper(x mod y) < 3, match == 0
  why  names that are words of Coq, and ends of ranges
"""


def compiled(text):
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "mine.v").write_text(text)
        return coq.run("coqc", folder, "mine.v")


class Attempts(unittest.TestCase):

    def test_rules_are_proved_or_stay_open(self):
        status, output = compiled(coq.affirm("audit", "--coq", "-", rules=RULES))
        self.assertEqual(status, 0, output)
        for name in ("rule_mine_split", "rule_mine_mod", "rule_mine_ends", "defined_mine_carry"):
            self.assertIn(f'"{name}" : proved', output)
        for name in ("rule_mine_carry", "defined_mine_divisor"):
            self.assertIn(f'"{name}" : OPEN', output)
        self.assertIn('= ("rule_mine_carry" :: "defined_mine_divisor" :: nil)%list', " ".join(output.split()))
        self.assertTrue(output.endswith(coq.CLOSED + "\n"), output)

    def test_an_open_proposition_is_finished_by_hand(self):
        hard = next(rule["text"] for rule in coq.builtin_rules() if rule["name"] == "constraint.no_such_residues")
        text = coq.affirm("audit", "--coq", "-", rules=hard)
        self.assertIn('"rule_constraint_no_such_residues" : OPEN', compiled(text)[1])
        proofs = (coq.SOURCES / "verify/coq/proofs.v").read_text()
        by_hand = proofs.split("rule_constraint_no_such_residues.\nProof.")[1].split("Qed.")[0]
        finished = text.replace('attempt "rule_constraint_no_such_residues".', "apply proved. " + by_hand)
        self.assertNotEqual(finished, text)
        # The example at the end of the file holds then, and only then.
        for file, expected in ((finished, 0), (text, 1)):
            without_comment = file.replace("(* Take the comment away for", "(* *) (*").replace(
                "nothing is open.\nExample", "nothing is open. *)\nExample").replace("Qed.\n*)", "Qed.\n")
            self.assertEqual(compiled(without_comment)[0], expected)

    def test_the_line_of_why_is_not_printed(self):
        self.assertNotIn("Axiom", coq.affirm("audit", "--coq", "-", rules=RULES))

    def test_without_a_rule(self):
        with self.assertRaisesRegex(ValueError, "holds no rule, expected a rule"):
            coq.affirm("audit", "--coq", "-", rules="// nothing\n")

    def test_rules_about_values_have_propositions_where_they_speak_of_integers(self):
        rules = ("rule twice: x + x  =>  x * 2\n  with  x : T for T in {s8, u64, f32}\n  class exact\n  why   exact\n"
                 "rule half: x / 2.0  =>  x * 0.5\n  with  x : T for T in {f16}\n  class exact\n  why   exact\n")
        text = coq.affirm("audit", "--coq", "-", rules=rules)
        self.assertIn("   half: T has no integers\n", text)
        proof = ("\nTheorem twice : rule_twice.\nProof. hnf; intros. unfold int_add, int_multiply, wrap.\n"
                 "rewrite Z.mul_mod_idemp_r by (apply Z.pow_nonzero; [discriminate |]; "
                 "apply Z.le_trans with 8; [discriminate | assumption]).\nf_equal. ring. Qed.\n")
        status, output = compiled(text + proof)
        self.assertEqual((status, output), (0, ""))

    def test_what_cannot_be_said_is_an_error(self):
        same = "rule a.b: x + 0  =>  x\n  why  it is so\nrule a_b: x + 0  =>  x\n  why  it is so\n"
        dot = "rule r: x + k.l  =>  x\n  when k.l == 0\n  why  it is so\n"
        for rules, message in ((same, "has the name of another one in Coq"),
                               (dot, "'k.l' has more than letters")):
            done = subprocess.run([coq.AFFIRM, "audit", "--coq", "-"], input=rules, text=True, capture_output=True, check=False)
            self.assertEqual((done.returncode, done.stdout), (3, ""))
            self.assertIn(message, done.stderr)


if __name__ == "__main__":
    unittest.main()
