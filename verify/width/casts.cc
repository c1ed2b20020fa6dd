// Cast rewrites as claims about mathematical integers, and their evaluation on machine integers.
#include "verify/width/casts.h"

#include <algorithm>

#include "core/symbolic/context.h"
#include "llvm/ADT/SmallString.h"
#include "verify/decide/evaluate.h"

namespace affirm {
namespace {

using Kind = CastRewrite::Kind;

// A width past every bound, for the values of an index that may have any number of bits.
constexpr unsigned kAnyBits = 1 << 20;

// The bits of an index constant as it is written.
constexpr unsigned kWrittenBits = 64;

llvm::APInt CastBits(const llvm::APInt& x, unsigned bits, bool is_unsigned) {
  return is_unsigned ? x.zextOrTrunc(bits) : x.sextOrTrunc(bits);
}

// Whether x and y are the same integer.
bool SameInteger(const llvm::APInt& x, const llvm::APInt& y, bool is_unsigned) {
  unsigned bits = std::max(x.getBitWidth(), y.getBitWidth());
  return CastBits(x, bits, is_unsigned) == CastBits(y, bits, is_unsigned);
}

// Integer terms for what casts do. A value of b bits is a number in [-2^(b-1), 2^(b-1) - 1], for
// castui too: that is how the bits are written down, not how they are read.
class CastTerms {
 public:
  explicit CastTerms(Context& context) : context_(context) {}

  SymbolicExpr PowerOfTwo(unsigned k) {
    // Past int64 the factors stay apart.
    SymbolicExpr power = context_.Constant(int64_t{1} << (k % 62));
    for (unsigned done = k % 62; done < k; done += 62) power = power * (int64_t{1} << 62);
    return power;
  }
  // The b lowest bits of x.
  SymbolicExpr Truncate(SymbolicExpr x, unsigned b) {
    SymbolicExpr half = PowerOfTwo(b - 1);
    return (x + half).Mod(PowerOfTwo(b)) - half;
  }
  SymbolicExpr Cast(SymbolicExpr x, unsigned from, unsigned to, bool is_unsigned) {
    if (to < from) return Truncate(x, to);
    return is_unsigned && to > from ? x.Mod(PowerOfTwo(from)) : x;
  }
  // The cast keeps the integer.
  Formula Keeps(SymbolicExpr x, unsigned from, unsigned to, bool is_unsigned) {
    if (to >= from) return Formula::True();
    SymbolicExpr end = PowerOfTwo(is_unsigned ? to : to - 1);
    SymbolicExpr least = is_unsigned ? context_.Constant(0) : -end;
    return Formula::And({Formula::Le(least, x), Formula::Le(x, end - 1)});
  }

 private:
  Context& context_;
};

// One query: the rewrite at one index width, or at all widths from `from` on when `bits` is
// kAnyBits.
class CastProof {
 public:
  CastProof(const CastRewrite& rewrite, unsigned bits, unsigned least)
      : rewrite_(rewrite), index_bits_(bits), least_(least), terms_(context_) {}

  CastResult Run(const DecideOptions& options) {
    SymbolicExpr x = MakeX();
    query_.context = &context_;
    query_.claim = rewrite_.kind == Kind::kConstant ? ConstantClaim(x) : CastOfCastClaim(x);
    return Finish(Decide(query_, options), x);
  }

  CastResult RunLossless(const DecideOptions& options) {
    SymbolicExpr x = MakeX();
    query_.context = &context_;
    auto [from, to] = Types();
    query_.claim = Formula::Implies(Limits(x), terms_.Keeps(x, from, to, rewrite_.is_unsigned));
    return Finish(Decide(query_, options), x);
  }

 private:
  std::pair<unsigned, unsigned> Types() const {
    if (rewrite_.from_index) return {index_bits_, rewrite_.bits};
    return {rewrite_.bits, index_bits_};
  }
  unsigned BitsOfX(unsigned index_bits) const {
    if (!rewrite_.from_index) return rewrite_.bits;
    return rewrite_.kind == Kind::kConstant ? kWrittenBits : index_bits;
  }

  SymbolicExpr MakeX() {
    unsigned bits = BitsOfX(index_bits_);
    if (bits <= 64) {
      int64_t half = bits == 64 ? 0 : int64_t{1} << (bits - 1);
      query_.variables = {bits == 64 ? Interval::All() : Interval{-half, half - 1}};
      return context_.Dim(0);
    }
    // Two words, so that a counterexample may lie past int64; together they are any integer.
    query_.variables = {Interval::All(), {0, (int64_t{1} << 32) - 1}};
    return context_.Dim(0) * (int64_t{1} << 32) + context_.Dim(1);
  }

