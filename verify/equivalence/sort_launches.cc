#include "verify/equivalence/sort_launches.h"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "verify/equivalence/flatten.h"
#include "verify/equivalence/merge_layers.h"
#include "verify/equivalence/prove.h"
#include "verify/equivalence/same_structure.h"
#include "verify/equivalence/signatures.h"
#include "verify/equivalence/sort_comparators.h"
#include "verify/hlo/values/strict_weak_order.h"

namespace affirm::equivalence {

namespace {

using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;
using hlo::PrimitiveType;
using hlo::Shape;

// Positions in longer rows might not fit s32.
constexpr int64_t kLongestRow = int64_t{1} << 30;

bool SameShapes(const Arrays& a, const Arrays& b) {
  return a.size() == b.size() && llvm::all_of(llvm::zip(a, b), [](auto pair) {
           return std::get<0>(pair)->shape.SameIgnoringLayout(std::get<1>(pair)->shape);
         });
}

// One step: the sorts of the whole tiles of rows, and of the rest.
struct Step {
  std::vector<Instruction*> sorts;
  int64_t next = -1;
  bool has_previous = false;
};

class SortJoiner {
 public:
  explicit SortJoiner(Computation& computation) : all_(computation) {}

  std::unique_ptr<hlo::Module> Run(bool all_stable) {
    result_->name = all_.name;
    FindSteps();
    for (size_t first = 0; first < steps_.size(); ++first) {
      if (steps_[first].has_previous || steps_[first].sorts.empty()) continue;
      JoinFrom(first);
    }
    Rewrite(all_stable);
    return std::move(result_);
  }

 private:
  // The sort that replaces a chain of steps.
  struct Whole {
    Tiling tiling;
    std::vector<Instruction*> first, last;  // sorts
    Computation* less = nullptr;
    size_t arrays = 0;  // number of sorted arrays, without positions
  };

  static Instruction* ResultOf(const Instruction& sort, size_t k) {
    for (Instruction* user : sort.users) {
      if (user->opcode == Opcode::kGetTupleElement &&
          user->attributes.tuple_index == static_cast<int64_t>(k)) {
        return user;
      }
    }
    return nullptr;
  }

  // Whether the last sorted array has no use.
  bool DropsLast(const Instruction& sort) const {
    if (&sort == all_.root) return false;
    return llvm::all_of(sort.users, [&](const Instruction* user) {
      if (user->opcode != Opcode::kGetTupleElement) return false;
      const bool is_last =
          user->attributes.tuple_index + 1 == static_cast<int64_t>(sort.operands.size());
      return !is_last || (user->users.empty() && user != all_.root);
    });
  }

  // The sorts that an instruction depends on, without another sort in between.
  std::vector<Instruction*> NearestSorts(const Instruction& of) {
    llvm::SetVector<Instruction*> reached(of.operands.begin(), of.operands.end());
    std::vector<Instruction*> found;
    for (size_t i = 0; i < reached.size(); ++i) {
      if (reached[i]->opcode == Opcode::kSort) {
        found.push_back(reached[i]);
        continue;
      }
      reached.insert(reached[i]->operands.begin(), reached[i]->operands.end());
    }
    return found;
  }

  static bool SameComparator(const Instruction& a, const Instruction& b) {
    return a.operands.size() == b.operands.size() &&
           (a.called[0] == b.called[0] || SameStructure(*a.called[0], *b.called[0]));
  }

