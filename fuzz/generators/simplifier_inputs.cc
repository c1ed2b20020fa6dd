// Draws variables, results and constraints, each from a list of shapes.
#include "fuzz/generators/simplifier_inputs.h"

#include <algorithm>

#include "core/indexing/range.h"
#include "fuzz/generators/map_generator.h"

namespace affirm::fuzz {
namespace {

class InputGenerator {
 public:
  InputGenerator(Choices& choices, Context& context) : choices_(choices), context_(context) {}

  WrittenMap Run() {
    hostile_bounds_ = choices_.OneIn(4);
    AddVariables(VarKind::kDim, choices_.Pick({1, 1, 2, 2, 3, 0}));
    AddVariables(VarKind::kRange, choices_.Pick({0, 0, 0, 1, 1, 2}));
    AddVariables(VarKind::kRuntime, choices_.Pick({0, 0, 0, 1, 1, 2}));
    Narrow();
    ranges_.Reset(map_.vars[0], map_.vars[1], map_.vars[2], {});
    const int results = choices_.Pick({1, 1, 2, 3});
    for (int i = 0; i < results; ++i) map_.results.push_back(Result());
    const int constraints = choices_.Pick({0, 1, 1, 2, 2, 3});
    for (int i = 0; i < constraints; ++i) AddConstraint();
    return std::move(map_);
  }

 private:
  // ---- Variables.

  void AddVariables(VarKind kind, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      map_.of(kind).push_back({Bounds(), "", std::nullopt});
      variables_.push_back(context_.Variable(kind, i));
    }
  }

  Interval Bounds() {
    switch (choices_.Below(hostile_bounds_ ? 12 : 7)) {
      default:
        return {0, choices_.Between(1, 15)};
      case 3:
        return {0, choices_.Pick<int64_t>({31, 63, 99, 127})};
      case 4:
        return {choices_.Between(-12, -1), choices_.Between(0, 9)};
      case 5:
        return {choices_.Between(1, 9), choices_.Between(9, 20)};
      case 6:
        return Interval::Point(choices_.Between(-2, 3));
      case 7:
        return {0, -1};  // a size of zero
      case 8:
        return {choices_.Between(1, 6), choices_.Between(-5, 0)};
      case 9:
        return {0, Near(int64_t{1} << choices_.Pick({31, 32, 40, 62}))};
      case 10:
        return {-(int64_t{1} << choices_.Pick({31, 33, 61})), choices_.Between(0, 9)};
      case 11: {
        int64_t low = choices_.Pick<int64_t>({kInt64Max - 40, kInt64Min + 2, int64_t{1} << 32});
        return {low, low + choices_.Between(0, 12)};
      }
    }
  }

  int64_t Near(int64_t value) { return value + choices_.Between(-2, 2); }

  // Most maps can be enumerated: the widest of small bounds are halved until they can.
  void Narrow() {
    constexpr int64_t kPoints = 4000, kWide = 200;
    while (true) {
      int64_t points = 1;
      Interval* widest = nullptr;
      for (auto& list : map_.vars) {
        for (Variable& v : list) {
          std::optional<int64_t> n = v.bounds.Count();
          if (!n || *n < 2 || *n > kWide) continue;
          points *= *n;
          if (!widest || *n > *widest->Count()) widest = &v.bounds;
        }
      }
      if (points <= kPoints) return;
      widest->upper = widest->lower + (widest->upper - widest->lower) / 2;
    }
  }

  // ---- Terms.

  SymbolicExpr AnyVariable() {
    if (variables_.empty()) return context_.Constant(choices_.Between(0, 9));
    return variables_[choices_.Below(variables_.size())];
  }

  int64_t Factor() {
    if (choices_.OneIn(12)) {
      return choices_.Pick<int64_t>({int64_t{1} << 31, int64_t{1} << 32, int64_t{1} << 62,
                                     kInt64Max / 3, -(int64_t{1} << 61), 3037000500});
    }
    return choices_.Pick<int64_t>({2, 3, 4, 6, 8, -1, -2, -3, -4, 5, 12, 16});
  }

