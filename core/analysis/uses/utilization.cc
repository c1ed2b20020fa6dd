// Counts the elements in the union of the sets that maps give, as boxes where they are boxes.
#include "core/analysis/uses/utilization.h"

#include <algorithm>
#include <set>

#include "core/analysis/ops/op_helpers.h"
#include "core/analysis/uses/boxes.h"
#include "core/analysis/uses/tiling.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm {
namespace {

using analysis::Box;

// The map that gives, without dims, all that `map` gives anywhere.
IndexingMap FromAnywhere(const IndexingMap& map) {
  if (map.state() != IndexingMap::State::kNormal) return map;
  Context& context = *map.context();
  int64_t shift = static_cast<int64_t>(map.ranges().size());
  std::vector<Variable> ranges = map.ranges(), runtime = map.runtime();
  llvm::append_range(ranges, map.dims());
  auto fn = [&](VarKind kind, int64_t i) {
    return kind == VarKind::kDim ? context.Range(shift + i) : SymbolicExpr();
  };
  std::vector<SymbolicExpr> results;
  for (SymbolicExpr e : map.results()) results.push_back(e.Substitute(fn));
  std::vector<Constraint> constraints;
  for (const Constraint& c : map.constraints()) {
    constraints.push_back({c.expr.Substitute(fn), c.bounds});
  }
  for (Variable& v : runtime) v = RebaseRuntimeSource(v, fn, {}, ranges, runtime);
  return IndexingMap(context, results, {}, std::move(ranges), std::move(runtime), constraints);
}

// How many elements an exact tile has, where neither dims nor runtime values decide that.
std::optional<int64_t> WholeCount(const Tile& tile) {
  if (tile.offsets.IsKnownEmpty()) return 0;
  const bool is_whole = tile.IsKnown() && tile.exactness == Exactness::kExact &&
                        tile.offsets.constraints().empty() &&
                        llvm::none_of(tile.upper_bounds, [](SymbolicExpr e) { return bool(e); });
  if (!is_whole) return std::nullopt;
  Box box;
  for (size_t k = 0; k < tile.sizes.size(); ++k) box.push_back({0, tile.sizes[k], tile.strides[k]});
  return analysis::Count(box);
}

// Whether different values of the range variables lead to different elements, as each of them
// stands alone in a result or has one value only.
bool IsSelection(const IndexingMap& map) {
  for (size_t i = 0; i < map.ranges().size(); ++i) {
    SymbolicExpr range = map.context()->Range(static_cast<int64_t>(i));
    if (!map.ranges()[i].bounds.IsPoint() && !llvm::is_contained(map.results(), range)) {
      return false;
    }
  }
  return true;
}

// How many elements a map leads to that leaves a window out, wherever runtime values put it, as
// what a dynamic-update-slice reads of its operand: all that it would lead to without the window,
// less the window. That an index is outside is one constraint, max(..) in [c, inf]: it is at least
// c beyond some edge. nullopt for other maps.
std::optional<int64_t> CountOutsideOfWindow(const IndexingMap& map) {
  if (map.state() != IndexingMap::State::kNormal || !IsSelection(map)) return std::nullopt;
  auto is_outside = [](const Constraint& c) {
    return c.expr.kind() == ExprKind::kMax && c.bounds.HasLower() && !c.bounds.HasUpper();
  };
  auto outside = llvm::find_if(map.constraints(), is_outside);
  if (outside == map.constraints().end()) return std::nullopt;
  std::vector<Constraint> others;
  for (const Constraint& c : map.constraints()) {
    if (&c != &*outside) others.push_back(c);
  }
  IndexingMap everywhere = map, window = map;
  everywhere.SetConstraints(others);
  for (SymbolicExpr beyond : outside->expr.ops()) {
    others.push_back({beyond, {kInt64Min, outside->bounds.lower - 1}});
  }
  window.SetConstraints(others);
  std::optional<int64_t> all = WholeCount(TileOf(everywhere)), in = WholeCount(TileOf(window));
  return all && in ? std::optional(*all - *in) : std::nullopt;
}

// The map at the first value of each range variable that decides which runtime value is meant, as
// the number of a gather's window.
IndexingMap AtFirstRuntimeValues(IndexingMap map) {
  for (const Variable& v : map.runtime()) {
    if (!v.source || !v.source->map || v.source->map->state() != IndexingMap::State::kNormal) {
      continue;
    }
    for (SymbolicExpr e : v.source->map->results()) {
      for (size_t i = 0; i < map.ranges().size(); ++i) {
        if (!e.Uses(VarKind::kRange, static_cast<int64_t>(i))) continue;
        map.SetBounds(VarKind::kRange, static_cast<int64_t>(i),
                      Interval::Point(map.ranges()[i].bounds.lower));
        if (map.state() != IndexingMap::State::kNormal) return map;
      }
    }
  }
  return map;
}

// Counts the elements in the union of the images of some maps.
class Counter {
 public:
  explicit Counter(const hlo::Shape& shape) {
    out_.elements = shape.NumElements();
    for (int64_t n : shape.dims) all_.push_back({0, n, 1});
  }