  void FindSteps() {
    for (const auto& owned : all_.instructions) {
      Instruction* op = owned.get();
      if (op->opcode != Opcode::kSort || op->called.size() != 1) continue;
      llvm::SetVector<int64_t> previous;
      for (const Instruction* sort : NearestSorts(*op)) {
        auto step = step_of_.find(sort);
        if (step != step_of_.end() && SameComparator(*sort, *op)) previous.insert(step->second);
      }
      int64_t own = -1;
      if (previous.size() == 2) {
        // Joins the sorts of whole tiles and of the rest, which were separate first steps so far.
        Step &a = steps_[previous[0]], &b = steps_[previous[1]];
        const bool join = a.sorts.size() == 1 && b.sorts.size() == 1 && !a.has_previous &&
                          !b.has_previous && a.next < 0 && b.next < 0;
        if (join) {
          a.sorts.push_back(b.sorts[0]);
          step_of_[b.sorts[0]] = previous[0];
          b.sorts.clear();
          previous.pop_back();
        }
      }
      if (previous.size() == 1) {
        if (steps_[previous[0]].next < 0) {
          steps_[previous[0]].next = std::ssize(steps_);
          steps_.emplace_back();
          steps_.back().has_previous = true;
        }
        own = steps_[previous[0]].next;
      } else {
        own = std::ssize(steps_);
        steps_.emplace_back();
      }
      steps_[own].sorts.push_back(op);
      step_of_[op] = own;
    }
  }

  // The tiling of the rows that a step sorts, if its sorts are whole tiles and the rest.
  static std::optional<Tiling> TilingOf(const std::vector<Instruction*>& sorts,
                                        bool several_steps) {
    if (sorts.empty() || sorts.size() > 2) return std::nullopt;
    const Shape& tiles = sorts[0]->operands[0]->shape;
    int64_t d = sorts[0]->attributes.dimensions[0];
    Tiling tiling;
    tiling.tile = tiles.dims[d];
    tiling.dims = tiles.dims;
    int64_t count = 1;
    if (sorts.size() == 1 && !several_steps) {
      tiling.dimension = d;
      return tiling;
    }
    const int64_t rank = sorts.size() == 2 ? sorts[1]->operands[0]->shape.rank() : tiles.rank() - 1;
    if (tiles.rank() == rank + 1 && d > 0) {
      count = tiles.dims[--d];
      tiling.dims.erase(tiling.dims.begin() + d);
    } else if (tiles.rank() != rank) {
      return std::nullopt;
    }
    tiling.dimension = d;
    int64_t rest = 0;
    if (sorts.size() == 2) {
      const Shape& left = sorts[1]->operands[0]->shape;
      if (sorts[1]->attributes.dimensions[0] != d || left.dims[d] >= tiling.tile)
        return std::nullopt;
      rest = left.dims[d];
      std::vector<int64_t> dims = tiling.dims;
      dims[d] = rest;
      if (left.dims != dims) return std::nullopt;
    }
    if (tiling.tile < 1 || count > kLongestRow / tiling.tile) return std::nullopt;
    tiling.dims[d] = count * tiling.tile + rest;
    if (tiling.size() > kLongestRow) return std::nullopt;
    return tiling;
  }

  // Orders whole tiles before the rest, which is a shorter row.
  static void WholeTilesFirst(std::vector<Instruction*>& sorts) {
    if (sorts.size() != 2) return;
    auto length = [](const Instruction* sort) {
      return sort->operands[0]->shape.dims[sort->attributes.dimensions[0]];
    };
    if (length(sorts[0]) < length(sorts[1])) std::swap(sorts[0], sorts[1]);
  }

