// Aligns the lines of two texts: the HLO before a pass and after it.
//
//   LineDiff diff = AlignLines("a\nb\nc\n", "a\nx\nc\n");
//   diff.matches;  // {{0, 0}, {2, 2}}
//
// Patience diff: lines that are unique in both parts are anchors, and the parts between anchors are
// aligned alone. Parts without anchors get a longest common subsequence while its table has at most
// 2^16 cells, else they are a replacement. Time is O(n log n) and space O(n) in the number of
// lines, whatever they say; the number of matches is not always the largest.
#ifndef AFFIRM_DRIVER_EXPLORE_LINE_DIFF_H_
#define AFFIRM_DRIVER_EXPLORE_LINE_DIFF_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"

namespace affirm::driver {

struct LineDiff {
  std::vector<llvm::StringRef> before, after;        // the lines, which point into the texts
  std::vector<std::pair<int64_t, int64_t>> matches;  // equal lines, counted from 0, both increasing
};
LineDiff AlignLines(llvm::StringRef before, llvm::StringRef after);

// Bounds what all diffs of a page hold, so that its file stays small.
struct DiffBudget {
  int64_t bytes = 1'500'000;
};

// {"lines": [before, after], "removed", "added", "rows": [..], "left_out"}
// A row is one of, with lines counted from 1:
//   [b, a, text]         equal lines, up to three around a change
//   [b, a, text, text]   a removed line beside an added one; 0 and null where there is no such
//   line.
//                        Lines that define one name (`x = ...`) stand beside each other.
//   [n]                  n equal lines that are left out
// `left_out` counts rows with changes beyond the bounds: 400 rows a diff, and the budget. Long
// lines are cut around their first difference.
llvm::json::Object DiffJson(const LineDiff& diff, DiffBudget& budget);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_EXPLORE_LINE_DIFF_H_
