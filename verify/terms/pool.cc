#include <algorithm>
#include <cstring>

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Allocator.h"
#include "verify/terms/float_operations.h"
#include "verify/terms/fold_laws.h"
#include "verify/terms/operations.h"
#include "verify/terms/range.h"
#include "verify/terms/scope.h"
#include "verify/terms/term.h"

namespace affirm::terms {

namespace {

llvm::hash_code HashOf(Int128 v) {
  return llvm::hash_combine(static_cast<uint64_t>(v), static_cast<uint64_t>(v >> 64));
}

uint64_t HashOf(const Monomial& m) {
  return static_cast<size_t>(llvm::hash_combine(HashOf(m.coefficient), m.atom->id));
}

unsigned HashOf(const Node& n) {
  llvm::hash_code hash = llvm::hash_combine(static_cast<int>(n.kind), static_cast<int>(n.type),
                                            HashOf(n.number), n.name, n.operation);
  if (!n.sum.empty()) hash = llvm::hash_combine(hash, n.sum_hash);
  for (Term arg : n.args) hash = llvm::hash_combine(hash, arg->id);
  if (n.kind == Kind::kVariable)
    hash = llvm::hash_combine(hash, HashOf(n.range.lo), HashOf(n.range.hi));
  return static_cast<unsigned>(static_cast<size_t>(hash));
}

// Ranges follow from the other fields, except for a variable's.
bool Same(const Node& a, const Node& b) {
  return a.kind == b.kind && a.type == b.type && a.number == b.number && a.name == b.name &&
         a.operation == b.operation && a.sum == b.sum && a.args == b.args &&
         (a.kind != Kind::kVariable || a.range == b.range);
}

struct NodeInfo {
  static Term getEmptyKey() { return nullptr; }
  static Term getTombstoneKey() { return llvm::DenseMapInfo<Term>::getTombstoneKey(); }
  static unsigned getHashValue(Term t) { return HashOf(*t); }
  static unsigned getHashValue(const Node& n) { return HashOf(n); }
  static bool isEqual(Term a, Term b) { return a == b; }
  static bool isEqual(const Node& a, Term b) {
    return b != getEmptyKey() && b != getTombstoneKey() && Same(a, *b);
  }
};

// A load has a bit of its own; so has any term without leaves that is not a constant.
uint64_t LeavesOf(const Node& n) {
  uint64_t leaves = 0;
  for (const Monomial& m : n.sum) leaves |= m.atom->leaves;
  for (Term arg : n.args) leaves |= arg->leaves;
  const bool is_number = n.IsNumber() || n.kind == Kind::kTrue || n.kind == Kind::kFalse ||
                         n.kind == Kind::kOfInteger || n.kind == Kind::kOfCondition;
  if ((leaves == 0 && !is_number) || n.kind == Kind::kLoad)
    leaves |= uint64_t{1} << (n.id % Node::kBitsOfLeaves);
  if (n.type == hlo::PrimitiveType::kPred && n.kind != Kind::kOfCondition) leaves |= n.OwnBit();
  return leaves;
}

// Whether picks and selects use the negation of this condition, with swapped arms.
bool IsNegated(Term condition) {
  if (condition->kind != Kind::kAtLeastZero) return condition->kind == Kind::kNot;
  Term e = condition->args[0];
  return e->kind == Kind::kSum && e->sum[0].coefficient < 0;
}

// Memory limit, beyond which sums become unknown integers: an unrolled loop of additions makes a
// longer sum at each step.
constexpr size_t kMostBytes = size_t{1} << 30;

// Sums of this many monomials are stored with spare capacity.
constexpr size_t kLongSum = 16;

// A product with more monomials becomes an unknown integer in its range.
constexpr size_t kMaxMonomials = 256;

}  // namespace

int64_t IntegerWidth(hlo::PrimitiveType type) {
  if (type == hlo::PrimitiveType::kPred) return 1;
  return hlo::IsInt(type) ? hlo::BitWidth(type) : 0;
}

struct Pool::Impl {
  llvm::BumpPtrAllocator memory;
  llvm::DenseSet<Term, NodeInfo> nodes;
  uint32_t next_id = 0;
  Int128 next_unique = 0;
  llvm::StringMap<std::vector<uint8_t>> constants;  // by their digests
  // Storage of long sums. Sums that extend each other share one block of monomials, which grows
  // behind its beginning or in front of its end. Keyed by that fixed end: the size and capacity.
  struct Room {
    size_t used = 0, all = 0;
  };
  llvm::DenseMap<const Monomial*, Room> rooms_behind, rooms_in_front;

