// Parses HLO text, and compares maps as relations. For the tests of core/analysis.
#ifndef AFFIRM_TESTS_ANALYSIS_HLO_TEXT_H_
#define AFFIRM_TESTS_ANALYSIS_HLO_TEXT_H_

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/analysis/indexing.h"
#include "core/hlo/text.h"

namespace affirm::testing {

// A module and its entry root. `body` is the text of the entry computation's instructions unless it
// has an ENTRY itself.
struct Parsed {
  std::unique_ptr<hlo::Module> module;
  hlo::Instruction* root = nullptr;
  std::string error;
};

inline Parsed Parse(const std::string& body) {
  std::string text = body;
  if (body.find("ENTRY") == std::string::npos) text = "ENTRY e {\n" + body + "\n}\n";
  if (body.find("HloModule") == std::string::npos) text = "HloModule m\n" + text;
  Parsed out;
  auto module = hlo::ParseModule(text, "test.hlo");
  if (!module) {
    out.error = llvm::toString(module.takeError());
    return out;
  }
  out.module = std::move(*module);
  out.root = out.module->entry->root;
  return out;
}

// The same map without names and runtime sources, so that maps read from text compare equal to
// computed ones.
inline IndexingMap WithoutSources(const IndexingMap& m) {
  if (m.state() != IndexingMap::State::kNormal) return m;
  std::vector<Variable> runtime = m.runtime();
  for (Variable& v : runtime) v.source = std::nullopt;
  return IndexingMap(*m.context(), m.map(), m.dims(), m.ranges(), runtime, m.constraints());
}

// A map as the set of (dims, runtime values, results) that it relates; only results inside `shape`
// when one is given.
struct Related {
  std::vector<int64_t> dims, runtime, results;
  friend auto operator<=>(const Related&, const Related&) = default;
};
inline std::set<Related> Relation(const IndexingMap& m,
                                  const std::vector<int64_t>* shape = nullptr) {
  std::set<Related> out;
  bool complete = m.ForEachPoint([&](auto dims, auto ranges, auto runtime) {
    auto results = m.Evaluate(dims, ranges, runtime);
    EXPECT_TRUE(bool(results)) << m.ToString();
    if (!results) {
      llvm::consumeError(results.takeError());
      return false;
    }
    bool inside = true;
    for (size_t i = 0; shape && i < results->size(); ++i) {
      inside &= (*results)[i] >= 0 && (*results)[i] < (*shape)[i];
    }
    if (inside) out.insert({dims.vec(), runtime.vec(), *results});
    return true;
  });
  EXPECT_TRUE(complete || m.state() != IndexingMap::State::kNormal) << m.ToString();
  return out;
}

// The inverse relation.
inline std::set<Related> Transposed(const std::set<Related>& relation) {
  std::set<Related> out;
  for (const Related& r : relation) out.insert({r.results, r.runtime, r.dims});
  return out;
}

inline std::string Join(const std::vector<int64_t>& v, const char* separator = ",") {
  std::string out;
  for (size_t i = 0; i < v.size(); ++i) out += (i ? separator : "") + std::to_string(v[i]);
  return out;
}
inline std::string F32(const std::vector<int64_t>& dims) { return "f32[" + Join(dims) + "]"; }

}  // namespace affirm::testing

#endif  // AFFIRM_TESTS_ANALYSIS_HLO_TEXT_H_
