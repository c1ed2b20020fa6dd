// Machine integers: can a kernel evaluate a map in N-bit arithmetic (docs/machine-integers.md)?
// (d0, d1) -> (d0 * 65536 + d1) with both in [0, 65535] fits in 32 bits unsigned. Signed it needs
// 33: ProveWidth(map, 32, kSigned) is refuted, since the product is 2147483648 at d0 = 32768.
#ifndef AFFIRM_VERIFY_WIDTH_WIDTH_H_
#define AFFIRM_VERIFY_WIDTH_WIDTH_H_

#include <optional>
#include <string>
#include <vector>

#include "verify/decide/decider.h"
#include "verify/width/index_code.h"

namespace affirm {

inline constexpr unsigned kMaxIndexWidth = 64;

// A point at which a step leaves the machine's integers, re-evaluated by executing the code.
struct IndexOverflow {
  IndexPoint point;
  uint32_t step = 0;       // the first one that goes wrong there
  std::string expression;  // what it computes
  std::string value;       // the mathematical integer
  std::string machine;     // what the machine has instead; "undefined" after a division by zero
  bool changes_results = false;  // false: the overflow cancels before it reaches a result
};

struct WidthResult {
  Verdict verdict = Verdict::kUnknown;
  Engine engine =
      Engine::kIntervalAnalysis;  // the last one that was needed; kIntervalAnalysis: ranges alone
  std::optional<IndexOverflow> overflow = {};  // when refuted
  std::string reason = {};                     // when unknown
  double ms = 0;
};

// The integers of `width` bits (1 to 64) that contain the value of a step, as a claim about it.
Formula Fits(SymbolicExpr value, unsigned width, Signedness signedness);

// Is every intermediate of the map's code (index_code.h) representable in `width` bits, wherever
// the code runs? Then no operation overflows and the results are the map's. By ranges first, by the
// deciders for what ranges can't settle. An undefined map gives kUnknown.
WidthResult ProveWidth(const IndexingMap& map, unsigned width, Signedness signedness,
                       const DecideOptions& options = {});

struct NarrowestWidth {
  std::optional<unsigned> width;  // the least safe one; null: none up to 64 bits is proved
  WidthResult at_width;           // the proof for it (for 64 bits when there is none)
  // Why one bit less won't do; verdict kUnknown when that could not be decided, and kProved for
  // width 1.
  WidthResult below;
};
NarrowestWidth FindNarrowestWidth(const IndexingMap& map, Signedness signedness,
                                  const DecideOptions& options = {});

// An expression over the map's variables, with their names.
std::string ToString(SymbolicExpr e, const IndexingMap& map);
// "d0 = 3, s0 = 1" with the map's names.
std::string ToString(const IndexPoint& point, const IndexingMap& map);
// "add d0 * 8 + d1 = 2147483648 at d0 = 268435456, d1 = 0; in i32: -2147483648"
std::string ToString(const IndexOverflow& overflow, const IndexingMap& map, const IndexCode& code,
                     unsigned width);

}  // namespace affirm

#endif  // AFFIRM_VERIFY_WIDTH_WIDTH_H_