  void JoinFrom(size_t first) {
    std::vector<std::vector<Instruction*>> chain;
    for (auto at = static_cast<int64_t>(first); at >= 0; at = steps_[at].next) {
      WholeTilesFirst(steps_[at].sorts);
      chain.push_back(steps_[at].sorts);
    }
    const Instruction& sort = *chain[0][0];
    const bool is_total = IsTotal(*sort.called[0]);
    if (sort.attributes.is_stable || (is_total && chain.size() == 1)) return;
    auto tiling = TilingOf(chain[0], chain.size() > 1);
    if (!tiling) return;
    for (const auto& step : chain) {
      if (step.size() != chain[0].size()) return;
      for (size_t k = 0; k < step.size(); ++k) {
        if (!SameShapes(step[k]->operands, chain[0][k]->operands) ||
            !SameAttributes(*step[k], *chain[0][k]) || !SameComparator(*step[k], sort)) {
          return;
        }
      }
    }
    int64_t sorted = tiling->tile;
    for (size_t k = 0; k + 1 < chain.size(); ++k, sorted *= 2) {
      if (!IsMerge(*tiling, chain[k], chain[k + 1], sorted)) return;
    }
    if (sorted < tiling->size()) return;
    Whole whole{*tiling, chain.front(), chain.back(), sort.called[0], sort.operands.size()};
    if (!is_total) {
      auto less = WithoutPositions(*sort.called[0]);
      // Without a strict weak order, HLO defines no sort that the launches could implement.
      if (!less || hlo_values::WhyNoStrictWeakOrder(*less) || !ArePositions(whole)) return;
      less->module = result_.get();
      whole.less = less.get();
      result_->computations.push_back(std::move(less));
      --whole.arrays;
      if (!llvm::all_of(chain.back(), [&](Instruction* of) { return DropsLast(*of); })) return;
    }
    wholes_.push_back(std::move(whole));
  }

  // Copies the transitive operands of the roots; `copies` has the given arrays.
  static bool CopyNeeded(Computation& to, const Arrays& roots, const Computation& from,
                         Copies& copies) {
    llvm::SetVector<const Instruction*> needed;
    for (const Instruction* root : roots) needed.insert(root);
    for (size_t i = 0; i < needed.size(); ++i) {
      if (copies.contains(needed[i])) continue;
      const Opcode opcode = needed[i]->opcode;
      if (opcode == Opcode::kParameter || opcode == Opcode::kSort) return false;
      needed.insert(needed[i]->operands.begin(), needed[i]->operands.end());
    }
    for (const auto& op : from.instructions) {
      if (needed.contains(op.get()) && !copies.contains(op.get()))
        copies[op.get()] = CopyInto(to, *op, copies);
    }
    return true;
  }

  // Whether the input of the second step is proved to be the merge layers applied to the output of
  // the first, which is sorted in parts of `sorted` elements.
  bool IsMerge(const Tiling& tiling, const std::vector<Instruction*>& from,
               const std::vector<Instruction*>& to, int64_t sorted) {
    const size_t count = from[0]->operands.size();
    Computation made, wanted;
    LayerBuilder of_made(made), b(wanted);
    Copies copies;
    Arrays operands, arrays, results;
    for (size_t k = 0; k < count; ++k) {
      Arrays parts;
      for (Instruction* sort : from) {
        const Shape& shape = sort->operands[k]->shape;
        Instruction* result = sort->shape.IsTuple() ? ResultOf(*sort, k) : sort;
        Instruction* given = of_made.Parameter(shape);
        if (result != nullptr) copies[result] = given;
        parts.push_back(b.Parameter(shape));
      }
      arrays.push_back(b.Joined(tiling, parts[0], parts.size() > 1 ? parts[1] : nullptr));
    }
    arrays = b.Merged(tiling, arrays, from[0]->called[0], sorted);
    for (size_t s = 0; s < to.size(); ++s) {
      for (size_t k = 0; k < count; ++k) {
        operands.push_back(to[s]->operands[k]);
        results.push_back(s == 0 ? b.Tiles(tiling, arrays[k], to[s]->operands[k]->shape)
                                 : b.Rest(tiling, arrays[k]));
      }
    }
    if (!CopyNeeded(made, operands, all_, copies)) return false;
    Arrays of;
    for (Instruction* operand : operands) of.push_back(copies.lookup(operand));
    made.root = of_made.Tuple(of);
    wanted.root = b.Tuple(results);
    return AreProvedEqual(made, wanted);
  }

