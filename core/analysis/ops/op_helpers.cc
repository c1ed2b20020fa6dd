// Labels, small maps, and lists of maps without duplicates.
#include "core/analysis/ops/op_helpers.h"

#include <algorithm>

#include "core/simplify/simplify.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::analysis {

LabeledMap Exact(IndexingMap map, int64_t leaf) {
  return {std::move(map), Exactness::kExact, leaf, std::nullopt};
}

LabeledMap OverApproximate(IndexingMap map, int64_t leaf) {
  return {std::move(map), Exactness::kOverApproximate, leaf, std::nullopt};
}

LabeledMap Unknown(int64_t leaf) {
  return {IndexingMap::Undefined(), Exactness::kUnknown, leaf, std::nullopt};
}

Exactness Weaker(Exactness a, Exactness b) { return std::max(a, b); }

IndexingMap Canonical(const IndexingMap& map) {
  if (map.state() != IndexingMap::State::kNormal) return map;
  return RemoveUnusedVariables(Simplify(map));
}

IndexingMap SimplifyExceptPoints(const IndexingMap& map) {
  if (map.state() != IndexingMap::State::kNormal) return map;
  // A simplification that holds with a second value of such a variable holds without it.
  struct Point {
    VarKind kind;
    int64_t index;
    Interval bounds;
  };
  std::vector<Point> points;
  IndexingMap wider = map;
  for (VarKind kind : {VarKind::kDim, VarKind::kRange, VarKind::kRuntime}) {
    for (size_t i = 0; i < map.vars(kind).size(); ++i) {
      const Interval bounds = map.vars(kind)[i].bounds;
      if (!bounds.IsPoint() || bounds.upper >= kInt64Max - 1) continue;
      points.push_back({kind, static_cast<int64_t>(i), bounds});
      wider.SetBounds(kind, static_cast<int64_t>(i), {bounds.lower, bounds.upper + 1});
    }
  }
  if (points.empty()) return Simplify(map);
  IndexingMap out = Simplify(wider);
  for (const Point& point : points) {
    if (out.state() != IndexingMap::State::kNormal) return out;
    Interval now = out.vars(point.kind)[point.index].bounds;
    out.SetBounds(point.kind, point.index, now.Intersect(point.bounds));
  }
  if (out.state() != IndexingMap::State::kNormal) return out;
  // Constraints that only the second values could break.
  IndexingMap free = out;
  free.SetConstraints({});
  std::vector<Constraint> needed;
  for (const Constraint& c : out.constraints()) {
    if (!free.RangeOf(c.expr).Within(c.bounds)) needed.push_back(c);
  }
  out.SetConstraints(needed);
  return out;
}

InstructionIndexing NothingRead(const hlo::Instruction& op) {
  InstructionIndexing out;
  out.maps.resize(op.operands.size());
  return out;
}

InstructionIndexing OneOperand(const hlo::Instruction& op, LabeledMap map) {
  InstructionIndexing out = NothingRead(op);
  out.maps[0].push_back(std::move(map));
  return out;
}

InstructionIndexing NothingWritten(const hlo::Instruction& op) {
  InstructionIndexing out;
  out.maps.resize(NumLeaves(op.shape));
  return out;
}

IndexingMap ReadsScalar(Context& context, llvm::ArrayRef<int64_t> dims) {
  return IndexingMap::FromShapes(context, {}, dims, {});
}

IndexingMap ReadsAll(Context& context, llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> read) {
  std::vector<SymbolicExpr> results;
  results.reserve(read.size());
  for (size_t i = 0; i < read.size(); ++i) results.push_back(context.Range(i));
  return IndexingMap::FromShapes(context, results, dims, read);
}

SymbolicExpr ExactQuotient(SymbolicExpr numerator, int64_t divisor,
                           std::vector<Constraint>& constraints) {
  if (divisor == 1) return numerator;
  constraints.push_back({numerator.Mod(divisor), Interval::Point(0)});
  return numerator.FloorDiv(divisor);
}

std::vector<SymbolicExpr> Dims(Context& context, int64_t n) {
  std::vector<SymbolicExpr> dims;
  dims.reserve(n);
  for (int64_t i = 0; i < n; ++i) dims.push_back(context.Dim(i));
  return dims;
}

bool AreDistinctDims(llvm::ArrayRef<int64_t> dims, int64_t rank) {
  std::vector<bool> seen(std::max<int64_t>(rank, 0));
  for (int64_t d : dims) {
    if (d < 0 || d >= rank || seen[d]) return false;
    seen[d] = true;
  }
  return true;
}

bool Contains(llvm::ArrayRef<int64_t> dims, int64_t d) { return llvm::is_contained(dims, d); }

void AddDistinct(std::vector<LabeledMap>& maps, LabeledMap map) {
  for (LabeledMap& m : maps) {
    if (m.leaf != map.leaf || m.map != map.map || m.replica_id != map.replica_id) continue;
    m.exactness = std::min(m.exactness, map.exactness);
    return;
  }
  maps.push_back(std::move(map));
}

}  // namespace affirm::analysis

namespace affirm {

const char* Name(Exactness e) {
  switch (e) {
    case Exactness::kExact:
      return "exact";
    case Exactness::kOverApproximate:
      return "over-approximate";
    case Exactness::kUnknown:
      return "unknown";
  }
  return "unknown";
}

}  // namespace affirm
