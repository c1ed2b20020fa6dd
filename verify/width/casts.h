// arith.index_cast and arith.index_castui of MLIR: which rewrites of them are sound?
// index_cast(index_cast(x)) -> x from i32 by index to i32 is sound for an index of 32 or 64 bits,
// and not for one of 16 (docs/machine-integers.md).
//
// `index` has N bits. A cast to a wider type extends (by the sign, or by zeros for castui), a cast
// to a narrower one truncates. With `exact`, a cast that does not keep the value as an integer is
// poison, and any rewrite of poison is sound.
//
// An index constant is written as a 64-bit number. A rewrite that folds a constant cast writes the
// result as such a number again, or as one of iM.
#ifndef AFFIRM_VERIFY_WIDTH_CASTS_H_
#define AFFIRM_VERIFY_WIDTH_CASTS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "llvm/ADT/APInt.h"
#include "verify/decide/decider.h"

namespace affirm {

// The widths that `index` may have; `most` absent: at least `least` bits, without end.
struct IndexWidths {
  unsigned least = 64;
  std::optional<unsigned> most = 64;

  static IndexWidths Exactly(unsigned n) { return {n, n}; }
  static IndexWidths AtLeast(unsigned n) { return {n, std::nullopt}; }
  bool Contains(unsigned n) const { return n >= least && (!most || n <= *most); }
};

struct CastRewrite {
  enum class Kind : uint8_t {
    kCastOfCast,  // cast(cast(x)) -> x where the types at both ends are the same
    kConstant,    // cast(constant) -> constant
  };
  Kind kind = Kind::kCastOfCast;
  bool is_unsigned = false;  // index_castui
  bool from_index = true;    // index -> iM (-> index), else iM -> index (-> iM)
  unsigned bits = 32;        // M, 1 to 64
  // Which casts carry `exact`; a constant's cast is the inner one. On the cast of a constant it
  // also says that the number as written is a value of each of the two types.
  bool exact_inner = false, exact_outer = false;
  // The outer cast of kCastOfCast is of the other kind: index_castui(index_cast(x)) -> x.
  bool mixed = false;

  bool OuterIsUnsigned() const { return is_unsigned != mixed; }
};

// "index_cast(index_cast(x)) -> x, index -> i8 -> index"
std::string ToString(const CastRewrite& rewrite);

struct CastCounterexample {
  unsigned index_bits = 0;
  llvm::APInt x;                 // as written: of index_bits (64 for a constant) or of iM
  llvm::APInt before, after;     // what the two sides compute
  std::string ToString() const;  // "index of 16 bits, x = 0x8000: before 0x0000, after 0x8000"
};

struct CastResult {
  Verdict verdict = Verdict::kUnknown;
  std::optional<CastCounterexample> counterexample = {};  // when refuted; re-evaluated
  std::string reason = {};                                // when unknown
};

// Is the rewrite sound for every value and every width that index may have?
CastResult ProveCastRewrite(const CastRewrite& rewrite, IndexWidths widths,
                            const DecideOptions& options = {});

// The two sides of a rewrite on machine integers, at one index width; `before` absent: poison. `x`
// has the bits of CastCounterexample::x.
struct CastSides {
  std::optional<llvm::APInt> before;
  llvm::APInt after;
};
CastSides EvaluateCasts(const CastRewrite& rewrite, unsigned index_bits, const llvm::APInt& x);

// Does a cast between index and iM keep every value of its source, at each of the widths? (The rule
// by which `exact` may be set without looking at the operand.)
CastResult ProveLossless(bool from_index, bool is_unsigned, unsigned bits, IndexWidths widths,
                         const DecideOptions& options = {});

}  // namespace affirm

#endif  // AFFIRM_VERIFY_WIDTH_CASTS_H_