  Formula CastOfCastClaim(SymbolicExpr x) {
    auto [from, to] = Types();
    bool ui = rewrite_.is_unsigned;
    SymbolicExpr y = terms_.Cast(x, from, to, ui);
    std::vector<Formula> defined = {Limits(x)};
    if (rewrite_.exact_inner && !Narrow(from, to)) defined.push_back(terms_.Keeps(x, from, to, ui));
    bool outer = rewrite_.OuterIsUnsigned();
    if (rewrite_.exact_outer) defined.push_back(terms_.Keeps(y, to, from, outer));
    return Formula::Implies(Formula::And(defined), Formula::Eq(terms_.Cast(y, to, from, outer), x));
  }

  // Says "x keeps its value as iM" by the bounds of the one variable that x is, where these can say
  // it: then ranges decide and no solver is needed.
  bool Narrow(unsigned from, unsigned to) {
    if (to >= from || to > 62 || query_.variables.size() > 1) return false;
    int64_t end = int64_t{1} << (rewrite_.is_unsigned ? to : to - 1);
    Interval& bounds = query_.variables.front();
    bounds = bounds.Intersect({rewrite_.is_unsigned ? 0 : -end, end - 1});
    return true;
  }

  Formula ConstantClaim(SymbolicExpr x) {
    auto [from, to] = Types();
    bool ui = rewrite_.is_unsigned;
    unsigned written = BitsOfX(index_bits_);
    SymbolicExpr before, after;
    if (rewrite_.from_index) {
      // The number becomes an index, then a value of iM.
      SymbolicExpr index = from < written ? terms_.Truncate(x, from) : x;
      before = terms_.Cast(index, from, to, ui);
      after = terms_.Cast(x, written, to, ui);
    } else {
      before = terms_.Cast(x, from, to, ui);
      SymbolicExpr folded = terms_.Cast(x, from, kWrittenBits, ui);
      after = to < kWrittenBits ? terms_.Truncate(folded, to) : folded;
    }
    std::vector<Formula> defined = {Limits(x)};
    if (rewrite_.exact_inner) {
      defined.push_back(terms_.Keeps(x, written, from, ui));
      defined.push_back(terms_.Keeps(x, written, to, ui));
    }
    return Formula::Implies(Formula::And(defined), Formula::Eq(before, after));
  }

  // 64 bits and more have their bounds here: as bounds of variables they would be infinite.
  Formula Limits(SymbolicExpr x) {
    unsigned bits = BitsOfX(index_bits_);
    if (bits < 64 || bits == kAnyBits) return Formula::True();
    SymbolicExpr half = terms_.PowerOfTwo(bits - 1);
    return Formula::And({Formula::Le(-half, x), Formula::Le(x, half - 1)});
  }

  CastResult Finish(const SolverResult& decided, SymbolicExpr x) {
    CastResult answer{.verdict = decided.verdict, .reason = decided.reason};
    if (decided.verdict != Verdict::kRefuted) return answer;
    std::optional<BigInt> value = EvaluateTerm(x, decided.counterexample);
    answer.verdict = Verdict::kUnknown;
    answer.reason = "the counterexample could not be evaluated";
    if (!value) return answer;
    llvm::APInt wide(128, 0);
    for (size_t k = 0; k < decided.counterexample.size(); ++k) {
      llvm::APInt word(128, static_cast<uint64_t>(decided.counterexample[k]), true);
      wide = wide.shl(32 * (k == 0 ? 0 : 1)) + word;
    }
    unsigned bits = index_bits_;
    if (bits == kAnyBits) {
      bits = std::max(least_, rewrite_.bits + 1);
      if (rewrite_.from_index && rewrite_.kind != Kind::kConstant) {
        bits = std::max(bits, wide.getSignificantBits());
      }
    }
    llvm::APInt written = wide.sextOrTrunc(BitsOfX(bits));
    CastSides sides = EvaluateCasts(rewrite_, bits, written);
    answer.counterexample = {bits, written, sides.before.value_or(llvm::APInt()), sides.after};
    answer.verdict = Verdict::kRefuted;
    answer.reason.clear();
    return answer;
  }

