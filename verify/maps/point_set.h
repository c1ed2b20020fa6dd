// The set that a map gives at one point, by visiting all values of its range variables.
#ifndef AFFIRM_VERIFY_MAPS_POINT_SET_H_
#define AFFIRM_VERIFY_MAPS_POINT_SET_H_

#include <cstdint>
#include <set>
#include <vector>

#include "verify/decide/linear_form.h"
#include "verify/decide/loop_program.h"
#include "verify/maps/flattened_map.h"
#include "verify/maps/maps.h"

namespace affirm {

// How many range points may be visited to confirm a counterexample that a solver found.
inline constexpr int64_t kConfirmLimit = int64_t{1} << 22;

// Results of any size.
using WideTuple = std::vector<BigInt>;

// A set of result tuples, in increasing order, each once; tuples stand one behind the other. Those
// with a number that int64 does not hold, which are rare, stand apart.
struct TupleSet {
  int64_t arity = 0;
  int64_t count = 0;
  std::vector<int64_t> values;
  std::set<WideTuple> wide = {};

  llvm::ArrayRef<int64_t> operator[](int64_t i) const {
    return llvm::ArrayRef<int64_t>(values).slice(i * arity, arity);
  }
  int64_t Size() const { return count + static_cast<int64_t>(wide.size()); }
  bool Contains(llvm::ArrayRef<int64_t> tuple) const;
  bool Includes(const TupleSet& other) const;
  // Appends the tuples of another set; Normalize is to be called afterwards.
  void Append(const TupleSet& other);
  // Some of the tuples in order, at most `limit`; those that `other` lacks are preferred.
  std::vector<WideTuple> Sample(const TupleSet& other, size_t limit) const;
  friend bool operator==(const TupleSet&, const TupleSet&) = default;
};

// The results at one point.
struct PointResults {
  std::vector<int64_t> values;
  WideTuple wide;  // all results again, when int64 does not hold each of them
  bool IsWide() const { return !wide.empty(); }
};
WideTuple Widened(llvm::ArrayRef<int64_t> tuple);

// Sorts tuples that were appended in any order, and removes duplicates.
void Normalize(TupleSet& set);

class PointSets {
 public:
  explicit PointSets(const FlattenedMap& map);

  // Number of range points; nullopt when infinite or beyond int64.
  std::optional<int64_t> NumRangePoints() const { return range_points_; }

  // Moves to a point that differs from the one before from coordinate `changed` on.
  void SetPoint(llvm::ArrayRef<int64_t> outer, int64_t changed = 0);

  // The set at the current point. False when a result there has no value.
  bool Compute(TupleSet& set);
  // Calls fn for each range point of the domain at the current outer point: the values of the range
  // variables and the results. False when a result has no value, or fn returned false.
  using Visit = llvm::function_ref<bool(llvm::ArrayRef<int64_t>, const PointResults&)>;
  bool ForEach(Visit fn);

 private:
  bool InDomain();
  bool Results(PointResults& results);
  bool WideResults(PointResults& results);  // in integers of any size
  bool NextRange();
  llvm::ArrayRef<int64_t> FullPoint();

  const FlattenedMap& map_;
  LoopProgram program_;
  std::vector<LoopProgram::Register> results_, constraints_;
  std::vector<int64_t> point_;       // outer variables, then ranges
  std::vector<int64_t> full_point_;  // by variable number
  std::optional<int64_t> range_points_;
};

// Visits the points of a box of finite intervals in lexicographic order, until fn returns false
// (then false). `changed` is the first coordinate that differs from the point before.
bool ForEachInBox(llvm::ArrayRef<Interval> box,
                  llvm::function_ref<bool(llvm::ArrayRef<int64_t> point, int64_t changed)> fn);
// The number of points of a box; nullopt when infinite or beyond int64.
std::optional<int64_t> CountBox(llvm::ArrayRef<Interval> box);

// The two sets at a point, as a counterexample; tuples of one side only come first in line when not
// all fit.
MapCounterexample MakeCounterexample(const FlattenedMap& map, llvm::ArrayRef<int64_t> outer,
                                     const TupleSet& lhs, const TupleSet& rhs);

}  // namespace affirm

#endif  // AFFIRM_VERIFY_MAPS_POINT_SET_H_
