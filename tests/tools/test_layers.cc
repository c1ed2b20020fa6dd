// The layers depend on each other in one direction: every #include stays within its layer or goes
// to a layer above it.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

// From the top down: a layer may depend on those before it. A file belongs to the longest of these
// folders that it lies in, so that `driver/errors.h` is of `driver` and above `driver/check`.
// The comment states the layer's purpose; tests/docs/layers.py prints it in docs/architecture.md.
const std::vector<std::string> kLayers = {
    "core/symbolic",         // integer expressions, intervals, checked arithmetic, their text
    "core/indexing",         // IndexingMap: domain, evaluation, composition, ranges
    "core/simplify",         // rewrite rules (rules/*.rules), their language, the engine, traces
    "core/hlo",              // shapes, literals, graph, verifier, HLO text; knows nothing of maps
    "core/stablehlo",        // StableHLO text as HLO
    "core/hlo_proto",        // modules that XLA serialized, as HLO
    "core/analysis",         // the maps of ops and fusions, in both directions
    "core/analysis/uses",    // tiles, utilization and coalescing, from maps
    "verify",                // verdicts: refuted < unknown < executed < proved, and their meet
    "verify/scalar",         // the value of each elementwise op on single elements
    "verify/value_rules",    // rules about values, proved for each choice of types
    "verify/calls",          // library calls as the HLO that they compute
    "verify/decide",         // Z3, isl, enumeration and intervals behind one interface
    "verify/prover",         // search for certificates of claims about maps; not trusted
    "verify/rules",          // proofs of rules for all constants; replay of traces; rules in Coq
    "verify/maps",           // decisions: are maps equal, covered, empty, injective, bijective?
    "verify/terms",          // integers, conditions and values of elements as terms
    "verify/lemma",          // equalities of value terms, checked at all values by compiled code
    "verify/hlo/values",     // the value of each op as a term
    "verify/hlo/semantics",  // the elements that each op reads, apart from core/analysis
    "verify/hlo/proof",      // proofs that maps and their compositions agree with the semantics
    "verify/hlo/symbolic",   // the same proofs for all sizes (check --symbolic)
    "verify/logic",          // theorems about terms, and the only rules that make them
    "verify/compare",        // equality of two terms: by cases, folds, correspondences
    "verify/width",          // machine integers: overflow, index width, exact casts
    "verify/reference",      // the HLO interpreter, and the elements that it reads
    "verify/enclosure",      // every value that XLA may compute for an element, as intervals
    "verify/kernel",         // LLVM IR of any compiler's kernels, launches, the SIMT emulator
    "verify/kernel/lift",    // a kernel's LLVM IR as terms
    "verify/kernel/proof",   // proofs of the claims about a kernel, from its terms
    "verify/equivalence",    // two HLO computations compared as terms, and the laws for it
    "emit/ir",               // the MLIR dialect of kernels
    "emit/plan",             // what a kernel computes and where it reads, without MLIR
    "emit/elements",         // the computation of one element, as MLIR
    "emit/emitters",         // the thread of each element: one emitter for each hero
    "emit/transforms",       // passes from the dialect to arith, scf and accesses; index width
    "emit/codegen",          // LLVM IR of a kernel, and its code for a target
    "emit/runtime",          // runs of a kernel, on the SIMT emulator and on CUDA
    "emit",                  // from a computation to its kernel: the interface of emit/
    "fuzz/generators",       // random maps, ops, modules, and mutants of kernels
    "fuzz/properties",       // what must hold for random inputs
    "fuzz/reducer",          // makes modules and maps small while a fault shows
    "fuzz/targets",          // the libFuzzer programs
    "driver",                // input, output, errors, resource limits, worker processes
    "driver/report_model",   // records of claims, a renderer for each format, baselines
    "driver/buffers",        // a place in memory for each array of a module
    "driver/validate",       // one kernel: proved, or run on arguments (validate)
    "driver/check",          // one module through all checks, and its verdict (check)
    "driver/equivalence",    // two modules: proved equal, or run on arguments (equiv --hlo)
    "driver/dump",           // a dump of XLA: its passes, kernels and copies (xla)
    "driver/campaign",       // many random inputs, and what they find (fuzz)
    "driver/oracle",         // rules, and simplifiers of others, judged (audit)
    "driver/reports",        // answers about maps (indexing, equiv, simplify, width)
    "driver/explore",        // the page about a module (explore)
    "tools",                 // the command line, affirm-opt, affirm-check, the module of Python
};

