#include "verify/compare/written_elements.h"

#include <algorithm>
#include <map>
#include <optional>

#include "core/indexing/indexing_map.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/maps/partition.h"

namespace affirm::compare {

using terms::Int128;
using terms::Kind;
using terms::Monomial;
using terms::Term;

namespace {

// The most maps in one query.
constexpr size_t kMaxMaps = 256;

bool FitsInt64(Int128 v) { return v >= INT64_MIN && v <= INT64_MAX; }

// Integers and conditions as symbolic expressions over dims, one for each variable.
class ExpressionWriter {
 public:
  ExpressionWriter(Context& context, llvm::ArrayRef<Term> domain) : context_(context) {
    for (Term variable : domain) {
      if (variable->kind == Kind::kVariable) DimOf(variable);
    }
  }

  // nullopt for terms that depend on data, or have numbers past int64.
  std::optional<SymbolicExpr> Write(Term term) {
    switch (term->kind) {
      case Kind::kSum: {
        if (!FitsInt64(term->number)) return std::nullopt;
        SymbolicExpr sum = context_.Constant(static_cast<int64_t>(term->number));
        for (const Monomial& m : term->sum) {
          auto atom = Write(m.atom);
          if (!atom || !FitsInt64(m.coefficient)) return std::nullopt;
          sum = sum + *atom * context_.Constant(static_cast<int64_t>(m.coefficient));
        }
        return sum;
      }
      case Kind::kVariable:
        return DimOf(term);
      case Kind::kQuotient: {
        auto inner = Write(term->args[0]);
        if (!inner || !FitsInt64(term->number)) return std::nullopt;
        return inner->FloorDiv(static_cast<int64_t>(term->number));
      }
      case Kind::kMax: {
        auto a = Write(term->args[0]), b = Write(term->args[1]);
        if (!a || !b) return std::nullopt;
        return a->Max(*b);
      }
      default:
        return std::nullopt;
    }
  }

  const std::vector<Term>& variables() const { return variables_; }

 private:
  SymbolicExpr DimOf(Term variable) {
    auto [it, fresh] = dims_.try_emplace(variable, static_cast<int64_t>(variables_.size()));
    if (fresh) variables_.push_back(variable);
    return context_.Dim(it->second);
  }