  // Whether the last sorted array is proved to be the elements' positions.
  bool ArePositions(const Whole& whole) {
    Computation made, wanted;
    Copies copies;
    Arrays operands;
    for (const Instruction* sort : whole.first) operands.push_back(sort->operands.back());
    if (!CopyNeeded(made, operands, all_, copies)) return false;
    LayerBuilder of_made(made), b(wanted);
    made.root = of_made.Joined(whole.tiling, copies.lookup(operands[0]),
                               operands.size() > 1 ? copies.lookup(operands[1]) : nullptr);
    hlo::Attributes attributes;
    attributes.dimensions = {whole.tiling.dimension};
    wanted.root =
        b.Add(Opcode::kIota, Shape::Array(PrimitiveType::kS32, whole.tiling.dims), {}, attributes);
    return AreProvedEqual(made, wanted);
  }

  void Rewrite(bool all_stable) {
    auto made = std::make_unique<Computation>();
    made->name = all_.name;
    made->module = result_.get();
    made->is_entry = true;
    LayerBuilder b(*made);
    llvm::DenseMap<const Instruction*, std::pair<const Whole*, size_t>> last;
    for (const Whole& whole : wholes_) {
      for (auto [part, sort] : llvm::enumerate(whole.last)) last[sort] = {&whole, part};
    }
    Copies copies;
    std::map<const Whole*, Instruction*> made_sorts;
    for (const auto& op : all_.instructions) {
      auto found = last.find(op.get());
      if (found == last.end()) {
        Instruction* copy = CopyInto(*made, *op, copies);
        if (copy->opcode == Opcode::kSort)
          copy->attributes.is_stable |=
              all_stable || (copy->called.size() == 1 && IsTotal(*copy->called[0]));
        copies[op.get()] = copy;
        continue;
      }
      const auto [whole, part] = found->second;
      Instruction*& sort = made_sorts[whole];
      if (sort == nullptr) sort = AddSort(b, *whole, copies);
      Arrays results;
      for (size_t k = 0; k < whole->arrays; ++k) {
        Instruction* array = sort;
        if (sort->shape.IsTuple()) {
          hlo::Attributes number;
          number.tuple_index = static_cast<int64_t>(k);
          array = b.Add(Opcode::kGetTupleElement, sort->shape.tuple[k], {sort}, number);
        }
        results.push_back(part == 0
                              ? b.Tiles(whole->tiling, array, whole->last[0]->operands[k]->shape)
                              : b.Rest(whole->tiling, array));
      }
      // The positions, which have no use.
      while (results.size() < op->operands.size())
        results.push_back(copies.lookup(op->operands[results.size()]));
      copies[op.get()] = op->shape.IsTuple() ? b.Tuple(results) : results[0];
    }
    made->root = copies.lookup(all_.root);
    made->NumberParameters();
    result_->entry = made.get();
    result_->computations.push_back(std::move(made));
  }

  static Instruction* AddSort(LayerBuilder& b, const Whole& whole, const Copies& copies) {
    Arrays arrays;
    std::vector<Shape> shapes;
    for (size_t k = 0; k < whole.arrays; ++k) {
      Arrays parts;
      for (const Instruction* sort : whole.first) parts.push_back(copies.lookup(sort->operands[k]));
      arrays.push_back(b.Joined(whole.tiling, parts[0], parts.size() > 1 ? parts[1] : nullptr));
      shapes.push_back(arrays.back()->shape);
    }
    hlo::Attributes attributes;
    attributes.dimensions = {whole.tiling.dimension};
    attributes.is_stable = true;
    Instruction* sort = b.Add(Opcode::kSort, shapes.size() == 1 ? shapes[0] : Shape::Tuple(shapes),
                              arrays, attributes);
    sort->called = {whole.less};
    sort->called_as = {"to_apply"};
    return sort;
  }

  const Computation& all_;
  std::unique_ptr<hlo::Module> result_ = std::make_unique<hlo::Module>();
  std::vector<Step> steps_;
  llvm::DenseMap<const Instruction*, int64_t> step_of_;
  std::vector<Whole> wholes_;
};

}  // namespace

std::unique_ptr<hlo::Module> WithWholeSorts(const Computation& computation, bool all_stable) {
  const std::unique_ptr<Computation> flat = Flattened(computation);
  return SortJoiner(*flat).Run(all_stable);
}

}  // namespace affirm::equivalence