  int64_t Modulus() {
    if (choices_.OneIn(14)) {
      // Any two of them have a least common multiple past int64.
      return choices_.Pick<int64_t>(
          {3037000507, 4294967291, 4052555153018976267, 3037000493, (int64_t{1} << 61) - 1});
    }
    return choices_.Pick<int64_t>({2, 3, 4, 6, 8, 5, 9, 10, 12, 16});
  }

  int64_t Divisor() { return choices_.OneIn(4) ? -Modulus() : Modulus(); }

  // Draws stand in statements of their own, or are operands of members: in which order C++
  // evaluates the sides of a sum is the compiler's.
  SymbolicExpr Times(SymbolicExpr e) { return e * Factor(); }
  SymbolicExpr Plus(SymbolicExpr e, int64_t low, int64_t high) {
    return e + choices_.Between(low, high);
  }
  SymbolicExpr Quotient(SymbolicExpr e) { return e.FloorDiv(Divisor()); }
  SymbolicExpr Residue(SymbolicExpr e) { return e.Mod(Modulus()); }

  // c0 * v0 + c1 * v1 + k, with one variable or more.
  SymbolicExpr Linear() {
    SymbolicExpr e = AnyVariable();
    if (choices_.OneIn(2)) e = e * Factor();
    const int more = choices_.Pick({0, 1, 1, 2});
    for (int i = 0; i < more; ++i) {
      SymbolicExpr v = AnyVariable();
      e = e + (choices_.OneIn(3) ? v : v * Factor());
    }
    if (choices_.OneIn(3)) e = e + choices_.Between(-9, 20);
    return e;
  }

  // The digits of a number: what delinearizing an index leaves.
  SymbolicExpr Digits() {
    SymbolicExpr e = Linear();
    const int64_t a = Modulus(), b = choices_.OneIn(3) ? Modulus() : a;
    SymbolicExpr high = e.FloorDiv(a);
    if (choices_.OneIn(3)) high = high.Mod(Modulus());
    return high * b + e.Mod(choices_.OneIn(4) ? b : a);
  }

  SymbolicExpr Result() {
    switch (choices_.Below(10)) {
      case 0:
        return AnyVariable();
      case 1:
      case 2:
        return Linear();
      case 3:
        return Quotient(Linear());
      case 4:
        return Residue(Linear());
      case 5:
        return Digits();
      case 6:
        return Quotient(Quotient(Linear()));
      case 7:
        return Residue(Quotient(Linear()));
      case 8: {
        SymbolicExpr residue = Residue(Linear());
        return Times(Quotient(residue + Linear()));
      }
      default: {
        SymbolicExpr multiple = Times(Residue(Linear()));
        return Residue(multiple + AnyVariable());
      }
    }
  }

  // ---- Constraints.

  void AddConstraint() {
    switch (choices_.Below(9)) {
      case 0:
      case 1:
        return Constrain(Linear());
      case 2:
        return Constrain(Times(AnyVariable()));
      case 3:
        return ConstrainResidue();
      case 4:
        return ConstrainTwoResidues();
      case 5:
        return Constrain(Quotient(AnyVariable()));
      case 6:
        return Constrain(Quotient(Linear()));
      case 7: {
        SymbolicExpr e = choices_.OneIn(2) ? Linear() : Residue(AnyVariable());
        Constrain(e);
        return Constrain(e);  // the two meet, or they do not
      }
      default:
        return Constrain(Plus(Times(Residue(AnyVariable())), -9, 9));
    }
  }

  void Add(SymbolicExpr e, Interval bounds) {
    if (e && !e.IsVariable() && !e.IsConstant()) map_.constraints.push_back({e, bounds});
  }