  void Add(const LabeledMap& labeled) {
    if (labeled.map.IsKnownEmpty()) return;
    IndexingMap map = FromAnywhere(labeled.map);
    Tile tile = TileOf(map);
    if (tile.offsets.IsKnownEmpty()) return;
    bool is_all_read = labeled.exactness == Exactness::kExact;
    std::optional<Box> box = Fixed(tile);
    if (is_all_read && tile.exactness == Exactness::kExact) {
      if (box) return boxes_.push_back(analysis::Intersect(all_, *box));
      return AddRuntimeTile(tile);
    }
    if (is_all_read && map.runtime().empty() && Visit(map)) return;
    if (is_all_read) {
      if (auto count = CountOutsideOfWindow(map)) return AddRuntimeSet(*count);
      std::optional<int64_t> some = WholeCount(TileOf(AtFirstRuntimeValues(map)));
      largest_runtime_set_ = std::max(largest_runtime_set_, some.value_or(0));
    }
    Because(is_all_read                                ? tile.reason
            : labeled.exactness == Exactness::kUnknown ? "the map is not known"
                                                       : "the map covers what is read");
    if (labeled.exactness == Exactness::kUnknown || !tile.IsKnown()) {
      not_in_boxes_ = out_.elements;
    } else {
      std::optional<int64_t> in_box;
      if (box) in_box = analysis::Count(analysis::Intersect(all_, *box));
      AddUpperBound(std::min(in_box.value_or(out_.elements), Choices(map).value_or(out_.elements)));
    }
  }

  Utilization Finish() {
    std::optional<int64_t> fixed = CountFixed();
    if (!fixed) Because("the sets overlap in too many ways");
    out_.at_least = std::max(fixed.value_or(0), largest_runtime_set_);
    bool is_one_runtime_set = num_runtime_sets_ == 1 && not_in_boxes_ == largest_runtime_set_ &&
                              boxes_.empty() && points_.empty();
    out_.at_most =
        fixed ? std::min(CheckedAdd(*fixed, not_in_boxes_).value_or(kInt64Max), out_.elements)
              : out_.elements;
    if (is_one_runtime_set) out_.at_most = out_.at_least;
    if (out_.IsExact()) {
      out_.reason.clear();
    } else if (out_.reason.empty()) {
      out_.reason = "the overlap depends on runtime values";
    }
    return out_;
  }

 private:
  // The tile as numbers, when no runtime value moves it.
  static std::optional<Box> Fixed(const Tile& tile) {
    const IndexingMap& offsets = tile.offsets;
    if (offsets.state() != IndexingMap::State::kNormal || !offsets.constraints().empty()) return {};
    Box box;
    for (size_t k = 0; k < tile.sizes.size(); ++k) {
      SymbolicExpr first = offsets.results()[k], bound = tile.upper_bounds[k];
      if (!first.IsConstant() || (bound && !bound.IsConstant())) return std::nullopt;
      int64_t size = tile.sizes[k];
      if (bound) {
        int128 distance = int128{bound.value()} - 1 - first.value();
        int128 fit = FloorDivUnchecked<int128>(distance, tile.strides[k]) + 1;
        size = static_cast<int64_t>(std::clamp<int128>(fit, 0, size));
      }
      box.push_back({first.value(), size, tile.strides[k]});
    }
    return box;
  }

  // How many choices of range variables there are: no more elements are read.
  static std::optional<int64_t> Choices(const IndexingMap& map) {
    Box box;
    for (const Variable& v : map.ranges()) {
      std::optional<int64_t> n = v.bounds.Count();
      if (!n) return std::nullopt;
      box.push_back({0, *n, 1});
    }
    return analysis::Count(box);
  }

