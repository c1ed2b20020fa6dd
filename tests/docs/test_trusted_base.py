#!/usr/bin/env python3
"""Tests of reached_files.py on small programs, and of what trusted_base.py says when a fault is put into the sources."""

import unittest

import certified_claims
import reached_files
import trusted_base

USE = '#include "p/a.h"\nnamespace p {\n'


def reach(files, entry=("p/use.h", "Use")):
    """The files that `Use` reaches in a program of these files; use.h declares it."""
    files = {"p/use.h": "namespace p { int Use(); }", **files}
    return set(reached_files.Sources("/", list(files), files).reach([entry]))


class ReachedFiles(unittest.TestCase):

    def test_a_call_reaches_the_unit_that_defines_the_function(self):
        files = {"p/use.cc": '#include "p/use.h"\n' + USE + "int Use() { return Called(); } }",
                 "p/a.h": "namespace p { int Called(int x = 0); int Other(); }",
                 "p/a.cc": USE + "int Called(int x) { return x; } }",
                 "p/other.cc": USE + "int Other() { return 1; } }"}
        self.assertEqual(reach(files), {"p/use.h", "p/use.cc", "p/a.h", "p/a.cc"})

    def test_an_include_alone_reaches_the_header_alone(self):
        files = {"p/use.cc": '#include "p/use.h"\n' + USE + 'int Use() { return 1; /* Called() */ } const char* text = "Called"; }',
                 "p/a.h": "namespace p { int Called(); }",
                 "p/a.cc": USE + "int Called() { return 1; } }"}
        self.assertEqual(reach(files), {"p/use.h", "p/use.cc", "p/a.h"})

    def test_a_class_reaches_the_units_of_its_methods_constructors_and_virtual_functions(self):
        files = {"p/use.cc": '#include "p/use.h"\n' + USE + "int Use() { A a; return a.Called(); } }",
                 "p/a.h": "namespace p { class A : public B { public:\n A();\n int Called(); int Not();\n int Run() override;\n"
                          " bool operator==(const A& o) const; private: int x_ = 0; }; }",
                 "p/a.cc": USE + "A::A() : x_(1) {} }",
                 "p/called.cc": USE + "int A::Called() { return x_; } }",
                 "p/run.cc": USE + "int A::Run() { return x_; } }",
                 "p/equal.cc": USE + "bool A::operator==(const A& o) const { return x_ == o.x_; } }",
                 "p/not.cc": USE + "int A::Not() { return x_; } }"}
        self.assertEqual(reach(files) - {"p/use.h", "p/use.cc", "p/a.h"}, {"p/a.cc", "p/called.cc", "p/run.cc", "p/equal.cc"})

    def test_an_inline_function_counts_where_it_is_mentioned(self):
        files = {"p/a.h": "namespace p { int Called(); inline int Inline() { return Called(); } }",
                 "p/a.cc": USE + "int Called() { return 1; } }"}
        with_it = {"p/use.cc": '#include "p/use.h"\n' + USE + "int Use() { return Inline(); } }", **files}
        without = {"p/use.cc": '#include "p/use.h"\n' + USE + "int Use() { return 2; } }", **files}
        self.assertIn("p/a.cc", reach(with_it))
        self.assertNotIn("p/a.cc", reach(without))

    def test_a_function_of_a_unit_alone_defines_nothing_for_others(self):
        files = {"p/use.cc": '#include "p/use.h"\n' + USE + "int Use() { return Called(); } }",
                 "p/a.h": "namespace p { int Called(); }",
                 "p/a.cc": USE + "int Called() { return 1; } }",
                 "p/b.cc": USE + "namespace { int Called() { return 2; } } }",
                 "p/c.cc": USE + "static int Called() { return 3; } }"}
        self.assertEqual(reach(files) & {"p/a.cc", "p/b.cc", "p/c.cc"}, {"p/a.cc"})

    def test_an_overload_belongs_to_the_header_of_its_unit(self):
        files = {"p/use.cc": '#include "p/use.h"\n' + USE + "int Use() { return Name(1); } }",
                 "p/a.h": "namespace p { int Name(int); }",
                 "p/a.cc": USE + "int Name(int x) { return x; } }",
                 "p/b.h": '#include "p/a.h"\nnamespace p { int Name(bool); }',
                 "p/b.cc": '#include "p/b.h"\nnamespace p { int Name(bool x) { return x; } }'}
        self.assertEqual(reach(files) & {"p/a.cc", "p/b.cc"}, {"p/a.cc"})

    def test_a_table_reaches_the_functions_in_it(self):
        files = {"p/use.cc": '#include "p/use.h"\n' + USE + "constexpr Row kRows[] = {{1, Called}};\nint Use() { return kRows[0].f(); } }",
                 "p/a.h": "namespace p { int Called(); struct Row { int x; int (*f)(); }; }",
                 "p/a.cc": USE + "int Called() { return 1; } }"}
        self.assertIn("p/a.cc", reach(files))

    def test_an_entry_that_nothing_defines_is_an_error(self):
        with self.assertRaises(ValueError):
            reach({}, ("p/use.h", "Use"))


