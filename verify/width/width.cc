// One claim for each step of the code: its mathematical value is one of the machine's integers.
#include "verify/width/width.h"

#include <chrono>

#include "core/symbolic/text.h"
#include "llvm/ADT/SmallString.h"
#include "verify/decide/evaluate.h"
#include "verify/maps/flattened_map.h"

namespace affirm {
namespace {

std::string TextOf(const llvm::APInt& v, Signedness signedness) {
  llvm::SmallString<24> text;
  v.toString(text, 10, signedness == Signedness::kSigned);
  return std::string(text);
}

BigInt ValueOf(const llvm::APInt& v, Signedness signedness) {
  llvm::APInt wide = signedness == Signedness::kSigned ? v.sext(65) : v.zext(65);
  return BigInt(wide);
}

std::string TextOf(const BigInt& v) {
  std::string text;
  llvm::raw_string_ostream(text) << v;
  return text;
}

class WidthProof {
 public:
  WidthProof(const IndexingMap& map, unsigned width, Signedness signedness,
             const DecideOptions& options)
      : map_(map),
        box_(map),
        width_(width),
        signedness_(signedness),
        options_(options),
        code_(MakeIndexCode(map, signedness)) {
    box_.SetConstraints({});
    query_.context = map.context();
    for (VarKind kind : {VarKind::kDim, VarKind::kRange, VarKind::kRuntime}) {
      for (size_t k = 0; k < map.vars(kind).size(); ++k) {
        query_.variables.push_back(map.vars(kind)[k].bounds);
        query_.names.push_back(map.VariableName(kind, static_cast<int64_t>(k)));
      }
    }
    std::vector<Formula> domain;
    for (const Constraint& c : map.constraints()) {
      domain.push_back(Formula::In(AsDims(c.expr), c.bounds));
    }
    domain_ = Formula::And(std::move(domain));
  }

  WidthResult Run() {
    WidthResult answer{.verdict = Verdict::kProved};
    for (const IndexStep& step : code_.steps) {
      // A quotient has a value before it can fit.
      if (!Holds(step, HasValue(step), answer)) return answer;
      if (!FitsByRange(step) && !Holds(step, ValueFits(step), answer)) return answer;
    }
    return answer;
  }

 private:
  // All variables as Dim(k): dims, ranges, runtime variables.
  SymbolicExpr AsDims(SymbolicExpr e) const {
    auto dims = static_cast<int64_t>(map_.dims().size());
    auto ranges = static_cast<int64_t>(map_.ranges().size());
    Context& context = *map_.context();
    return Rename(e, context, [&](VarKind kind, int64_t k) {
      int64_t before = kind == VarKind::kDim ? 0 : kind == VarKind::kRange ? dims : dims + ranges;
      return context.Dim(before + k);
    });
  }

  bool FitsByRange(const IndexStep& step) const {
    if (!step.value) return false;
    Interval range = (step.guarded ? map_ : box_).RangeOf(step.value);
    if (step.value.IsConstant()) range = Interval::Point(step.value.value());
    bool is_signed = signedness_ == Signedness::kSigned;
    unsigned bits = is_signed ? width_ - 1 : width_;
    // From 63 bits on the limits are int64's, which stand for infinity.
    if (bits >= 63) return range.IsBounded() && (is_signed || range.lower >= 0);
    int64_t end = int64_t{1} << bits;
    return range.Within({is_signed ? -end : 0, end - 1});
  }

