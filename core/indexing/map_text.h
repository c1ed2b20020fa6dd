// A map as its text has it, before anything is decided about it.
//
// An IndexingMap merges constraints on one expression, decides those without variables, and knows
// at once that `d0 in [5, 4]` is empty. Who needs the parts as they were written (to hand them to
// another program, or to take one away at a time) reads a WrittenMap:
//
//   auto written = ParseWrittenMap("(d0) -> (d0), domain: d0 in [5, 4]", context);
//   written->vars[0][0].bounds;   // [5, 4]
//   ToString(*written);           // the same text again
//   ParseIndexingMap(...);        // KNOWN EMPTY
#ifndef AFFIRM_CORE_INDEXING_MAP_TEXT_H_
#define AFFIRM_CORE_INDEXING_MAP_TEXT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/indexing/indexing_map.h"
#include "core/symbolic/text.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace affirm {

struct WrittenMap {
  // A map that is KNOWN EMPTY or undefined has no other fields.
  IndexingMap::State state = IndexingMap::State::kNormal;
  std::vector<Variable> vars[3];  // by VarKind
  std::vector<SymbolicExpr> results;
  std::vector<Constraint> constraints;  // in the order of the text

  std::vector<Variable>& of(VarKind kind) { return vars[static_cast<int>(kind)]; }
  const std::vector<Variable>& of(VarKind kind) const { return vars[static_cast<int>(kind)]; }
};

// The parts of an IndexingMap.
WrittenMap Written(const IndexingMap& map);
// Reads the text form of a map; errors are those of ParseIndexingMap, but divisors are not judged.
llvm::Expected<WrittenMap> ParseWrittenMap(llvm::StringRef text, Context& context,
                                           llvm::StringRef where = "<map>", int64_t first_line = 1);
// Reads a map without a domain, "(d0, d1)[s0] -> (d0 + s0, d1 * 2)". Its variables have the names
// of their positions then, whatever the text calls them. Divisors are not judged, as nothing bounds
// them; `divisors` gets those that are no constants.
llvm::Expected<SymbolicMap> ParseSymbolicMap(llvm::StringRef text, Context& context,
                                             llvm::StringRef where = "<map>",
                                             int64_t first_line = 1,
                                             std::vector<ReadDivisor>* divisors = nullptr);
// XLA's text form on one line, constraints in the order in which they stand.
std::string ToString(const WrittenMap& map);

}  // namespace affirm

#endif  // AFFIRM_CORE_INDEXING_MAP_TEXT_H_
