#!/usr/bin/env python3
"""Tests of layers.py on small lists of layers and small sources."""

import unittest

import layers

LIST = """
const std::vector<std::string> kLayers = {
    "a",    // first
    "a/b",  // second
    "c",    // third
};
"""


class Layers(unittest.TestCase):

    def test_layers_and_purposes_keep_their_order(self):
        self.assertEqual(list(layers.read_layers(LIST).items()), [("a", "first"), ("a/b", "second"), ("c", "third")])

    def test_a_layer_without_a_purpose_is_an_error(self):
        for line in ('"c",', '"c",  //', '"c",  //  '):
            with self.assertRaisesRegex(layers.Error, "c has no purpose"):
                layers.read_layers(LIST.replace('"c",    // third', line))

    def test_a_line_of_another_form_is_an_error(self):
        for line in ('"c", "d",  // third', "// third"):
            with self.assertRaisesRegex(layers.Error, "expected one layer"):
                layers.read_layers(LIST.replace('"c",    // third', line))

    def test_a_text_without_the_list_is_an_error(self):
        with self.assertRaisesRegex(layers.Error, "no list"):
            layers.read_layers("const int kOther = 1;")

    def test_a_file_belongs_to_the_longest_folder(self):
        self.assertEqual(layers.layer_of("a/b/x.h", ["a", "a/b"]), "a/b")
        self.assertEqual(layers.layer_of("a/x.h", ["a", "a/b"]), "a")
        self.assertIsNone(layers.layer_of("ab/x.h", ["a", "a/b"]))

    def test_dependencies_are_the_included_layers(self):
        files = {"a/x.h": "#include <vector>\n", "a/b/x.h": '#include "a/x.h"\n#include "a/b/y.h"\n',
                 "c/x.cc": '  #include "a/b/x.h"\n// "a/x.h"\n'}
        self.assertEqual(layers.direct_dependencies(["a", "a/b", "c"], files), {"a": set(), "a/b": {"a"}, "c": {"a/b"}})

    def test_a_layer_without_sources_is_an_error(self):
        with self.assertRaisesRegex(layers.Error, "no source lies in c"):
            layers.direct_dependencies(["a", "c"], {"a/x.h": ""})

    def test_a_dependency_that_another_one_has_is_left_out(self):
        direct = {"a": set(), "b": {"a"}, "c": {"b"}, "d": {"a", "c"}, "e": {"a"}}
        self.assertEqual(layers.nearest(list(direct), direct), {"a": [], "b": ["a"], "c": ["b"], "d": ["c"], "e": ["a"]})

    def test_a_row_has_layer_purpose_and_dependencies(self):
        self.assertEqual(layers.table({"a": "one", "b": "x | y"}, {"a": [], "b": ["a"]}).splitlines()[2:],
                         ["| `a` | one | |", "| `b` | x \\| y | `a` |"])


if __name__ == "__main__":
    unittest.main()
