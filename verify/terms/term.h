// Terms: integers, conditions and values of elements, as both sides of a kernel's proof write them.
//
// A kernel's machine code and the HLO computation that it implements are each turned into terms
// over the same variables (block, thread, loop counters). Terms are shared: two that are built in
// the same way are one object, so that most comparisons are comparisons of pointers.
//
//   Pool pool;
//   Scope scope(pool);
//   Term th = pool.Variable("th_x", {0, 127}), bl = pool.Variable("bl_x", {0, 74});
//   Term i = pool.Add(pool.Scale(bl, 128), th);            // 128 * bl_x + th_x
//   scope.Quotient(pool.Scale(i, 19), 19) == i;             // true
//   scope.RangeOf(i);                                       // [0, 9599]
//
// Integers are mathematical: no width, no wrap (machine.h says how machine integers are written
// with them). An integer that leaves what can be computed exactly becomes an integer of which
// nothing is known, never a wrong one.
#ifndef AFFIRM_VERIFY_TERMS_TERM_H_
#define AFFIRM_VERIFY_TERMS_TERM_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/hlo/shape.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "verify/terms/op.h"

namespace affirm::terms {

__extension__ using Int128 = __int128;

// An interval of integers. The ends of Int128 are infinity. Empty when lo > hi.
struct Range {
  Int128 lo, hi;
  bool empty() const { return lo > hi; }
  bool single() const { return lo == hi; }
  friend bool operator==(const Range&, const Range&) = default;
};
inline constexpr Int128 kInfinity = (((Int128{1} << 126) - 1) << 1) + 1;
inline constexpr Range kAnything = {-kInfinity - 1, kInfinity};

enum class Kind : uint8_t {
  // Integers. A sum is a number and multiples of other integers, none of them a sum.
  kSum,
  kVariable,  // name, range
  kQuotient,  // floor(a0 / number), number > 0
  kMax,       // max(a0, a1)
  kProduct,   // a0 * a1 * ..., sorted
  kPick,      // a0 ? a1 : a2, of integers
  kInteger,   // the integer, as a signed one of its width, that the value a0 holds
  kUnknown,   // an integer in a range of which nothing else is known; no two are equal
  // Conditions.
  kTrue,
  kFalse,
  kAtLeastZero,  // a0 >= 0
  kIsZero,       // a0 == 0
  kNot,
  kAnd,    // sorted
  kHolds,  // the value a0, a predicate, is true
  // Values of elements.
  kLiteral,      // the bits `number` of a type
  kLoad,         // what element a0 of buffer `number` holds before the kernel runs
  kOfInteger,    // a0 modulo two to the power of the type's width
  kOfCondition,  // a predicate
  kApply,        // an operation on values
  kSelect,       // a0 ? a1 : a2, of values
  kFold,         // the values of a1 at all values of the variables a2, a3, ... for which a0 holds,
                 // combined by an operation
  kArbitrary,    // a value of which nothing is known; no two are equal
};

// What a term stands for.
enum class Sort : uint8_t { kInteger, kCondition, kValue };

struct Node;
// Null only when default-constructed. Compares by identity.
using Term = const Node*;

struct Monomial {
  Int128 coefficient;
  Term atom;
  friend bool operator==(const Monomial&, const Monomial&) = default;
};

struct Node {
  Kind kind;
  hlo::PrimitiveType type = hlo::PrimitiveType::kInvalid;  // of values
  uint32_t id = 0;                                         // in order of creation; sorts operands
  // The constant of a sum, the divisor of a quotient, the bits of a literal, the buffer of a load.
  Int128 number = 0;
  llvm::ArrayRef<Monomial> sum = {};
  uint64_t sum_hash = 0;  // of the monomials: the sum of their own, so that one more is added to it
  llvm::ArrayRef<Term> args = {};
  llvm::StringRef name = {};  // of a variable
  Operation operation = {};   // of kApply and kFold
  Range range = kAnything;    // of an integer, whatever holds elsewhere
  // A bit for each variable, each load, and whatever else the term is made of that has no operands,
  // and one for each value that is a predicate, by their ids: terms without a common bit have
  // nothing in common. Zero of numbers alone.
  uint64_t leaves = 0;
  static constexpr unsigned kBitsOfLeaves = 48, kBitsOfPredicates = 64 - kBitsOfLeaves;