  // Whether a step has a value: its divisor is not 0, its modulus is positive. nullopt when it
  // divides by nothing, or when ranges show that.
  std::optional<SolverResult> HasValue(const IndexStep& step) const {
    using Op = IndexStep::Op;
    bool divides = step.op == Op::kDivS || step.op == Op::kDivU || step.op == Op::kRemS;
    bool is_residue = step.op == Op::kRemU || step.op == Op::kModFixUp;
    if (!divides && !is_residue) return std::nullopt;
    // A fix-up takes the modulus from the remainder that it corrects.
    const IndexStep& division = step.op == Op::kModFixUp ? code_.steps[step.operands[0]] : step;
    SymbolicExpr divisor = code_.steps[division.operands[1]].value;
    if (!divisor) return SolverResult{.reason = "the divisor is not known"};
    Interval range = (step.guarded ? map_ : box_).RangeOf(divisor);
    if (range.lower > 0 || (divides && range.upper < 0)) return std::nullopt;
    divisor = AsDims(divisor);
    Context& context = *map_.context();
    return Ask(step, divides ? Formula::Not(Formula::Eq(divisor, context.Constant(0)))
                             : Formula::Le(context.Constant(1), divisor));
  }

  SolverResult ValueFits(const IndexStep& step) const {
    if (!step.value) return {.reason = "the sign of the divisor is not known"};
    return Ask(step, Fits(AsDims(step.value), width_, signedness_));
  }

  // The claim, wherever the step runs.
  SolverResult Ask(const IndexStep& step, Formula claim) const {
    SolverQuery query = query_;
    query.claim = step.guarded ? Formula::Implies(domain_, std::move(claim)) : std::move(claim);
    return Decide(query, options_);
  }

  // Takes what was decided about a step into the answer; false when that settles it.
  bool Holds(const IndexStep& step, const std::optional<SolverResult>& decided,
             WidthResult& answer) {
    if (!decided) return true;
    if (decided->verdict == Verdict::kRefuted) {
      answer = Refuted(*decided);
      return false;
    }
    answer.engine = decided->engine;
    if (decided->verdict == Verdict::kUnknown && answer.verdict == Verdict::kProved) {
      answer.verdict = Verdict::kUnknown;
      answer.reason = ExpressionText(step.value) + ": " + decided->reason;
    }
    return true;
  }

  WidthResult Refuted(const SolverResult& decided) {
    WidthResult answer{.engine = decided.engine};
    answer.overflow = Locate(decided.counterexample);
    if (answer.overflow) {
      answer.verdict = Verdict::kRefuted;
    } else {
      answer.reason = "the counterexample does not overflow";
    }
    return answer;
  }

  // Executes the code and says where it first leaves the integers.
  std::optional<IndexOverflow> Locate(llvm::ArrayRef<int64_t> flat) const {
    size_t dims = map_.dims().size(), ranges = map_.ranges().size();
    IndexOverflow found;
    found.point = {flat.take_front(dims).vec(), flat.slice(dims, ranges).vec(),
                   flat.drop_front(dims + ranges).vec()};
    // In integers of any size, which the map's own test of its domain does not have.
    SolverQuery domain = query_;
    domain.claim = domain_;
    const bool inside = EvaluateClaim(domain, flat, /*limit=*/1) == true;
    auto machine = Execute(code_, width_, found.point);
    auto expected = [&](uint32_t k) {
      SymbolicExpr value = code_.steps[k].value;
      return value ? EvaluateTerm(AsDims(value), flat) : std::nullopt;
    };
    // A step whose value is not known is wrong only where the machine has none either.
    auto wrong = [&](uint32_t k) {
      if (!machine[k]) return true;
      if (!code_.steps[k].value) return false;
      auto value = expected(k);
      return !value || ValueOf(*machine[k], signedness_) != *value;
    };
    uint32_t step = 0, count = static_cast<uint32_t>(code_.steps.size());
    auto runs = [&](uint32_t k) { return inside || !code_.steps[k].guarded; };
    while (step < count && !(runs(step) && wrong(step))) ++step;
    if (step == count) return std::nullopt;
    found.step = step;
    found.expression = ExpressionText(code_.steps[step].value);
    auto value = expected(step);
    found.value = value ? TextOf(*value) : "undefined";
    found.machine = machine[step] ? TextOf(*machine[step], signedness_) : "undefined";
    found.changes_results = inside && llvm::any_of(code_.results, wrong);
    return found;
  }

  std::string ExpressionText(SymbolicExpr value) const {
    return value ? ToString(value, map_) : "a quotient by what may be negative";
  }