std::optional<size_t> LayerOf(const std::string& path) {
  std::optional<size_t> layer;
  for (size_t i = 0; i < kLayers.size(); ++i) {
    if (!path.starts_with(kLayers[i] + "/")) continue;
    if (!layer || kLayers[i].size() > kLayers[*layer].size()) layer = i;
  }
  return layer;
}

// Layers whose claims hold for all values.
bool Proves(const std::string& layer) {
  return layer == "verify/terms" || layer == "verify/logic" || layer == "verify/hlo/values" ||
         layer == "verify/compare" || layer == "verify/kernel/lift" ||
         layer == "verify/kernel/proof" || layer == "verify/equivalence";
}

// Code that runs modules and kernels on numbers, and compares results.
bool Executes(const std::string& layer, const std::string& header) {
  return layer == "verify/reference" || layer == "verify/enclosure" ||
         header.starts_with("verify/kernel/emulator/");
}

// Why `file` may not include `header`; empty when it may.
std::string Violation(const std::string& file, const std::string& header) {
  bool in_emit = file.starts_with("emit/");
  bool in_verify = file.starts_with("verify/");
  if (header.starts_with("mlir/") && !in_emit) return "MLIR belongs to emit/";
  if ((header.starts_with("isl/") || header.starts_with("z3")) && !in_verify) {
    return "solvers belong to verify/";
  }
  if (header.starts_with("CLI/") && !file.starts_with("tools/")) {
    return "the command line belongs to tools/";
  }
  auto from = LayerOf(file), to = LayerOf(header);
  if (!from || !to) return "";
  if (Proves(kLayers[*from]) && Executes(kLayers[*to], header)) {
    return "proofs do not rest on executions";
  }
  const std::set<std::string> of_logic = {"core/hlo",     "verify/hlo/values",
                                          "verify/logic", "verify/scalar",
                                          "verify/terms", "verify/value_rules"};
  if (kLayers[*from] == "verify/logic" && !of_logic.contains(kLayers[*to]))
    return "inference rules depend on terms and value rules alone";
  if (*to > *from) return kLayers[*from] + " is above " + kLayers[*to];
  if (kLayers[*from] == "core/hlo" &&
      (kLayers[*to] == "core/indexing" || kLayers[*to] == "core/simplify")) {
    return "core/hlo knows nothing of maps";
  }
  const bool from_semantics = kLayers[*from] == "verify/hlo/semantics";
  if (from_semantics && (kLayers[*to] == "core/analysis" || kLayers[*to] == "core/indexing" ||
                         kLayers[*to] == "verify/maps")) {
    return "op semantics stand apart from the maps that are proved against them";
  }
  if (kLayers[*from] == "verify/hlo/symbolic" && kLayers[*to] == "verify/hlo/proof") {
    return "the proofs for all shapes stand apart from those of single maps";
  }
  return "";
}

std::string IncludedBy(std::string line) {
  line.erase(0, line.find_first_not_of(" \t"));
  if (!line.starts_with("#include")) return "";
  size_t open = line.find_first_of("\"<");
  size_t close = line.find_last_of("\">");
  return open == std::string::npos || close <= open ? "" : line.substr(open + 1, close - open - 1);
}