  CastRewrite rewrite_;
  unsigned index_bits_, least_;
  Context context_;
  CastTerms terms_;
  SolverQuery query_;
};

// Asks `ask` about each width that matters: those up to `last` one by one, and those past it
// together, where nothing depends on the width but the values there are.
template <typename Ask>
CastResult ForEachWidth(IndexWidths widths, unsigned last, Ask ask) {
  CastResult unknown;
  auto settled = [&](CastResult answer) {
    if (answer.verdict == Verdict::kUnknown && unknown.reason.empty()) unknown = answer;
    if (answer.verdict == Verdict::kRefuted) unknown = std::move(answer);
    return unknown.verdict == Verdict::kRefuted;
  };
  unsigned end = std::min(last, widths.most.value_or(last));
  for (unsigned n = widths.least; n <= end; ++n) {
    if (settled(ask(n))) return unknown;
  }
  if (!widths.most) {
    if (settled(ask(kAnyBits))) return unknown;
  } else {
    for (unsigned n = std::max(widths.least, end + 1); n <= *widths.most; ++n) {
      if (settled(ask(n))) return unknown;
    }
  }
  if (unknown.reason.empty()) unknown.verdict = Verdict::kProved;
  return unknown;
}

}  // namespace

std::string ToString(const CastRewrite& rewrite) {
  auto name = [](bool is_unsigned) { return is_unsigned ? "index_castui" : "index_cast"; };
  std::string cast = name(rewrite.is_unsigned), outer = name(rewrite.OuterIsUnsigned());
  std::string narrow = "i" + std::to_string(rewrite.bits);
  std::string from = rewrite.from_index ? "index" : narrow,
              to = rewrite.from_index ? narrow : "index";
  std::string text = rewrite.kind == Kind::kConstant ? cast + "(constant) -> constant, "
                                                     : outer + "(" + cast + "(x)) -> x, ";
  text += from + " -> " + to;
  return rewrite.kind == Kind::kConstant ? text : text + " -> " + from;
}

std::string CastCounterexample::ToString() const {
  auto hex = [](const llvm::APInt& v) {
    llvm::SmallString<32> text;
    v.toStringUnsigned(text, 16);
    return "0x" + std::string(text);
  };
  return "index of " + std::to_string(index_bits) + " bits, x = " + hex(x) + ": before " +
         hex(before) + ", after " + hex(after);
}

CastSides EvaluateCasts(const CastRewrite& rewrite, unsigned index_bits, const llvm::APInt& x) {
  bool ui = rewrite.is_unsigned;
  unsigned from = rewrite.from_index ? index_bits : rewrite.bits;
  unsigned to = rewrite.from_index ? rewrite.bits : index_bits;
  if (rewrite.kind == Kind::kConstant) {
    // An index constant is read by its sign: as many of its bits as there are.
    llvm::APInt source = rewrite.from_index ? x.sextOrTrunc(from) : x;
    CastSides sides = {CastBits(source, to, ui), CastBits(x, rewrite.from_index ? to : 64, ui)};
    if (!rewrite.from_index) sides.after = sides.after.sextOrTrunc(to);
    bool kept = SameInteger(x, source, ui) && SameInteger(x, *sides.before, ui);
    if (rewrite.exact_inner && !kept) sides.before.reset();
    return sides;
  }
  bool outer_ui = rewrite.OuterIsUnsigned();
  llvm::APInt inner = CastBits(x, to, ui), outer = CastBits(inner, from, outer_ui);
  bool poison = (rewrite.exact_inner && !SameInteger(x, inner, ui)) ||
                (rewrite.exact_outer && !SameInteger(inner, outer, outer_ui));
  return {poison ? std::nullopt : std::optional(outer), x};
}

CastResult ProveCastRewrite(const CastRewrite& rewrite, IndexWidths widths,
                            const DecideOptions& options) {
  unsigned last = std::max(rewrite.bits, rewrite.kind == Kind::kConstant ? kWrittenBits : 0);
  return ForEachWidth(widths, last, [&](unsigned n) {
    CastResult answer = CastProof(rewrite, n, std::max(widths.least, last + 1)).Run(options);
    if (answer.verdict != Verdict::kRefuted) return answer;
    CastSides sides =
        EvaluateCasts(rewrite, answer.counterexample->index_bits, answer.counterexample->x);
    if (sides.before && *sides.before != sides.after) return answer;
    return CastResult{.reason = "the counterexample does not refute the rewrite"};
  });
}

CastResult ProveLossless(bool from_index, bool is_unsigned, unsigned bits, IndexWidths widths,
                         const DecideOptions& options) {
  // A loss of a cast shows in the cast back.
  CastRewrite there{.is_unsigned = is_unsigned, .from_index = from_index, .bits = bits};
  return ForEachWidth(widths, bits, [&](unsigned n) {
    return CastProof(there, n, std::max(widths.least, bits + 1)).RunLossless(options);
  });
}

}  // namespace affirm