  Sort sort() const {
    if (kind <= Kind::kUnknown) return Sort::kInteger;
    return kind <= Kind::kHolds ? Sort::kCondition : Sort::kValue;
  }
  Op op() const { return operation.op(); }
  bool IsNumber() const { return kind == Kind::kSum && sum.empty(); }
  // The bit of a value that is a predicate.
  uint64_t OwnBit() const { return uint64_t{1} << (kBitsOfLeaves + id % kBitsOfPredicates); }
};

// The integer or condition where each variable, value and unknown integer has the value that `leaf`
// gives it (a condition is 1 or 0; `leaf` is asked for the predicates of kHolds as well).
Int128 Evaluate(Term term, llvm::function_ref<Int128(Term)> leaf);

// Visits a term and what it is made of, each part once. `visit` says whether to go on into the
// parts of the one that it was given, past them, or nowhere any more.
enum class Visit : uint8_t { kInto, kPast, kStop };
void ForEachPart(Term root, llvm::function_ref<Visit(Term)> visit);
// Whether a term, or a part of it, is what is looked for.
bool AnyPart(Term root, llvm::function_ref<bool(Term)> is_wanted);

// "128*bl_x + th_x", "load0[4*bl_x]", "add(load0[0], 1.0)".
// After `limit` characters it ends with "...".
std::string ToString(Term term, size_t limit = 4096);
std::string ToString(Int128 number);
std::string ToString(const Range& range);

// Owns terms. Not for several threads at once.
class Pool {
 public:
  Pool();
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // Integers.
  Term Number(Int128 value);
  // One for each name and range: what is said of the numbers in one range is not said of others.
  Term Variable(llvm::StringRef name, Range range);
  Term Unknown(Range range);
  Term Add(Term a, Term b);
  Term Scale(Term a, Int128 factor);
  Term Subtract(Term a, Term b) { return Add(a, Scale(b, -1)); }
  Term Multiply(Term a, Term b);
  // A sum from any monomials and a constant: like ones are added. An atom that is a sum is
  // expanded.
  Term Sum(Int128 constant, llvm::ArrayRef<Monomial> monomials);
  // Atoms as they are; Scope simplifies.
  Term QuotientAtom(Term a, Int128 divisor);
  Term MaxAtom(Term a, Term b);
  Term PickAtom(Term condition, Term a, Term b);
  // The integer in a value of an integer type (a predicate is 0 or 1).
  Term IntegerOf(Term value);

  // Conditions, in normal form: x >= 0 has no common factor, and an equation's first coefficient is
  // positive.
  Term True() { return true_; }
  Term False() { return false_; }
  Term AtLeastZero(Term a);
  Term AtLeast(Term a, Term b) { return AtLeastZero(Subtract(a, b)); }  // a >= b
  Term IsZero(Term a);
  Term Equal(Term a, Term b) { return IsZero(Subtract(a, b)); }
  Term Not(Term condition);
  Term And(llvm::ArrayRef<Term> conditions);
  Term Or(llvm::ArrayRef<Term> conditions);
  Term Holds(Term predicate);

  // Values.
  Term Literal(hlo::PrimitiveType type, Int128 bits);
  Term Load(int64_t buffer, Term element, hlo::PrimitiveType type);
  Term OfInteger(Term integer, hlo::PrimitiveType type);
  Term OfCondition(Term condition);
  Term Apply(Operation operation, hlo::PrimitiveType type, llvm::ArrayRef<Term> args);
  Term Select(Term condition, Term a, Term b);
  Term Fold(Operation operation, Term condition, Term value, llvm::ArrayRef<Term> variables);
  Term Arbitrary(hlo::PrimitiveType type);
  // The operation that takes a position (an s64) to the element of a constant array there, given as
  // the bytes of all elements one after the other. From then on the operation on a position that is
  // a number is the literal.
  Operation KeepConstant(hlo::PrimitiveType type, llvm::ArrayRef<uint8_t> bytes);

  // A node like `term` with other operands, built by the functions above.
  Term WithArgs(Term term, llvm::ArrayRef<Term> args);

  size_t size() const;

  // How much may still be asked of the terms, in ranges that are computed; without a limit at
  // first. Once it is spent, ranges are those that terms were made with, no condition is decided
  // and nothing is simplified: a proof ends soon, as unknown. So a proof costs at most so much, the
  // same on each machine.
  void Limit(int64_t ranges) { ranges_left_ = ranges; }
  bool IsSpent() const { return ranges_left_ <= 0; }
  void SpendRange() { --ranges_left_; }

 private:
  struct Impl;
  Term Make(Node node);
  Term LongerSum(Term sum, const Monomial& added);
  Term LiteralOfConstant(llvm::StringRef digest, hlo::PrimitiveType type, Term position);
  int64_t ranges_left_ = INT64_MAX;
  std::unique_ptr<Impl> impl_;
  Term true_ = nullptr, false_ = nullptr;
};

// The width in bits that integers of the type have in a register; 1 for a predicate; 0 for other
// types.
int64_t IntegerWidth(hlo::PrimitiveType type);

}  // namespace affirm::terms

#endif  // AFFIRM_VERIFY_TERMS_TERM_H_
