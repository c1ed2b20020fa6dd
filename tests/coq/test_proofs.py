#!/usr/bin/env python3
"""Coq proves both propositions of each rule of core/simplify/rules, from no axiom; and a fault in the rules or proofs is found."""

import re
import tempfile
import unittest

import coq

STATEMENTS = coq.affirm("rules", "--coq")
TACTICS, PROOFS = ((coq.SOURCES / "verify/coq" / name).read_text() for name in ("tactics.v", "proofs.v"))


def problems(statements=STATEMENTS, proofs=PROOFS, tactics=TACTICS):
    with tempfile.TemporaryDirectory() as folder:
        return coq.problems(folder, {"rules": statements, "tactics": tactics, "proofs": proofs})


def replaced(text, old, new):
    assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times"
    return text.replace(old, new)


class Proofs(unittest.TestCase):

    def test_rules_v_is_what_is_printed(self):
        self.assertTrue((coq.SOURCES / "verify/coq/rules.v").read_text() == STATEMENTS,
                        "print it anew: build/tools/affirm rules --coq > verify/coq/rules.v")

    def test_each_rule_has_two_propositions(self):
        names = [rule["name"].replace(".", "_") for rule in coq.builtin_rules()]
        self.assertGreaterEqual(len(names), 50)
        self.assertEqual(coq.definitions(STATEMENTS),
                         [prefix + name for name in names for prefix in ("rule_", "defined_")])

    def test_every_proposition_is_proved(self):
        self.assertEqual(problems(), [])


PERIOD = "Theorem sound_mod_period : rule_mod_period.\nProof. prove_rule. Qed."


def statements_of(rule):
    """The statements of a few rules, with this rule in the place of the one of its name."""
    few = ("floordiv.split", "mod.period", "mod.inner_mod")
    texts = {r["name"]: r["text"] for r in coq.builtin_rules() if r["name"] in few}
    if rule:
        texts[re.match("rule ([^:]*):", rule)[1]] = rule
    head = STATEMENTS.split("(* rule ")[0]
    return head + coq.definitions_of("".join(texts.values()))


def proofs_of(statements):
    """The proofs of these statements alone, and all lemmas."""
    head, *theorems = re.split("^(?=Theorem )", PROOFS, flags=re.M)
    wanted = [coq.theorem_of(name) for name in coq.definitions(statements)]
    return head + "".join(t for t in theorems if t.split()[1] in wanted)


class Faults(unittest.TestCase):
    """Each change of the statements, proofs or tactics must be found."""

    def assert_found(self, expected, rule=None, tactics=TACTICS, change=lambda proofs: proofs):
        statements = statements_of(rule)
        found = "\n".join(problems(statements, change(proofs_of(statements)), tactics))
        self.assertIn(expected, found)

    def test_nothing_is_found_without_a_fault(self):
        statements = statements_of(None)
        self.assertEqual(problems(statements, proofs_of(statements)), [])

    def test_a_condition_is_dropped(self):
        self.assert_found("proofs.v", "rule mod.inner_mod: (k * (y mod a) + x) mod m  =>  (k * y + x) mod m\n"
                          "  when m > 0\n  why  a fault\n")

    def test_a_range_is_wider(self):
        self.assert_found("proofs.v", "rule mod.period: x mod m  =>  x - k * m\n"
                          "  when m > 0, let k = lower(x) floordiv m, range(x) within [k * m, k * m + m]\n  why  a fault\n")

    def test_the_right_side_is_wrong(self):
        self.assert_found("proofs.v", "rule floordiv.split: (c * x + y) floordiv c  =>  x + y floordiv c + 1\n"
                          "  when c > 1\n  why  a fault\n")

    def test_the_right_side_is_undefined(self):
        self.assert_found("proofs.v", "rule floordiv.split: (c * x + y) floordiv c  =>  "
                          "x + y floordiv c + 0 * (x floordiv (c - 2))\n  when c > 1\n  why  a fault\n")

    def test_a_proof_is_admitted(self):
        self.assert_found("a proof assumes something",
                          change=lambda proofs: replaced(proofs, PERIOD, PERIOD.replace("Qed", "Admitted")))

    def test_a_proof_rests_on_an_axiom_of_the_tactics(self):
        self.assert_found("a proof assumes something", tactics=TACTICS + "\nAxiom any : forall P : Prop, P.\n",
                          change=lambda proofs: replaced(proofs, PERIOD, PERIOD.replace("prove_rule", "apply any")))

    def test_an_axiom_that_no_proof_uses(self):
        self.assert_found("Axioms: Affirm.proofs.unused", change=lambda proofs: proofs + "\nAxiom unused : False.\n")

    def test_a_lemma_is_admitted_that_no_proof_uses(self):
        self.assert_found("Axioms: Affirm.tactics.unused",
                          tactics=TACTICS + "\nLemma unused : 1 = 2.\nProof. Admitted.\n")

    def test_the_universes_are_not_checked(self):
        self.assert_found("type-in-type", change=lambda proofs: proofs +
                          "\nUnset Universe Checking.\nDefinition loop : Type := Type.\n")

    def test_a_recursion_is_not_checked(self):
        self.assert_found("unsafe (co)fixpoints", change=lambda proofs: proofs +
                          "\nUnset Guard Checking.\nFixpoint loop (n : nat) : False := loop n.\n")

    def test_a_theorem_is_missing(self):
        proof = "Theorem safe_mod_period : defined_mod_period.\nProof. prove_rule. Qed.\n"
        self.assert_found("safe_mod_period", change=lambda proofs: replaced(proofs, proof, ""))

    def test_a_theorem_proves_another_proposition(self):
        self.assert_found("sound_mod_period", change=lambda proofs: replaced(
            proofs, PERIOD, "Theorem sound_mod_period : True.\nProof. exact I. Qed."))

    def test_a_proposition_is_defined_anew_beside_the_proofs(self):
        self.assert_found("sound_mod_period", change=lambda proofs: replaced(
            proofs, PERIOD, "Definition rule_mod_period : Prop := True.\n"
            "Theorem sound_mod_period : rule_mod_period.\nProof. exact I. Qed."))


if __name__ == "__main__":
    unittest.main()