  Context& context_;
  std::vector<Term> variables_;
  llvm::DenseMap<Term, int64_t> dims_;
};

// The conjunction of the conditions in disjunctive normal form, with pairwise disjoint conjunctions
// of bounds. nullopt for conditions that are not about integers, or too many conjunctions.
std::optional<std::vector<std::vector<Term>>> Disjoint(terms::Pool& pool,
                                                       llvm::ArrayRef<Term> conditions) {
  std::vector<std::vector<Term>> lists = {{}};
  auto multiply = [&](const std::vector<std::vector<Term>>& choices) {
    std::vector<std::vector<Term>> product;
    for (const auto& list : lists) {
      for (const auto& choice : choices) {
        product.push_back(list);
        llvm::append_range(product.back(), choice);
      }
    }
    lists = std::move(product);
  };
  for (Term condition : conditions) {
    if (condition->kind == Kind::kTrue) continue;
    if (condition->kind == Kind::kFalse) return std::vector<std::vector<Term>>{};
    bool negated = condition->kind == Kind::kNot;
    Term inner = negated ? condition->args[0] : condition;
    if (inner->kind == Kind::kAnd) {
      if (!negated) {
        auto parts = Disjoint(pool, inner->args);
        if (!parts) return std::nullopt;
        multiply(*parts);
      } else {
        // not (a and b) is not a, or a and not b: disjoint by the first part that is false.
        std::vector<std::vector<Term>> choices;
        std::vector<Term> before;
        for (Term part : inner->args) {
          std::vector<Term> choice = before;
          choice.push_back(pool.Not(part));
          auto parts = Disjoint(pool, choice);
          if (!parts) return std::nullopt;
          llvm::append_range(choices, *parts);
          before.push_back(part);
        }
        multiply(choices);
      }
    } else if (inner->kind == Kind::kIsZero && negated) {
      Term e = inner->args[0], one = pool.Number(1);
      multiply({{pool.AtLeast(e, one)}, {pool.AtLeast(pool.Number(-1), e)}});
    } else if (inner->kind == Kind::kIsZero || (inner->kind == Kind::kAtLeastZero && !negated)) {
      multiply({{inner}});
    } else {
      return std::nullopt;
    }
    if (lists.size() > kMaxMaps) return std::nullopt;
  }
  return lists;
}

// Stores whose indices differ by constants alone.
struct Family {
  std::vector<Term> linear;                  // the indices without their constants
  std::vector<std::vector<Int128>> numbers;  // the constants, one list for each store
};

std::vector<Family> FamiliesOf(terms::Pool& pool, const std::vector<std::vector<Term>>& indices) {
  std::vector<Family> families;
  std::map<std::vector<Term>, size_t> known;
  for (const auto& index : indices) {
    std::vector<Term> linear;
    std::vector<Int128> numbers;
    for (Term e : index) {
      Int128 number = e->kind == Kind::kSum ? e->number : 0;
      linear.push_back(number == 0 ? e : pool.Add(e, pool.Number(-number)));
      numbers.push_back(number);
    }
    auto [it, fresh] = known.try_emplace(linear, families.size());
    if (fresh) families.push_back({linear, {}});
    families[it->second].numbers.push_back(std::move(numbers));
  }
  return families;
}

// The constants of some stores: a product of grids, one for each dimension.
using NumberGrids = std::vector<NumberGrid>;

// Partitions the family's constants into products of grids: few, where they are a full product over
// the dimensions. Otherwise, or where an index is written twice, one for each store.
std::vector<NumberGrids> GridsOfFamily(const Family& family) {
  const size_t rank = family.linear.size();
  std::vector<std::vector<Int128>> values(rank);
  std::vector<std::vector<Int128>> all = family.numbers;
  llvm::sort(all);
  const bool twice = std::adjacent_find(all.begin(), all.end()) != all.end();
  size_t combinations = twice ? 0 : 1;
  for (size_t d = 0; d < rank && combinations <= all.size(); ++d) {
    for (const auto& numbers : all) values[d].push_back(numbers[d]);
    llvm::sort(values[d]);
    values[d].erase(llvm::unique(values[d]), values[d].end());
    combinations *= values[d].size();
  }
  std::vector<NumberGrids> maps;
  if (combinations != all.size()) {
    for (const auto& numbers : family.numbers) {
      maps.emplace_back();
      for (Int128 number : numbers) maps.back().push_back({number, {}});
    }
    return maps;
  }
  maps.emplace_back();
  for (const std::vector<Int128>& of_dimension : values) {
    std::vector<NumberGrids> extended;
    for (const NumberGrids& grids : maps) {
      for (NumberGrid& grid : GridsOf(of_dimension)) {
        extended.push_back(grids);
        extended.back().push_back(std::move(grid));
      }
    }
    maps = std::move(extended);
  }
  return maps;
}

// Merges lists with equal conditions and loops, after renaming loop variables by position: unrolled
// threads have the same loops under different names. Renaming is sound, since a list's loops are
// bound in it alone.
std::vector<WrittenElements> Together(terms::Pool& pool, llvm::ArrayRef<WrittenElements> writes) {
  std::vector<WrittenElements> merged;
  std::map<std::pair<std::vector<Term>, std::vector<Term>>, size_t> known;
  terms::Scope scope(pool);
  for (WrittenElements list : writes) {
    llvm::DenseMap<Term, Term> names;
    for (const auto& [k, loop] : llvm::enumerate(list.loops)) {
      Term renamed = pool.Variable("loop" + std::to_string(k), loop->range);
      names[loop] = renamed;
    }
    auto rename = [&](Term& term) { term = scope.Substitute(term, names); };
    llvm::for_each(list.loops, rename);
    llvm::for_each(list.conditions, rename);
    for (std::vector<Term>& index : list.indices) llvm::for_each(index, rename);
    auto [it, fresh] = known.try_emplace({list.conditions, list.loops}, merged.size());
    if (fresh)
      merged.push_back(std::move(list));
    else
      llvm::append_range(merged[it->second].indices, list.indices);
  }
  return merged;
}

}  // namespace

std::vector<NumberGrid> GridsOf(llvm::ArrayRef<Int128> numbers) {
  std::vector<NumberGrid> grids;
  for (Int128 n : numbers) grids.push_back({n, {}});
  // Merges runs of grids with equal strides and evenly spaced bases, up to a fixed point.
  for (bool changed = true; changed;) {
    changed = false;
    std::vector<NumberGrid> merged;
    for (size_t i = 0; i < grids.size();) {
      size_t count = 1;
      Int128 step = i + 1 < grids.size() ? grids[i + 1].base - grids[i].base : 0;
      while (i + count < grids.size() && grids[i + count].strides == grids[i].strides &&
             grids[i + count].base - grids[i + count - 1].base == step) {
        ++count;
      }
      merged.push_back(grids[i]);
      if (count > 1) {
        merged.back().strides.push_back({step, static_cast<int64_t>(count)});
        changed = true;
      }
      i += count;
    }
    grids = std::move(merged);
  }
  return grids;
}

namespace {

MapProofResult ProveTogether(terms::Pool& pool, llvm::ArrayRef<WrittenElements> writes,
                             llvm::ArrayRef<Term> domain, llvm::ArrayRef<int64_t> shape,
                             const DecideOptions& options) {
  Context context;
  std::vector<IndexingMap> maps;
  for (const WrittenElements& list : writes) {
    std::vector<Term> all(domain.begin(), domain.end());
    llvm::append_range(all, list.loops);
    auto conjunctions = Disjoint(pool, list.conditions);
    if (!conjunctions) return {.reason = "stores under conditions on data, or under too many"};
    for (const std::vector<Term>& conditions : *conjunctions) {
      for (const Family& family : FamiliesOf(pool, list.indices)) {
        for (const NumberGrids& grids : GridsOfFamily(family)) {
          if (maps.size() == kMaxMaps) return {.reason = "too many different stores"};
          ExpressionWriter writer(context, all);
          std::vector<SymbolicExpr> results;
          std::vector<Constraint> constraints;
          std::vector<int64_t> range_sizes;
          for (const auto& [linear, grid] : llvm::zip_equal(family.linear, grids)) {
            auto e = writer.Write(linear);
            if (!e || !FitsInt64(grid.base)) return {.reason = "an index that depends on data"};
            results.push_back(*e + context.Constant(static_cast<int64_t>(grid.base)));
            for (auto [stride, count] : grid.strides) {
              if (!FitsInt64(stride)) return {.reason = "an index past int64"};
              results.back() =
                  results.back() + context.Range(static_cast<int64_t>(range_sizes.size())) *
                                       context.Constant(static_cast<int64_t>(stride));
              range_sizes.push_back(count);
            }
          }
          for (Term condition : conditions) {
            auto e = writer.Write(condition->args[0]);
            if (!e) return {.reason = "stores under conditions on data"};
            bool equation = condition->kind == Kind::kIsZero;
            constraints.push_back({*e, equation ? Interval::Point(0) : Interval{0, INT64_MAX}});
          }
          std::vector<Variable> dims;
          for (Term variable : writer.variables()) {
            if (!FitsInt64(variable->range.lo) || !FitsInt64(variable->range.hi))
              return {.reason = "an unbounded variable"};
            dims.push_back({.bounds = {static_cast<int64_t>(variable->range.lo),
                                       static_cast<int64_t>(variable->range.hi)},
                            .name = "",
                            .source = std::nullopt});
          }
          auto num_dims = static_cast<unsigned>(dims.size()),
               num_ranges = static_cast<unsigned>(range_sizes.size());
          maps.emplace_back(context, SymbolicMap(num_dims, num_ranges, 0, results), std::move(dims),
                            VariablesOfSizes(range_sizes), std::vector<Variable>(), constraints);
        }
      }
    }
  }
  return ProvePartition(maps, shape, options);
}

// An injective encoding of stores and shape.
std::vector<int64_t> KeyOf(llvm::ArrayRef<WrittenElements> writes, llvm::ArrayRef<int64_t> shape) {
  std::vector<int64_t> key(shape.begin(), shape.end());
  auto add = [&](llvm::ArrayRef<Term> terms) {
    key.push_back(-static_cast<int64_t>(terms.size()) - 1);
    for (Term term : terms) key.push_back(term->id);
  };
  for (const WrittenElements& list : writes) {
    add(list.conditions);
    add(list.loops);
    key.push_back(-static_cast<int64_t>(list.indices.size()) - 1);
    for (const std::vector<Term>& index : list.indices) add(index);
  }
  return key;
}

}  // namespace

MapProofResult ProveWrittenOnce(terms::Pool& pool, llvm::ArrayRef<WrittenElements> writes,
                                llvm::ArrayRef<Term> domain, llvm::ArrayRef<int64_t> shape,
                                const DecideOptions& options) {
  return ProveTogether(pool, Together(pool, writes), domain, shape, options);
}

const MapProofResult& WrittenOnceProver::Prove(llvm::ArrayRef<WrittenElements> writes,
                                               llvm::ArrayRef<int64_t> shape) {
  const std::vector<WrittenElements> together = Together(pool_, writes);
  auto [known, fresh] = known_.try_emplace(KeyOf(together, shape));
  if (fresh) known->second = ProveTogether(pool_, together, domain_, shape, options_);
  return known->second;
}

}  // namespace affirm::compare