  const IndexingMap& map_;
  IndexingMap box_;
  unsigned width_;
  Signedness signedness_;
  const DecideOptions& options_;
  IndexCode code_;
  SolverQuery query_;
  Formula domain_ = Formula::True();
};

}  // namespace

Formula Fits(SymbolicExpr value, unsigned width, Signedness signedness) {
  if (!value) return Formula::Eq(value, value);
  Context& context = *value.context();
  bool is_signed = signedness == Signedness::kSigned;
  unsigned bits = is_signed ? width - 1 : width;
  if (bits < 63) {
    int64_t end = int64_t{1} << bits;
    return Formula::In(value, {is_signed ? -end : 0, end - 1});
  }
  // The largest integer may be past int64: value <= 2^64 - 1 is value - 2^63 <= 2^63 - 1.
  SymbolicExpr least = context.Constant(is_signed ? kInt64Min : 0);
  SymbolicExpr shifted = bits == 64 ? value + context.Constant(kInt64Min) : value;
  return Formula::And(
      {Formula::Le(least, value), Formula::Le(shifted, context.Constant(kInt64Max))});
}

WidthResult ProveWidth(const IndexingMap& map, unsigned width, Signedness signedness,
                       const DecideOptions& options) {
  auto start = std::chrono::steady_clock::now();
  WidthResult answer;
  if (map.IsUndefined() || width < 1 || width > kMaxIndexWidth) {
    answer.reason = map.IsUndefined() ? "the map is undefined" : "a width is 1 to 64 bits";
  } else if (map.IsKnownEmpty()) {
    answer.verdict = Verdict::kProved;
  } else {
    answer = WidthProof(map, width, signedness, options).Run();
  }
  std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - start;
  answer.ms = spent.count();
  return answer;
}

NarrowestWidth FindNarrowestWidth(const IndexingMap& map, Signedness signedness,
                                  const DecideOptions& options) {
  NarrowestWidth result;
  result.at_width = ProveWidth(map, kMaxIndexWidth, signedness, options);
  if (result.at_width.verdict != Verdict::kProved) return result;
  // A value that fits in some width fits in every greater one.
  unsigned safe = kMaxIndexWidth, unsafe = 0;
  result.below.verdict = Verdict::kProved;
  while (safe - unsafe > 1) {
    unsigned middle = unsafe + (safe - unsafe) / 2;
    WidthResult answer = ProveWidth(map, middle, signedness, options);
    bool proved = answer.verdict == Verdict::kProved;
    (proved ? safe : unsafe) = middle;
    (proved ? result.at_width : result.below) = std::move(answer);
  }
  result.width = safe;
  return result;
}

std::string ToString(SymbolicExpr e, const IndexingMap& map) {
  std::string text;
  llvm::raw_string_ostream os(text);
  Print(e, os, [&](VarKind kind, int64_t k) { return map.VariableName(kind, k); });
  return text;
}

std::string ToString(const IndexPoint& point, const IndexingMap& map) {
  std::string text;
  auto add = [&](VarKind kind, llvm::ArrayRef<int64_t> values) {
    for (size_t k = 0; k < values.size(); ++k) {
      if (!text.empty()) text += ", ";
      text += map.VariableName(kind, static_cast<int64_t>(k)) + " = " + std::to_string(values[k]);
    }
  };
  add(VarKind::kDim, point.dims);
  add(VarKind::kRange, point.ranges);
  add(VarKind::kRuntime, point.runtime);
  return text.empty() ? "the only point" : text;
}

std::string ToString(const IndexOverflow& overflow, const IndexingMap& map, const IndexCode& code,
                     unsigned width) {
  std::string text = std::string(Name(code.steps[overflow.step].op)) + ": ";
  text += overflow.expression + " = " + overflow.value + " at " + ToString(overflow.point, map);
  text += "; in i" + std::to_string(width) + ": " + overflow.machine;
  return text;
}

}  // namespace affirm
