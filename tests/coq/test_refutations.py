#!/usr/bin/env python3
"""The propositions of a rule say no less than the rule: where the audit refutes a mutant of a rule with numbers, Coq refutes
one of its two propositions at the same numbers. A hypothesis that is too strong, a range that is missing, or a claim that
rests on the value of x / 0 would leave both of them true there."""

import json
import re
import tempfile
import pathlib
import unittest

import coq

HEAD = """From Coq Require Import ZArith.
From Affirm Require Import propositions.
Open Scope Z_scope.

(* Decides propositions without variables. *)
Ltac computed :=
  match goal with
  | |- Z.divide ?a ?b => exists (b / a); vm_compute; reflexivity
  | |- _ => vm_compute; intuition congruence
  end.
Ltac meet_hypotheses H :=
  repeat match type of H with ?A -> ?B => assert_fails (constr_eq B False); specialize (H ltac:(computed)) end.
Ltac refute H := meet_hypotheses H; exfalso; vm_compute in H; intuition congruence.

"""


def named_in_proposition(text, values):
    """The values of the names that a proposition has: the end of a range that a `let` takes alone is none of them."""
    without_lets = re.sub(r"\blet \w+ = [^,\n]*", "", text)
    return {name: value for name, value in values.items() if "(" not in name or name in without_lets}


def refutation(number, text, values):
    """That not both propositions of a rule hold, by its values at one point; they are printed in the order of the names."""
    point = " ".join(f"({value})" for _, value in sorted(named_in_proposition(text, values).items()))
    return (f"Goal ~ (rule_m{number} /\\ defined_m{number}).\nProof. unfold rule_m{number}, defined_m{number}. intros [H D].\n"
            f"first [ specialize (H {point}); refute H | specialize (D {point}); refute D | idtac \"OPEN {number}\" ].\nAbort.\n")


def refuted(rules):
    """The rules and mutants of a file that are refuted, as (text, values)."""
    for rule in json.loads(coq.affirm("audit", "--mutants", "--json", "-", rules=rules))["rules"]:
        for candidate in [rule, *rule["mutants"]]:
            if "counterexample" in candidate:
                yield candidate["text"], candidate["counterexample"]["values"]


def not_refuted_by_coq(cases):
    """The texts of the rules both of whose propositions may hold at the values, as far as Coq sees."""
    named = [re.sub("^rule [^:]*:", f"rule m{i}:", text) for i, (text, _) in enumerate(cases)]
    with tempfile.TemporaryDirectory() as folder:
        definitions = "From Coq Require Import ZArith.\nOpen Scope Z_scope.\n" + coq.definitions_of("".join(named))
        refutations = HEAD + "".join(refutation(i, text, values) for i, (text, values) in enumerate(cases))
        for name, text in (("propositions", definitions), ("refutations", refutations)):
            (pathlib.Path(folder) / f"{name}.v").write_text(text)
            status, output = coq.run("coqc", folder, f"{name}.v")
            if status:
                raise ValueError(output)
    return [cases[int(i)][0] for i in re.findall(r"OPEN (\d+)", output)]


# Rules that are wrong for reasons that few mutants of the table have.
WRONG = """
rule a: x  =>  x floordiv c
  when range(x) within [0, 0]
  why  c may be zero, where Coq has 0 / 0 = 0

rule b: x  =>  x mod c
  when range(x) within [0, 0]
  why  c may be zero or less

rule c: x floordiv c  =>  x floordiv (c * (c - 1))
  when c > 0, c < 3, range(x) within [0, 0]
  why  c may be 1, and the divisor zero

rule d: 0 * x  =>  0 * (x floordiv y)
  when range(x floordiv y) within [1, 9]
  why  a range says nothing where y is zero

rule e: x in [a, a]  =>  x mod a in [0, 0]
  when a < 5
  why  a may be negative

rule f: x in [0, 0]  =>  x in [0, 0] and x floordiv a in [0, 0]
  when a != 1
  why  a may be zero

rule g: min(x, y)  =>  max(x, y)
  when a divides b, b divides a, abs(a) == a, gcd(a, b) == 6, lcm(a, b) == 6
  why  x and y may differ

rule h: x ceildiv c  =>  x floordiv c + 1
  when c > 1
  why  c may divide x

rule i: x mod m  =>  x - m * (x ceildiv m)
  when m > 0
  why  the quotient is rounded down

rule j: x floordiv c  =>  -((-x) floordiv c)
  when c != 0
  why  the quotient is rounded down

rule k: x in [a, b]  =>  false
  when a <= b
  why  x may be a

rule l: x in [a, inf]  =>  true
  when a < 0
  why  x may be less

rule m: w floordiv (y mod z)  =>  w floordiv (y mod z)
  when a == 1, w floordiv (y mod z) is w floordiv u
  why  u may be zero

rule n: x - 2147483648 * 4294967296 - 1  =>  x
  why  a large number
"""


class Refutations(unittest.TestCase):

    def test_wrong_rules(self):
        rules = list(refuted(WRONG))
        first = {re.match("rule ([^:]*):", text)[1] for text, _ in rules}
        self.assertEqual(sorted(first), list("abcdefghijklmn"))
        self.assertEqual(not_refuted_by_coq(rules), [])

    def test_mutants_of_the_table(self):
        mutants = list(refuted("\n".join(rule["text"] for rule in coq.builtin_rules())))
        self.assertGreater(len(mutants), 400)
        self.assertEqual(not_refuted_by_coq(mutants), [])

    def test_a_right_rule_is_not_refuted(self):
        right = "rule right: x floordiv c  =>  (-x) floordiv (-c)\n  when c < 0\n  why  both change sign\n"
        self.assertEqual(not_refuted_by_coq([(right, {"x": 7, "c": -2})]), [right])


if __name__ == "__main__":
    unittest.main()
