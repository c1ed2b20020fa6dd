// RUN: affirm-opt %s -affirm-declare-index-width -verify-diagnostics -split-input-file -o /dev/null
// Widths of index that a data layout may not declare.

// expected-error@+1 {{the data layout: width 0 is no width of index, expected 1 to 16777215 bits}}
module attributes { dlti.dl_spec = #dlti.dl_spec<index = 0 : i32> } {}

// -----

// expected-error@+1 {{the data layout: width 32 is less than least 64}}
module attributes { dlti.dl_spec = #dlti.dl_spec<"affirm_index.least" = 64 : i32, index = 32 : i32> } {}

// -----

// expected-error@+1 {{the data layout: most 16 is less than least 32}}
module attributes { dlti.dl_spec = #dlti.dl_spec<"affirm_index.least" = 32 : i32, "affirm_index.most" = 16 : i32> } {}

// -----

// expected-error@+1 {{"affirm_index.least" expects a number of 1 to 16777215 bits}}
module attributes { dlti.dl_spec = #dlti.dl_spec<"affirm_index.least" = 0 : i32> } {}

// -----

// expected-error@+1 {{expected integer attribute in the data layout entry for 'index'}}
module attributes { dlti.dl_spec = #dlti.dl_spec<index = "wide"> } {}