  // Bounds that cut into the range of the expression, most of the time.
  void Constrain(SymbolicExpr e) {
    Interval r = ranges_.Of(e);
    if (r.IsEmpty() || !r.IsBounded() || choices_.OneIn(10)) {
      int64_t low = choices_.Between(-20, 20);
      return Add(e, {low, low + choices_.Between(0, 40)});
    }
    const uint64_t steps = static_cast<uint64_t>(r.upper) - static_cast<uint64_t>(r.lower);
    auto inside = [&] {
      return static_cast<int64_t>(static_cast<uint64_t>(r.lower) + choices_.Below(steps + 1));
    };
    int64_t a = inside(), b = choices_.OneIn(3) ? a : inside();
    Interval bounds{std::min(a, b), std::max(a, b)};
    if (choices_.OneIn(4)) bounds.lower = r.lower;
    if (choices_.OneIn(4)) bounds.upper = r.upper;
    if (choices_.OneIn(20)) std::swap(bounds.lower, bounds.upper);
    Add(e, bounds);
  }

  // Residues of m lie in [0, m - 1]; bounds need not.
  void ConstrainResidue() {
    SymbolicExpr x = choices_.OneIn(3) ? Linear() : AnyVariable();
    const int64_t m = Modulus();
    const int64_t r = choices_.Between(0, std::min<int64_t>(m - 1, 20));
    SymbolicExpr e = x.Mod(m);
    switch (choices_.Below(6)) {
      case 0:
      case 1:
        return Add(e, Interval::Point(r));
      case 2:
        return Add(e, {r, m + choices_.Between(-1, 5)});
      case 3:
        return Add(e, {choices_.Between(-5, 0), r});
      case 4:
        return Add(e, {m, m + r});
      default: {
        const int64_t k = choices_.Between(-9, 60);
        return Add(e + k, {r + k, r + k + choices_.Between(0, 4)});
      }
    }
  }

  void ConstrainTwoResidues() {
    SymbolicExpr x = AnyVariable();
    if (choices_.OneIn(3)) return ConstrainTwoLargeResidues(x);
    for (int i = 0; i < 2; ++i) {
      int64_t m = Modulus();
      SymbolicExpr shifted = choices_.OneIn(3) ? Plus(x, -4, 9) : x;
      int64_t r = choices_.OneIn(2) ? 0 : choices_.Between(0, std::min<int64_t>(m - 1, 9));
      Add(shifted.Mod(m), Interval::Point(r));
    }
  }

  // Moduli whose least common multiple is just beyond int64, so that what is left of it is small,
  // over a domain that has more than one solution of each.
  void ConstrainTwoLargeResidues(SymbolicExpr x) {
    if (!x.IsVariable()) return;
    map_.of(x.var_kind())[static_cast<size_t>(x.value())].bounds = {
        choices_.Between(0, 1), int64_t{1} << choices_.Pick({29, 32, 34})};
    const int64_t r = choices_.OneIn(3) ? choices_.Between(1, 9) : 0;
    Add(x.Mod(3037000507), Interval::Point(r));
    Add(x.Mod(choices_.Pick<int64_t>({3037000493, 3037000501})), Interval::Point(r));
  }

  Choices& choices_;
  Context& context_;
  WrittenMap map_;
  std::vector<SymbolicExpr> variables_;
  RangeAnalysis ranges_;  // of the bounds alone
  bool hostile_bounds_ = false;
};

}  // namespace

WrittenMap GenerateSimplifierInput(Choices& choices, Context& context, TermLanguage language) {
  if (language == TermLanguage::kAll && choices.OneIn(2)) {
    MapLimits limits{.max_dims = 3, .max_ranges = 1, .max_runtime = 1, .max_constraints = 2};
    limits.max_depth = 3;
    limits.max_points = 1000;
    limits.extreme = choices.OneIn(4);
    return Written(GenerateMap(choices, context, limits));
  }
  return InputGenerator(choices, context).Run();
}

}  // namespace affirm::fuzz
