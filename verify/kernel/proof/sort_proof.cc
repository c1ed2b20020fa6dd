#include "verify/kernel/proof/sort_proof.h"

#include <algorithm>
#include <iterator>

#include "core/hlo/leaves.h"
#include "verify/hlo/values/strict_weak_order.h"
#include "verify/scalar/nan_bits.h"
#include "verify/terms/machine.h"
#include "verify/terms/operations.h"

namespace affirm::kernel {

using hlo_values::ComputationValues;
using terms::Kind;
using terms::Scope;
using terms::Term;

namespace {

// The only name in a term; null if it has none or several.
Term NameIn(Term root, const llvm::DenseMap<Term, const NamedChoice*>& names) {
  Term found = nullptr;
  terms::ForEachPart(root, [&](Term term) {
    if (!names.contains(term)) return terms::Visit::kInto;
    found = term;
    return terms::Visit::kStop;
  });
  return found;
}

Term Replaced(Scope& scope, Term root, Term name, Term value) {
  return root == name ? value : scope.Substitute(root, {{name, value}});
}

}  // namespace

SortProver::SortProver(const Launch& launch, const Buffers& buffers, const hlo::Instruction& sort,
                       size_t first_output, terms::Pool& pool, const SameValueOptions& options,
                       terms::TermDecider* decider)
    : launch_(launch),
      buffers_(buffers),
      sort_(sort),
      first_output_(first_output),
      pool_(pool),
      options_(options),
      decider_(decider),
      dimension_(sort.attributes.dimensions[0]),
      shape_(&sort.operands[0]->shape) {
  int64_t number = std::ssize(launch.params);
  for (Tuple* tuple : {&any_low_, &any_high_}) {
    for (const hlo::Instruction* operand : sort.operands) {
      tuple->push_back(pool.Load(number++, pool.Number(0), terms::TermType(operand->shape.type)));
    }
  }
}

// Empty if the comparator is a strict weak order, or rows have at most one element.
std::string SortProver::WhyNoOrder() const {
  if (shape_->dims[dimension_] < 2) return "";
  const auto why = hlo_values::WhyNoStrictWeakOrder(*sort_.called[0]);
  return why ? "a comparator that is not proved to be a strict weak order: " + *why : "";
}

bool SortProver::FailElements(const std::string& reason) {
  if (!elements_open_) elements_open_ = reason;
  return FailValues(reason);
}

bool SortProver::FailValues(const std::string& reason) {
  if (!values_open_) values_open_ = reason;
  return false;
}

std::optional<SortProver::Rows> SortProver::RowsOf(const LiftedCase& c, Scope& scope) {
  const auto size = static_cast<size_t>(shape_->dims[dimension_]);
  Rows rows;
  for (size_t leaf = 0; leaf < sort_.operands.size(); ++leaf) {
    const size_t param = buffers_.outputs()[first_output_ + leaf];
    const hlo::Shape& shape = launch_.params[param].shape;
    for (const Effect& effect : c.effects) {
      if (effect.kind == Effect::Kind::kRead || effect.buffer != buffers_.NumberOf(param)) continue;
      const std::string place = "line " + std::to_string(effect.line) + ": ";
      if (effect.kind != Effect::Kind::kStore || scope.Decide(effect.guard) != true) {
        FailElements(place + "an element of a sorted row that is stored under a condition");
        return std::nullopt;
      }
      std::vector<Term> index = hlo_values::IndexOfElement(scope, shape, effect.element);
      for (Term& i : index) i = scope.Simplify(i);
      Term position = index[dimension_];
      index.erase(index.begin() + dimension_);
      const bool known = position->IsNumber() && position->number >= 0 &&
                         position->number < static_cast<terms::Int128>(size);
      if (!known) {
        FailElements(place + "a position in a sorted row that is no number");
        return std::nullopt;
      }
      Row& row = rows[index];
      row.resize(size, Tuple(sort_.operands.size(), nullptr));
      row[static_cast<size_t>(position->number)][leaf] = effect.value;
    }
  }
  for (const auto& [others, row] : rows) {
    for (const Tuple& tuple : row) {
      if (!llvm::is_contained(tuple, nullptr)) continue;
      FailElements("a part of a sorted row: the kernel is not all of the sort");
      return std::nullopt;
    }
  }
  return rows;
}

void SortProver::Prove(const LiftedCase& c, Scope& scope, ComputationValues& values) {
  if (!why_no_order_) why_no_order_ = WhyNoOrder();
  if (!why_no_order_->empty()) FailValues(*why_no_order_);
  orders_.clear();  // the memos hold under the facts of one case
  compared_.clear();
  auto rows = RowsOf(c, scope);
  if (!rows) return;
  Names names;
  for (const NamedChoice& choice : c.choices) names[choice.name] = &choice;
  for (auto& [others, row] : *rows) {
    if (!ProveRow(others, std::move(row), names, scope, values) && elements_open_) return;
  }
}

bool SortProver::ProveRow(const std::vector<Term>& others, Row row, const Names& names,
                          Scope& scope, ComputationValues& values) {
  auto exchanges = TakeExchanges(row, names, scope);
  if (!exchanges) return FailElements("elements that are not exchanged in pairs");
  SameValue same(scope, options_, decider_);
  for (size_t p = 0; p < row.size(); ++p) {
    std::vector<Term> index = others;
    index.insert(index.begin() + dimension_, pool_.Number(static_cast<int64_t>(p)));
    for (size_t leaf = 0; leaf < row[p].size(); ++leaf) {
      auto wanted = values.At(*sort_.operands[leaf], 0, index);
      if (!wanted) return FailElements(llvm::toString(wanted.takeError()));
      Term sorted = row[p][leaf], operand = *wanted;
      if (hlo::SeesBitsOfNaN(*sort_.called[0])) {
        sorted = terms::BitsOf(pool_, sorted);
        operand = terms::BitsOf(pool_, operand);
      }
      if (!compare::Settles(same.Prove(sorted, operand), scope, sorted, operand))
        return FailElements("what is sorted is not the operand's element there: " + same.reason());
    }
  }
  if (values_open_) return false;
  std::vector<CompareExchange> network;
  for (const Exchange& exchange : *exchanges) {
    auto compared = Compared(exchange, scope);
    if (!compared)
      return FailValues("two elements change places by another condition: " + difference_);
    network.push_back(*compared);
  }
  auto alike = [](CompareExchange a, CompareExchange b) {
    return a.low == b.low && a.high == b.high;
  };
  if (!network_sorts_ ||
      !std::equal(network.begin(), network.end(), network_.begin(), network_.end(), alike)) {
    network_ = std::move(network);
    network_sorts_ = Sorts(std::ssize(row), network_);
    if (!network_sorts_) return FailValues("a network of exchanges that is too much work");
  }
  if (!*network_sorts_) {
    // A row that is in order for all arguments needs no exchanges.
    if (exchanges->empty() && IsInOrder(row, scope)) return true;
    return FailValues("the exchanges do not sort every row");
  }
  if (sort_.attributes.is_stable && !DistinguishesPositions(others, scope, values))
    return FailValues("a stable sort of elements that may be equal");
  return true;
}

std::optional<std::vector<SortProver::Exchange>> SortProver::TakeExchanges(Row& row,
                                                                           const Names& names,
                                                                           Scope& scope) {
  std::vector<Exchange> exchanges;
  // By condition: the position with one tuple of an exchange, until the other one is found.
  llvm::DenseMap<Term, size_t> open;
  std::vector<size_t> next;
  for (size_t p = row.size(); p-- > 0;) next.push_back(p);
  while (!next.empty()) {
    const size_t p = next.back();
    next.pop_back();
    Term condition = nullptr;
    for (Term value : row[p]) {
      Term name = NameIn(value, names);
      if (name && !condition) condition = names.lookup(name)->condition;
    }
    if (!condition) continue;
    auto [it, fresh] = open.try_emplace(condition, p);
    if (fresh) continue;
    const size_t other = it->second;
    open.erase(it);
    if (!TakeExchange(row[p], row[other], names, scope)) return std::nullopt;
    const size_t low = std::min(p, other), high = std::max(p, other);
    exchanges.push_back(
        {static_cast<int64_t>(low), static_cast<int64_t>(high), condition, row[low], row[high]});
    next.push_back(p);
    next.push_back(other);
  }
  if (!open.empty()) return std::nullopt;
  std::reverse(exchanges.begin(), exchanges.end());
  return exchanges;
}

// Undoes the last exchange of two tuples, if it exchanged both, in all arrays by one condition.
bool SortProver::TakeExchange(Tuple& a, Tuple& b, const Names& names, Scope& scope) {
  const NamedChoice* first = nullptr;
  for (size_t leaf = 0; leaf < a.size(); ++leaf) {
    Term name_a = NameIn(a[leaf], names), name_b = NameIn(b[leaf], names);
    if (!name_a || !name_b) return false;
    const NamedChoice &of_a = *names.lookup(name_a), &of_b = *names.lookup(name_b);
    if (!first) first = &of_a;
    if (of_a.condition != first->condition || of_b.condition != first->condition) return false;
    Term before_a = Replaced(scope, a[leaf], name_a, of_a.kept);
    Term before_b = Replaced(scope, b[leaf], name_b, of_b.kept);
    if (Replaced(scope, a[leaf], name_a, of_a.stored) != before_b ||
        Replaced(scope, b[leaf], name_b, of_b.stored) != before_a) {
      return false;
    }
    a[leaf] = before_a;
    b[leaf] = before_b;
  }
  return true;
}

Term SortProver::Less(const Tuple& first, const Tuple& second, Scope& scope) const {
  // The parameters alternate: array k's first and second element.
  ComputationValues values(scope, *sort_.called[0], [&](int64_t parameter, int64_t, auto) {
    const auto leaf = static_cast<size_t>(parameter / 2);
    return parameter % 2 == 0 ? first[leaf] : second[leaf];
  });
  auto less = values.At(*sort_.called[0]->root, 0, {});
  if (less) return *less;
  llvm::consumeError(less.takeError());
  return nullptr;
}

SortProver::Order SortProver::OrderOf(Term condition, const Tuple& low, const Tuple& high,
                                      Scope& scope) {
  auto is = [&](bool exchanged, Term less) {
    Term when = exchanged ? condition : pool_.Not(condition);
    const Term exchanges = pool_.OfCondition(when);
    auto [it, fresh] = compared_.try_emplace({when, less});
    // The memoized theorem may rest on facts that do not hold here.
    if (fresh || (it->second && !compare::Settles(it->second, scope, exchanges, less))) {
      SameValue same(scope, options_, decider_);
      it->second = same.Prove(exchanges, less);
      if (!it->second && difference_.empty()) difference_ = same.reason();
    }
    return compare::Settles(it->second, scope, exchanges, less);
  };
  difference_.clear();
  // Exchanging equivalent tuples is allowed either way.
  if (Term less = Less(high, low, scope)) {
    if (is(true, less)) return Order::kAscending;
    if (is(false, less)) return Order::kDescending;
  }
  if (Term less = Less(low, high, scope)) {
    if (is(true, less)) return Order::kDescending;
    if (is(false, less)) return Order::kAscending;
  }
  return Order::kNone;
}

std::optional<CompareExchange> SortProver::Compared(const Exchange& exchange, Scope& scope) {
  // Generalizes the tuples to symbolic ones, to share the proof between exchanges. Constants stay,
  // since a comparator of positions may have been decided by them.
  llvm::DenseMap<Term, Term> any;
  Tuple low = exchange.of_low, high = exchange.of_high;
  bool are_any = true, apart = true;
  for (size_t leaf = 0; leaf < low.size(); ++leaf) {
    for (auto [value, to] :
         {std::pair(&low[leaf], any_low_[leaf]), std::pair(&high[leaf], any_high_[leaf])}) {
      if ((*value)->kind == Kind::kLoad) {
        apart = apart && any.try_emplace(*value, to).second;
        *value = to;
      } else {
        are_any = false;
      }
    }
  }
  Order order = Order::kNone;
  if (apart) {
    Term condition = scope.Substitute(exchange.condition, any);
    auto known = orders_.find(condition);
    if (are_any && known != orders_.end()) {
      order = known->second;
    } else {
      order = OrderOf(condition, low, high, scope);
      if (are_any) orders_[condition] = order;
    }
  } else {
    order = OrderOf(exchange.condition, exchange.of_low, exchange.of_high, scope);
  }
  if (order == Order::kNone) return std::nullopt;
  if (order == Order::kAscending) return CompareExchange{exchange.low, exchange.high};
  return CompareExchange{exchange.high, exchange.low};
}

// Whether no tuple is less than its predecessor, for all arguments.
bool SortProver::IsInOrder(const Row& row, Scope& scope) {
  SameValue same(scope, options_, decider_);
  for (size_t p = 0; p + 1 < row.size(); ++p) {
    Term less = Less(row[p + 1], row[p], scope);
    const Term never = pool_.OfCondition(pool_.False());
    if (!less || !compare::Settles(same.Prove(never, less), scope, never, less)) return false;
  }
  return true;
}

// Whether the comparator orders any two tuples of a row, so that the sorted row is unique.
bool SortProver::DistinguishesPositions(const std::vector<Term>& others, Scope& scope,
                                        ComputationValues& values) {
  const int64_t size = shape_->dims[dimension_];
  if (size < 2) return true;
  // Two symbolic positions, first < second.
  Term first = pool_.Variable("sorted_first", {0, size - 2}),
       distance = pool_.Variable("sorted_distance", {1, size - 1});
  Term second = pool_.Add(first, distance);
  const size_t saved = scope.Save();
  Tuple tuples[2];
  bool known = scope.Assume(pool_.AtLeast(pool_.Number(size - 1), second));
  for (size_t leaf = 0; known && leaf < sort_.operands.size(); ++leaf) {
    for (int side : {0, 1}) {
      std::vector<Term> index = others;
      index.insert(index.begin() + dimension_, side == 0 ? first : second);
      auto value = values.At(*sort_.operands[leaf], 0, index);
      known = known && !!value;
      if (value)
        tuples[side].push_back(*value);
      else
        llvm::consumeError(value.takeError());
    }
  }
  bool distinguishes = false;
  if (known) {
    Term forth = Less(tuples[0], tuples[1], scope), back = Less(tuples[1], tuples[0], scope);
    SameValue same(scope, options_, decider_);
    if (forth && back) {
      Term either = pool_.OfCondition(pool_.Or({pool_.Holds(forth), pool_.Holds(back)}));
      const Term always = pool_.OfCondition(pool_.True());
      distinguishes = compare::Settles(same.Prove(either, always), scope, either, always);
    }
  }
  scope.Restore(saved);
  return distinguishes;
}

}  // namespace affirm::kernel