class TrustedBase(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        files = trusted_base.files_of_project()
        cls.owner, cls.wrong = trusted_base.assign(files)
        cls.sources = reached_files.Sources(trusted_base.SOURCES, files)
        cls.base = trusted_base.Base(cls.sources, cls.owner)
        cls.proved = next(c for c in trusted_base.CLAIMS if c.startswith("a kernel is proved"))
        cls.equal = next(c for c in trusted_base.CLAIMS if c.startswith("two modules are equal (`equiv"))

    def with_fault(self, name, *edits):
        text = self.sources.text(name)
        for old, new in edits:
            self.assertIn(old, text)
            text = text.replace(old, new, 1)
        return trusted_base.Base(self.sources.with_changed({name: text}), self.owner)

    def test_an_include_of_the_interpreter_raises_the_number_of_the_proof(self):
        include = '#include "verify/reference/interpreter.h"\n'
        faulty = self.with_fault("verify/compare/same_value.cc",
                                 ('#include "verify/compare/same_value.h"\n', '#include "verify/compare/same_value.h"\n' + include))
        for claim in (self.proved, self.equal):
            before, after = self.base.reached[claim], faulty.reached[claim]
            self.assertIn("verify/reference/interpreter.h", set(after) - set(before))
            self.assertGreater(faulty.count(after), self.base.count(before))

    def test_a_call_of_the_interpreter_raises_it_by_all_that_interprets(self):
        faulty = self.with_fault(
            "verify/compare/same_value.cc",
            ('#include "verify/compare/same_value.h"\n',
             '#include "verify/compare/same_value.h"\n#include "verify/reference/interpreter.h"\n'),
            ("namespace affirm::compare {\n", "namespace affirm::compare {\nvoid Fault(const hlo::Computation& c) { (void)hlo::Interpret(c, {}); }\n"))
        before, after = self.base.reached[self.proved], faulty.reached[self.proved]
        self.assertIn("verify/reference/interpreter.cc", after)
        self.assertGreater(faulty.count(after), self.base.count(before) + 3000)
        self.assertIn("interpreter", faulty.components(after))

    def test_proofs_do_not_rest_on_executions(self):
        for claim in (self.proved, self.equal):
            executes = [n for n in self.base.reached[claim]
                        if n.startswith(("verify/reference/", "verify/enclosure/", "verify/kernel/emulator/"))]
            self.assertEqual(executes, [], claim)

    def test_certified_claims_count_what_is_linked(self):
        left_out = set(certified_claims.PROVED + certified_claims.NOT_OF_CLAIMS)
        every = certified_claims.reach("main") | left_out
        self.assertEqual(every, set(certified_claims.linked()))
        of_maps, of_reads = (certified_claims.reach(module) for module, _ in certified_claims.CLAIMS.values())
        self.assertLess(of_maps, of_reads)
        self.assertEqual(certified_claims.reach("main"), of_reads | set(certified_claims.START))
        self.assertNotIn("hlo_text", of_maps)

    def test_statements_of_theorems_need_no_proofs(self):
        self.assertEqual(certified_claims.statements("hlo_reads"), {"hlo_reads", "map_claims"})
        theorems = (certified_claims.STATEMENTS / "reads_checker.v").read_text()
        self.assertIn("Theorem check_reads_sound", theorems)

    def test_tables_tell_numbers_apart_that_differ_by_more_than_a_twentieth(self):
        row = "| a | {} | {} | b |"
        self.assertEqual(trusted_base.differences(row.format("1,000", "20"), row.format("1,049", "21")), [])
        self.assertEqual(len(trusted_base.differences(row.format("1,000", "20"), row.format("1,060", "20"))), 1)
        self.assertEqual(len(trusted_base.differences(row.format("1,000", "20"), row.format("1,000", "30"))), 1)
        self.assertEqual(len(trusted_base.differences(row.format("1,000", "20"), "| c | 1,000 | 20 | b |")), 1)

    def test_every_unit_defines_what_a_header_declares(self):
        # Else the sources were misread, and closures would lack the unit. MLIR generates the headers of emit/ir.
        defining = set().union(*self.sources.definers.values())
        others = [n for n in self.owner if n.endswith(".cc") and n not in defining and not n.startswith("emit/ir/")]
        self.assertEqual(others, ["tools/affirm/main.cc", "tools/opt/main.cc", "tools/python/native.cc"])

    def test_every_file_belongs_to_one_component(self):
        self.assertEqual(self.wrong, [])


if __name__ == "__main__":
    unittest.main()