  // Appends or prepends a monomial to a long sum, in shared storage, so that the partial sums of a
  // loop take linear memory.
  llvm::ArrayRef<Monomial> WithOneMore(llvm::ArrayRef<Monomial> sum, const Monomial& added,
                                       bool in_front) {
    llvm::DenseMap<const Monomial*, Room>& rooms = in_front ? rooms_in_front : rooms_behind;
    const size_t size = sum.size();
    auto place = [&](const Monomial* end, size_t k) {
      return const_cast<Monomial*>(in_front ? end - 1 - k : end + k);
    };
    const Monomial* end = in_front ? sum.end() : sum.begin();
    auto room = rooms.find(end);
    const bool has_room = room != rooms.end() && room->second.all > size;
    const bool is_there = has_room && room->second.used > size && *place(end, size) == added;
    if (!is_there && (!has_room || room->second.used > size)) {
      Monomial* block = memory.Allocate<Monomial>(2 * size);
      std::copy(sum.begin(), sum.end(), in_front ? block + size : block);
      end = in_front ? block + 2 * size : block;
      room = rooms.try_emplace(end, Room{size, 2 * size}).first;
    }
    if (!is_there) new (place(end, room->second.used++)) Monomial(added);
    return {in_front ? end - size - 1 : end, size + 1};
  }
  bool IsKept(llvm::ArrayRef<Monomial> sum) const {
    return rooms_behind.contains(sum.begin()) || rooms_in_front.contains(sum.end());
  }