  // An exact tile that runtime values move: how large it is may depend on them too.
  void AddRuntimeTile(const Tile& tile) {
    Box box;
    bool is_whole = tile.offsets.constraints().empty();
    for (size_t k = 0; k < tile.sizes.size(); ++k) {
      box.push_back({0, tile.sizes[k], tile.strides[k]});
      is_whole = is_whole && !tile.upper_bounds[k];
    }
    std::optional<int64_t> count = analysis::Count(box);
    if (is_whole && count) return AddRuntimeSet(*count);
    AddUpperBound(count);
    ++num_runtime_sets_;
    if (!is_whole) Because("runtime values decide how much is read");
  }

  // So many elements; runtime values decide which.
  void AddRuntimeSet(int64_t count) {
    AddUpperBound(count);
    ++num_runtime_sets_;
    largest_runtime_set_ = std::max(largest_runtime_set_, count);
  }

  // Follows the map; false when it has too many points.
  bool Visit(const IndexingMap& map) {
    auto visit = [&](auto dims, auto ranges, auto runtime) {
      auto results = map.Evaluate(dims, ranges, runtime);
      if (!results) {
        llvm::consumeError(results.takeError());
        Because("a value of the map leaves 64 bits");
        return true;
      }
      points_.insert(*std::move(results));
      return true;
    };
    return map.ForEachPoint(visit, kMaxCountedPoints);
  }

  // The union of boxes: by their intersections, or by marking elements one by one.
  std::optional<int64_t> CountFixed() const {
    if (points_.empty()) {
      if (auto count = analysis::CountUnion(boxes_)) return count;
    }
    std::set<std::vector<int64_t>> marked = points_;
    int64_t visited = 0;
    for (const Box& box : boxes_) {
      std::optional<int64_t> n = analysis::Count(box);
      if (!n || *n > kMaxCountedPoints - visited) return std::nullopt;
      visited += *n;
      std::vector<int64_t> position(box.size(), 0);
      for (int64_t i = 0; i < *n; ++i) {
        int64_t rest = i;
        for (size_t k = box.size(); k-- > 0;) {
          position[k] = box[k].first + rest % box[k].size * box[k].stride;
          rest /= box[k].size;
        }
        marked.insert(position);
      }
    }
    return static_cast<int64_t>(marked.size());
  }

  void AddUpperBound(std::optional<int64_t> count) {
    auto sum = count ? CheckedAdd(not_in_boxes_, *count) : std::nullopt;
    not_in_boxes_ = sum.value_or(out_.elements);
  }
  void Because(const std::string& reason) {
    if (out_.reason.empty()) out_.reason = reason;
  }

  Box all_;
  std::vector<Box> boxes_;
  std::set<std::vector<int64_t>> points_;
  int64_t not_in_boxes_ = 0;         // elements beyond the boxes, at most
  int64_t largest_runtime_set_ = 0;  // of those that runtime values move
  int64_t num_runtime_sets_ = 0;     // how many of those there are
  Utilization out_;
};

}  // namespace

Utilization CountRead(const hlo::Shape& shape, llvm::ArrayRef<LabeledMap> maps) {
  Counter counter(shape);
  for (const LabeledMap& map : maps) counter.Add(map);
  return counter.Finish();
}

std::vector<OperandUtilization> UtilizationOf(const hlo::Instruction& instruction,
                                              Context& context) {
  std::vector<std::vector<LabeledMap>> maps(instruction.operands.size());
  for (int64_t id = 0; id < NumLeaves(instruction.shape); ++id) {
    InstructionIndexing indexing = OutputToInput(instruction, id, context, {.exact = true});
    for (size_t k = 0; k < indexing.maps.size() && k < maps.size(); ++k) {
      llvm::append_range(maps[k], indexing.maps[k]);
    }
  }
  std::vector<OperandUtilization> out;
  for (size_t k = 0; k < maps.size(); ++k) {
    for (const hlo::LeafRef& leaf : Leaves(instruction.operands[k]->shape)) {
      if (!leaf.shape->IsArray()) continue;
      std::vector<LabeledMap> of_leaf;
      for (const LabeledMap& m : maps[k]) {
        if (m.leaf == leaf.index) of_leaf.push_back(m);
      }
      out.push_back({static_cast<int64_t>(k), leaf.index, CountRead(*leaf.shape, of_leaf)});
    }
  }
  return out;
}

}  // namespace affirm
