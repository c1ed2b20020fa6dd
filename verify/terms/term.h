// Terms: the expression language of both sides of a kernel's proof. A term is an integer, a
// condition or a value of an element.
//
// A kernel's machine code and the HLO computation that it implements are each turned into terms
// over the same variables (block, thread, loop counters). Terms are hash-consed: two that are built
// in the same way are one object, so most comparisons are comparisons of pointers.
//
//   Pool pool;
//   Scope scope(pool);
//   Term th = pool.Variable("th_x", {0, 127}), bl = pool.Variable("bl_x", {0, 74});
//   Term i = pool.Add(pool.Scale(bl, 128), th);            // 128 * bl_x + th_x
//   scope.Quotient(pool.Scale(i, 19), 19) == i;             // true
//   scope.RangeOf(i);                                       // [0, 9599]
//
// Integers are mathematical: no width, no wrap. machine.h represents machine integers by them. An
// integer whose coefficients overflow 128 bits becomes an unknown integer, never a wrong one.
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
  // Integers. A sum is a constant plus multiples of other integers, none of which is a sum.
  kSum,
  kVariable,  // name, range
  kQuotient,  // floor(a0 / number), number > 0
  kMax,       // max(a0, a1)
  kProduct,   // a0 * a1 * ..., sorted
  kPick,      // a0 ? a1 : a2, of integers
  kInteger,   // the value a0 as a signed integer of its width
  kUnknown,   // an unknown integer in a range; no two are known to be equal
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
  kLoad,         // element a0 of buffer `number`, before the kernel runs
  kOfInteger,    // a0 modulo two to the power of the type's width
  kOfCondition,  // a predicate
  kApply,        // an operation on values
  kSelect,       // a0 ? a1 : a2, of values
  kFold,         // the values of a1, for all values of the variables a2, a3, ... for which a0
                 // holds, combined by an operation
  kArbitrary,    // an unknown value; no two are known to be equal
};

// The sort of a term.
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
  uint64_t sum_hash = 0;  // the sum of the monomials' hashes, which a further monomial extends
  llvm::ArrayRef<Term> args = {};
  llvm::StringRef name = {};  // of a variable
  Operation operation = {};   // of kApply and kFold
  Range range = kAnything;    // of an integer, without any facts
  // Bloom mask of the term's leaves: variables, loads and other terms without operands, and of the
  // values in it that are predicates, by their ids. Terms with disjoint masks share no leaf. Zero
  // for constants.
  uint64_t leaves = 0;
  static constexpr unsigned kBitsOfLeaves = 48, kBitsOfPredicates = 64 - kBitsOfLeaves;

  Sort sort() const {
    if (kind <= Kind::kUnknown) return Sort::kInteger;
    return kind <= Kind::kHolds ? Sort::kCondition : Sort::kValue;
  }
  Op op() const { return operation.op(); }
  bool IsNumber() const { return kind == Kind::kSum && sum.empty(); }
  // The bit of this term, which is a value and a predicate.
  uint64_t OwnBit() const { return uint64_t{1} << (kBitsOfLeaves + id % kBitsOfPredicates); }
};

// Evaluates an integer, or a condition to 1 or 0. `leaf` gives the values of variables, values and
// unknown integers, and of the predicates of kHolds.
Int128 Evaluate(Term term, llvm::function_ref<Int128(Term)> leaf);

// Visits a term and its parts, each once. `visit` returns whether to go on into the operands of its
// argument, past them, or to stop.
enum class Visit : uint8_t { kInto, kPast, kStop };
void ForEachPart(Term root, llvm::function_ref<Visit(Term)> visit);
// Whether `is_wanted` holds for a term or a part of it.
bool AnyPart(Term root, llvm::function_ref<bool(Term)> is_wanted);

// "128*bl_x + th_x", "load0[4*bl_x]", "add(load0[0], 1.0)".
// After `limit` characters it ends with "...".
std::string ToString(Term term, size_t limit = 4096);
std::string ToString(Int128 number);
std::string ToString(const Range& range);

// Owns terms, and makes them. Not thread-safe.
class Pool {
 public:
  Pool();
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // Integers.
  Term Number(Int128 value);
  // A variable is identified by its name and range: facts about one range do not hold for another.
  Term Variable(llvm::StringRef name, Range range);
  Term Unknown(Range range);
  Term Add(Term a, Term b);
  Term Scale(Term a, Int128 factor);
  Term Subtract(Term a, Term b) { return Add(a, Scale(b, -1)); }
  Term Multiply(Term a, Term b);
  // A sum of any monomials and a constant. Merges like terms, and expands atoms that are sums.
  Term Sum(Int128 constant, llvm::ArrayRef<Monomial> monomials);
  // Atoms without simplification by facts; Scope simplifies.
  Term QuotientAtom(Term a, Int128 divisor);
  Term MaxAtom(Term a, Term b);
  Term PickAtom(Term condition, Term a, Term b);
  // A value of an integer type as a signed integer; a predicate is 0 or 1.
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
  // Registers a constant array, given as the concatenated bytes of its elements. Returns the
  // operation that maps an index (an s64) to its element; at a constant index it folds to the
  // literal.
  Operation KeepConstant(hlo::PrimitiveType type, llvm::ArrayRef<uint8_t> bytes);

  // `term` with other operands, built by the functions above.
  Term WithArgs(Term term, llvm::ArrayRef<Term> args);

  size_t size() const;

  // Fuel: range computations left; unlimited at first. Once it is spent, ranges are those that
  // terms were made with, no condition is decided and nothing is simplified, so a proof soon ends
  // as unknown. The limit is deterministic: it does not depend on the machine.
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

// The width in bits of integers of the type; 1 for a predicate; 0 for other types.
int64_t IntegerWidth(hlo::PrimitiveType type);

}  // namespace affirm::terms

#endif  // AFFIRM_VERIFY_TERMS_TERM_H_