std::vector<std::string> SourceFiles() {
  std::vector<std::string> files;
  for (const char* top : {"core", "verify", "emit", "fuzz", "driver", "tools"}) {
    if (!fs::exists(top)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(top)) {
      auto extension = entry.path().extension();
      if (extension == ".h" || extension == ".cc") files.push_back(entry.path().generic_string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

TEST(Layers, DependOnlyOnThoseAbove) {
  int64_t includes = 0;
  for (const std::string& file : SourceFiles()) {
    std::ifstream in(file);
    int number = 0;
    for (std::string line; std::getline(in, line);) {
      ++number;
      std::string header = IncludedBy(line);
      if (header.empty()) continue;
      ++includes;
      EXPECT_EQ(Violation(file, header), "") << file << ":" << number << " includes " << header;
    }
  }
  EXPECT_GT(includes, 100) << "run in the source folder";
}

TEST(Layers, HoldEverySourceFile) {
  for (const std::string& file : SourceFiles()) EXPECT_TRUE(LayerOf(file)) << file;
}

// The check itself can fail.
TEST(Layers, WrongIncludesAreSeen) {
  EXPECT_NE(Violation("core/symbolic/expr.h", "core/hlo/shape.h"), "");
  EXPECT_NE(Violation("verify/scalar/scalar.h", "verify/reference/interpreter.h"), "");
  EXPECT_NE(Violation("verify/compare/same_value.cc", "verify/reference/interpreter.h"), "");
  EXPECT_NE(Violation("verify/logic/inference.cc", "verify/compare/same_value.h"), "");
  EXPECT_NE(Violation("verify/logic/inference.cc", "verify/lemma/lemma.h"), "");
  EXPECT_NE(Violation("verify/kernel/proof/lifting.cc", "verify/kernel/emulator/machine.h"), "");
  EXPECT_NE(Violation("verify/equivalence/prove.cc", "verify/enclosure/enclose.h"), "");
  EXPECT_EQ(Violation("verify/compare/same_value.cc", "verify/scalar/scalar.h"), "");
  EXPECT_NE(Violation("core/analysis/indexing.cc", "verify/maps/maps.h"), "");
  EXPECT_NE(Violation("driver/errors.cc", "driver/check/check.h"), "");
  EXPECT_NE(Violation("driver/check/check.cc", "CLI/CLI.hpp"), "");
  EXPECT_NE(Violation("fuzz/generators/choices.cc", "driver/errors.h"), "");
  EXPECT_EQ(Violation("driver/check/check.cc", "driver/errors.h"), "");
  EXPECT_NE(Violation("core/hlo/shape.h", "core/indexing/indexing_map.h"), "");
  EXPECT_NE(Violation("core/analysis/indexing.cc", "core/analysis/uses/tiling.h"), "");
  EXPECT_NE(Violation("verify/hlo/semantics/movement.cc", "core/analysis/indexing.h"), "");
  EXPECT_NE(Violation("verify/hlo/symbolic/proof.cc", "verify/hlo/proof/map_proof.h"), "");
  EXPECT_NE(Violation("emit/plan/split.cc", "emit/kernel.h"), "");
  EXPECT_NE(Violation("emit/elements/scalar.h", "emit/emitters/hero.h"), "");
  EXPECT_NE(Violation("fuzz/generators/choices.cc", "fuzz/targets/abort_if_wrong.h"), "");
  EXPECT_NE(Violation("driver/check/check.cc", "driver/campaign/campaign.h"), "");
  EXPECT_NE(Violation("tools/affirm/main.cc", "mlir/IR/Builders.h"), "");
  EXPECT_NE(Violation("core/simplify/simplify.cc", "z3++.h"), "");
  EXPECT_EQ(Violation("verify/decide/isl_decider.cc", "isl/set.h"), "");
  EXPECT_EQ(Violation("emit/kernel.cc", "core/hlo/module.h"), "");
  EXPECT_EQ(IncludedBy("  #include \"a/b.h\"  // why"), "a/b.h");
  EXPECT_EQ(IncludedBy("#include <vector>"), "vector");
}

}  // namespace