  template <typename T>
  llvm::ArrayRef<T> Keep(llvm::ArrayRef<T> values) {
    T* copy = memory.Allocate<T>(values.size());
    std::copy(values.begin(), values.end(), copy);
    return llvm::ArrayRef<T>(copy, values.size());
  }
};

Pool::Pool() : impl_(std::make_unique<Impl>()) {
  true_ = Make({.kind = Kind::kTrue});
  false_ = Make({.kind = Kind::kFalse});
}
Pool::~Pool() = default;
size_t Pool::size() const { return impl_->nodes.size(); }

Term Pool::Make(Node node) {
  auto found = impl_->nodes.find_as(node);
  if (found != impl_->nodes.end()) return *found;
  if (!impl_->IsKept(node.sum)) node.sum = impl_->Keep(node.sum);
  node.args = impl_->Keep(node.args);
  node.name = node.name.copy(impl_->memory);
  node.operation = node.operation.WithText(node.operation.text().copy(impl_->memory));
  node.id = impl_->next_id++;
  if (node.leaves == 0) node.leaves = LeavesOf(node);
  Node* kept = new (impl_->memory.Allocate<Node>()) Node(node);
  impl_->nodes.insert(kept);
  return kept;
}

// ---- integers

Term Pool::Number(Int128 value) {
  return Make({.kind = Kind::kSum, .number = value, .range = {value, value}});
}

Term Pool::Variable(llvm::StringRef name, Range range) {
  if (range.single()) return Number(range.lo);
  return Make({.kind = Kind::kVariable, .name = name, .range = range});
}

Term Pool::Unknown(Range range) {
  return Make({.kind = Kind::kUnknown, .number = impl_->next_unique++, .range = range});
}

// The sum plus a monomial of a new atom. If its place is at an end, no monomials are copied. Null
// if the sum has the atom already.
Term Pool::LongerSum(Term sum, const Monomial& added) {
  const llvm::ArrayRef<Monomial> old = sum->sum;
  auto is_before = [](const Monomial& a, const Monomial& b) { return a.atom->id < b.atom->id; };
  const Monomial* place = llvm::lower_bound(old, added, is_before);
  if (place != old.end() && place->atom == added.atom) return nullptr;
  llvm::SmallVector<Monomial, 8> inserted;
  const bool at_an_end = place == old.begin() || place == old.end();
  if (!at_an_end) {
    inserted.append(old.begin(), place);
    inserted.push_back(added);
    inserted.append(place, old.end());
  }
  const Range range = terms::Scale(added.atom->range, added.coefficient);
  return Make({.kind = Kind::kSum,
               .number = sum->number,
               .sum = at_an_end ? impl_->WithOneMore(old, added, place == old.begin()) : inserted,
               .sum_hash = sum->sum_hash + HashOf(added),
               .range = terms::Add(sum->range, range),
               .leaves = sum->leaves | added.atom->leaves});
}

Term Pool::Sum(Int128 constant, llvm::ArrayRef<Monomial> monomials) {
  for (size_t i = 0; i < 2 && constant == 0 && monomials.size() == 2; ++i) {
    const Monomial &sum = monomials[i], &added = monomials[1 - i];
    const bool fits = sum.coefficient == 1 && sum.atom->sum.size() >= kLongSum &&
                      added.coefficient != 0 && added.atom->kind != Kind::kSum;
    if (!fits || impl_->memory.getBytesAllocated() > kMostBytes) continue;
    if (Term longer = LongerSum(sum.atom, added)) return longer;
  }
  llvm::SmallVector<Monomial, 8> flat;
  bool overflow = false;
  auto multiply = [&](Int128 a, Int128 b) {
    Int128 product = 0;
    overflow |= __builtin_mul_overflow(a, b, &product);
    return product;
  };
  for (const Monomial& m : monomials) {
    if (m.atom->kind != Kind::kSum) {
      flat.push_back(m);
      continue;
    }
    overflow |=
        __builtin_add_overflow(constant, multiply(m.coefficient, m.atom->number), &constant);
    for (const Monomial& inner : m.atom->sum)
      flat.push_back({multiply(m.coefficient, inner.coefficient), inner.atom});
  }
  llvm::sort(flat, [](const Monomial& a, const Monomial& b) { return a.atom->id < b.atom->id; });
  llvm::SmallVector<Monomial, 8> merged;
  for (const Monomial& m : flat) {
    if (!merged.empty() && merged.back().atom == m.atom) {
      overflow |= __builtin_add_overflow(merged.back().coefficient, m.coefficient,
                                         &merged.back().coefficient);
    } else {
      merged.push_back(m);
    }
  }
  if (overflow || IsInfinite(constant) || impl_->memory.getBytesAllocated() > kMostBytes)
    return Unknown(kAnything);
  llvm::erase_if(merged, [](const Monomial& m) { return m.coefficient == 0; });
  if (merged.empty()) return Number(constant);
  if (constant == 0 && merged.size() == 1 && merged[0].coefficient == 1) return merged[0].atom;
  Range range = {constant, constant};
  for (const Monomial& m : merged)
    range = terms::Add(range, terms::Scale(m.atom->range, m.coefficient));
  if (merged.size() == 2) {
    // A residue alone: k * x - k * m * floor(x / m), or the same of a quotient of x.
    for (int i = 0; i < 2; ++i) {
      Term x = merged[i].atom, q = merged[1 - i].atom;
      Int128 k = merged[i].coefficient, unit = 1, product;
      if (q->kind != Kind::kQuotient) continue;
      if (x->kind == Kind::kQuotient && x->args[0] == q->args[0] && q->number % x->number == 0) {
        unit = x->number;
      } else if (q->args[0] != x) {
        continue;
      }
      Int128 m = q->number / unit;
      if (__builtin_mul_overflow(k, m, &product) || merged[1 - i].coefficient != -product) continue;
      range = Intersect(range, terms::Add(terms::Scale({0, m - 1}, k), {constant, constant}));
    }
  }
  uint64_t hash = 0;
  for (const Monomial& m : merged) hash += HashOf(m);
  return Make(
      {.kind = Kind::kSum, .number = constant, .sum = merged, .sum_hash = hash, .range = range});
}

Term Pool::Add(Term a, Term b) { return Sum(0, {{1, a}, {1, b}}); }
Term Pool::Scale(Term a, Int128 factor) { return Sum(0, {{factor, a}}); }

Term Pool::Multiply(Term a, Term b) {
  if (a->IsNumber()) return Scale(b, a->number);
  if (b->IsNumber()) return Scale(a, b->number);
  auto monomials = [](Term t) -> std::pair<Int128, llvm::SmallVector<Monomial, 4>> {
    if (t->kind != Kind::kSum) return {0, {{1, t}}};
    return {t->number, llvm::SmallVector<Monomial, 4>(t->sum)};
  };
  auto [ca, as] = monomials(a);
  auto [cb, bs] = monomials(b);
  if (as.size() * bs.size() > kMaxMonomials) return Unknown(terms::Multiply(a->range, b->range));
  Term result = Number(0);
  for (const Monomial& x : as) {
    for (const Monomial& y : bs) {
      llvm::SmallVector<Term, 4> factors;
      for (Term t : {x.atom, y.atom}) {
        if (t->kind == Kind::kProduct)
          factors.append(t->args.begin(), t->args.end());
        else
          factors.push_back(t);
      }
      llvm::sort(factors, [](Term p, Term q) { return p->id < q->id; });
      Range range = terms::Multiply(x.atom->range, y.atom->range);
      if (x.atom == y.atom) range.lo = std::max<Int128>(range.lo, 0);
      Term product = Make({.kind = Kind::kProduct, .args = factors, .range = range});
      result = Add(result, Scale(Scale(product, x.coefficient), y.coefficient));
    }
  }
  result = Add(result, Sum(0, {{ca, b}}));
  return Add(result, Sum(0, {{cb, Sum(0, as)}}));
}

Term Pool::QuotientAtom(Term a, Int128 divisor) {
  if (divisor == 1) return a;
  if (a->IsNumber()) return Number(FloorDiv(a->number, divisor));
  Range range = terms::Quotient(a->range, divisor);
  if (range.single()) return Number(range.lo);
  return Make({.kind = Kind::kQuotient, .number = divisor, .args = {a}, .range = range});
}

Term Pool::MaxAtom(Term a, Term b) {
  if (a == b) return a;
  if (a->range.lo >= b->range.hi) return a;
  if (b->range.lo >= a->range.hi) return b;
  if (a->id > b->id) std::swap(a, b);
  return Make({.kind = Kind::kMax, .args = {a, b}, .range = terms::Max(a->range, b->range)});
}

Term Pool::PickAtom(Term condition, Term a, Term b) {
  if (condition == true_ || a == b) return a;
  if (condition == false_) return b;
  if (IsNegated(condition)) return PickAtom(Not(condition), b, a);
  return Make({.kind = Kind::kPick, .args = {condition, a, b}, .range = Union(a->range, b->range)});
}

Term Pool::IntegerOf(Term value) {
  // A value of another type is an unbounded integer.
  const int64_t width = IntegerWidth(value->type);
  if (width == 0) return Make({.kind = Kind::kInteger, .args = {value}});
  const Int128 half = Int128{1} << (width - 1);
  const Range range = width > 1 ? Range{-half, half - 1} : Range{0, 1};
  if (value->kind == Kind::kOfCondition) return PickAtom(value->args[0], Number(1), Number(0));
  if (value->kind == Kind::kOfInteger) {
    Term integer = value->args[0];
    if (width == 1) return Scope(*this).Residue(integer, 2);
    Scope scope(*this);
    Term shifted = scope.Quotient(Add(integer, Number(half)), half * 2);
    return Subtract(integer, Scale(shifted, half * 2));
  }
  return Make({.kind = Kind::kInteger, .args = {value}, .range = range});
}

// ---- values

Term Pool::Literal(hlo::PrimitiveType type, Int128 bits) {
  if (IntegerWidth(type) > 1) return OfInteger(Number(bits), type);
  if (IntegerWidth(type) == 1) return OfCondition(bits != 0 ? true_ : false_);
  return Make({.kind = Kind::kLiteral, .type = type, .number = bits});
}

Term Pool::Load(int64_t buffer, Term element, hlo::PrimitiveType type) {
  return Make({.kind = Kind::kLoad, .type = type, .number = buffer, .args = {element}});
}

Term Pool::OfInteger(Term integer, hlo::PrimitiveType type) {
  int64_t width = IntegerWidth(type);
  if (integer->kind == Kind::kInteger && IntegerWidth(integer->args[0]->type) == width)
    return integer->args[0];
  if (width < 120) {
    // Coefficients and the constant matter modulo 2^width alone.
    Int128 half = Int128{1} << (width - 1);
    auto wrap = [&](Int128 v) { return v - FloorDiv(v + half, half * 2) * half * 2; };
    if (integer->IsNumber()) {
      integer = Number(width == 1 ? integer->number & 1 : wrap(integer->number));
    } else if (integer->kind == Kind::kSum) {
      auto is_wrapped = [&](Int128 v) { return v >= -half && v < half; };
      if (!is_wrapped(integer->number) || !llvm::all_of(integer->sum, [&](const Monomial& m) {
            return is_wrapped(m.coefficient);
          })) {
        llvm::SmallVector<Monomial, 8> reduced;
        for (const Monomial& m : integer->sum) reduced.push_back({wrap(m.coefficient), m.atom});
        return OfInteger(Sum(wrap(integer->number), reduced), type);
      }
    }
  }
  return Make({.kind = Kind::kOfInteger, .type = type, .args = {integer}});
}

Term Pool::OfCondition(Term condition) {
  if (condition->kind == Kind::kHolds) return condition->args[0];
  return Make({.kind = Kind::kOfCondition, .type = hlo::PrimitiveType::kPred, .args = {condition}});
}

Operation Pool::KeepConstant(hlo::PrimitiveType type, llvm::ArrayRef<uint8_t> bytes) {
  auto [kept, fresh] =
      impl_->constants.try_emplace(ConstantDigest(type, bytes), bytes.begin(), bytes.end());
  return Operation::ElementOfConstant(kept->first());
}

// Null where the array is not registered, or the index is not constant or out of bounds.
Term Pool::LiteralOfConstant(llvm::StringRef digest, hlo::PrimitiveType type, Term position) {
  Term number = IntegerOf(position);
  auto found = impl_->constants.find(digest);
  if (!number->IsNumber() || found == impl_->constants.end()) return nullptr;
  const size_t size = hlo::ByteWidth(type), count = found->second.size() / size;
  if (number->number < 0 || number->number >= static_cast<Int128>(count)) return nullptr;
  Int128 bits = 0;  // assumes a little-endian host
  std::memcpy(&bits, found->second.data() + static_cast<size_t>(number->number) * size, size);
  return Literal(type, bits);
}

Term Pool::Apply(Operation operation, hlo::PrimitiveType type, llvm::ArrayRef<Term> args) {
  const Op op = operation.op();
  if (op == Op::kElementOfConstant) {
    if (Term literal = LiteralOfConstant(operation.digest(), type, args[0])) return literal;
  }
  if (Term simpler = SimplerOperation(*this, op, type, args)) return simpler;
  if (args.size() == 2 && args[0]->id > args[1]->id && IsCommutative(op)) {
    return Make(
        {.kind = Kind::kApply, .type = type, .args = {args[1], args[0]}, .operation = operation});
  }
  return Make({.kind = Kind::kApply, .type = type, .args = args, .operation = operation});
}

Term Pool::Select(Term condition, Term a, Term b) {
  if (condition == true_ || a == b) return a;
  if (condition == false_) return b;
  if (IsNegated(condition)) return Select(Not(condition), b, a);
  if (a->type == hlo::PrimitiveType::kPred) {
    Term ca = Holds(a), cb = Holds(b);
    return OfCondition(Or({And({condition, ca}), And({Not(condition), cb})}));
  }
  if (IntegerWidth(a->type) > 1)
    return OfInteger(PickAtom(condition, IntegerOf(a), IntegerOf(b)), a->type);
  return Make({.kind = Kind::kSelect, .type = a->type, .args = {condition, a, b}});
}

Term Pool::Fold(Operation operation, Term condition, Term value, llvm::ArrayRef<Term> variables) {
  llvm::SmallVector<Term, 8> args = {condition, value};
  args.append(variables.begin(), variables.end());
  return Make({.kind = Kind::kFold, .type = value->type, .args = args, .operation = operation});
}

Term Pool::Arbitrary(hlo::PrimitiveType type) {
  return Make({.kind = Kind::kArbitrary, .type = type, .number = impl_->next_unique++});
}

}  // namespace affirm::terms
