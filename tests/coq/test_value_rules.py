#!/usr/bin/env python3
"""Coq proves the rules of verify/value_rules that speak of integers, at every width; and what is printed says no less than
the rules: where the audit refutes a mutant with numbers, Coq refutes its proposition at the same numbers. The second test
also holds verify/coq/machine_integers.v against what affirm computes."""

import json
import pathlib
import re
import tempfile
import unittest

import coq

STATEMENTS = coq.affirm("rules", "--values", "--coq")
SOURCES = {name: (coq.SOURCES / "verify/coq" / f"{name}.v").read_text() for name in ("machine_integers", "value_proofs")}

HEAD = """
(* Decides propositions without variables. *)
Ltac computed := unfold is_int; vm_compute; intuition congruence.
Ltac meet_hypotheses H := repeat match type of H with ?A -> ?B => specialize (H ltac:(computed)) end.
(* Both sides must be what affirm computed. *)
Ltac refute H left right :=
  meet_hypotheses H; vm_compute in H; lazymatch type of H with left = right => congruence end.

"""

# Operations that few rules of the table have.
WRONG = """
rule a: x / y  =>  y / x
  with  x, y : T for T in {s8, u8, s32, u64}
  class exact
  why   wrong

rule b: x % y  =>  y % x
  with  x, y : T for T in {s8, u8, s32, u64}
  class exact
  why   wrong

rule c: x / 0  =>  x % 0
  with  x : T for T in {s8, u8, s16}
  class exact
  why   wrong

rule d: sign(x)  =>  abs(x)
  with  x : T for T in {s8, s32}
  class exact
  why   wrong

rule e: shift_left(x, y)  =>  shift_right_logical(x, y)
  with  x, y : T for T in {s8, u8, s16}
  class exact
  why   wrong

rule f: shift_right_arithmetic(x, y)  =>  shift_right_logical(x, y)
  with  x, y : T for T in {s8, u8, s64}
  class exact
  why   wrong

rule g: x <= y  =>  x < y
  with  x, y : T for T in {s8, u8}
  class exact
  why   wrong

rule h: convert(x, T)  =>  y
  with  x : S, y : T for S in {s8, u8, s16}, T in {s8, u16, s32}
  when  y == 0
  class exact
  why   wrong

rule i: p && (x >= y || x != y)  =>  !p
  with  p : pred, x, y : T for T in {s8, u8}
  class exact
  why   wrong

rule j: clamp(x, y, z)  =>  clamp(z, y, x)
  with  x, y, z : T for T in {s8, u8}
  class exact
  why   wrong
"""


def propositions(rules):
    """The definitions that are printed for a file, by the number in the names m0, m1, ..."""
    text = coq.affirm("audit", "--coq", "-", rules=rules)
    found = re.findall(r"^(Definition rule_m(\d+) : Prop :=\n(?:  .*\n)+)", text, re.M)
    return {int(number): definition for definition, number in found}


def number_of(value):
    """That of "-1 (0xff)", by its bits; or a predicate."""
    return value if value in ("true", "false") else str(int(re.search(r"\(0x([0-9a-f]+)\)", value)[1], 16))


def arguments(definition, types, values):
    """The arguments of a proposition at one point: a width and a sign for each type variable, then the variables."""
    types = [t.split(" = ")[1] for t in types.split(", ") if t]
    found = []
    for name in re.findall(r"\((\S+) : \w+\)", definition.split(",\n")[0]):
        if name.endswith("'"):
            found.append(number_of(values[name[:-1]]))
        else:
            chosen = types[int(name[1:] or 0)]
            found.append(chosen[1:] if name[0] == "w" else "true" if chosen[0] == "s" else "false")
    return " ".join(f"({argument})" for argument in found)


def not_refuted_by_coq(rules):
    """How many refuted instances there are of integers, and those of them whose propositions Coq does not refute."""
    rules = [re.sub("^rule [^:]*:", f"rule m{i}:", text) for i, text in enumerate(rules)]
    text = "\n".join(rules)
    defined = propositions(text)
    audited = json.loads(coq.affirm("audit", "--json", "-", rules="\n".join(rules[i] for i in defined)))["rules"]
    refutations, cases = "", []
    for rule in audited:
        definition = defined[int(rule["rule"][1:])]
        for instance in rule["instances"]:
            if "counterexample" not in instance or re.search("= (f|bf|pred|s2|s4|u2|u4|c)", instance["types"]):
                continue
            point = arguments(definition, instance["types"], instance["counterexample"]["values"])
            left, right = (number_of(instance["counterexample"][side]) for side in ("left", "right"))
            refutations += (f"Goal ~ rule_{rule['rule']}.\nProof. unfold rule_{rule['rule']}. intros H.\n"
                            f"first [ specialize (H {point}); refute H ({left}) ({right}) | idtac \"OPEN {len(cases)}\" ].\nAbort.\n")
            cases.append((rule["text"], instance["types"], instance["counterexample"]["values"]))
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "all.v").write_text(
            SOURCES["machine_integers"] + "\n".join(defined.values()) + HEAD + refutations)
        status, output = coq.run("coqc", folder, "all.v")
        if status:
            raise ValueError(output)
    return len(cases), [cases[int(i)] for i in re.findall(r"OPEN (\d+)", output)]


class ValueRules(unittest.TestCase):

    def test_value_rules_v_is_what_is_printed(self):
        self.assertTrue((coq.SOURCES / "verify/coq/value_rules.v").read_text() == STATEMENTS,
                        "print it anew: build/tools/affirm rules --values --coq > verify/coq/value_rules.v")

    def test_every_proposition_is_proved(self):
        self.assertGreaterEqual(len(coq.definitions(STATEMENTS)), 19)
        texts = {"machine_integers": SOURCES["machine_integers"], "value_rules": STATEMENTS,
                 "value_proofs": SOURCES["value_proofs"]}
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(coq.problems(folder, texts, "value_rules", "value_proofs"), [])

    def test_a_wrong_operation_is_found(self):
        for old, new in (("wrap w (x - y)", "wrap w (y - x)"), ("Z.lor x y", "Z.lxor x y"), ("n mod 2 ^ w", "n")):
            self.assertEqual(SOURCES["machine_integers"].count(old), 1)
            texts = {"machine_integers": SOURCES["machine_integers"].replace(old, new), "value_rules": STATEMENTS,
                     "value_proofs": SOURCES["value_proofs"]}
            with tempfile.TemporaryDirectory() as folder:
                self.assertNotEqual(coq.problems(folder, texts, "value_rules", "value_proofs"), [])

    def test_wrong_rules(self):
        count, not_refuted = not_refuted_by_coq(["rule" + text for text in re.split("^rule", WRONG, flags=re.M)[1:]])
        self.assertGreater(count, 30)
        self.assertEqual(not_refuted, [])

    def test_mutants_of_the_table(self):
        names = [name.replace("rule_", "", 1) for name in coq.definitions(STATEMENTS)]
        table = [rule for rule in json.loads(coq.affirm("rules", "--values", "--json"))
                 if rule["name"].replace(".", "_") in names]
        audited = json.loads(coq.affirm("audit", "--mutants", "--json", "-", rules="\n".join(r["text"] for r in table)))
        mutants = [mutant["text"] for rule in audited["rules"] for mutant in rule["mutants"]
                   if mutant["verdict"] == "refuted"]
        count, not_refuted = not_refuted_by_coq(mutants)
        self.assertGreater(count, 200)
        self.assertEqual(not_refuted, [])


if __name__ == "__main__":
    unittest.main()
