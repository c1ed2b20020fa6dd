// Maps and terms as JSON trees that the page evaluates (page/evaluate.js). Each is written once, in
// a pool; others name it by its number there.
//
//   (d0, d1)[s0] -> (d0 * 8 + s0, d1 mod 4), domain: d0 in [0, 3], ..., d0 + s0 in [0, 9]
// becomes
//   {"text": "..", "dims": [[0,3], ..], "ranges": [[0,7]], "runtime": [],
//    "results": [["+",0,["*",8,"d0"],"s0"], ["mod","d1",4]],
//    "constraints": [[["+",0,"d0","s0"],0,9]]}
// An integer that a double does not hold is a text; as a constant, ["c", "9223372036854775807"]. An
// infinite end is null.
#ifndef AFFIRM_DRIVER_EXPLORE_MAP_JSON_H_
#define AFFIRM_DRIVER_EXPLORE_MAP_JSON_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/indexing/indexing_map.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"
#include "verify/terms/term.h"

namespace affirm::driver {

// A number where a double holds it, else its digits.
llvm::json::Value IntegerJson(__int128 value);
// The tree of an expression; null for the null expression.
llvm::json::Value ExpressionJson(SymbolicExpr expr);
llvm::json::Object MapJson(const IndexingMap& map);

// Maps by their text and the producers of their runtime variables.
class MapPool {
 public:
  int64_t Add(const IndexingMap& map);
  llvm::json::Array Take() { return std::move(maps_); }

 private:
  llvm::StringMap<int64_t> numbers_;
  llvm::json::Array maps_;
};

// Terms over the threads and blocks of a kernel. A node is an array of its operator and of numbers
// of nodes:
//   ["n", 4]  ["v", "th_x"]  ["+", 4, 128, node, 1, node]  ["/", node, 8]  ["max", a, b]
//   ["*", a, b, ..]  ["?", condition, a, b]  [">=0", a]  ["=0", a]  ["!", a]  ["&", a, b, ..]
//   ["data", "load0[4]"]   what depends on data; no number
class TermPool {
 public:
  int64_t Add(terms::Term term);
  size_t size() const { return nodes_.size(); }
  llvm::json::Array Take() { return std::move(nodes_); }

 private:
  llvm::json::Array Node(terms::Term term);

  llvm::DenseMap<terms::Term, int64_t> numbers_;
  llvm::json::Array nodes_;
};

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_EXPLORE_MAP_JSON_H_
