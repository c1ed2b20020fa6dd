// Random maps: bounds, expressions of all kinds, constraints that may be met.
#include "fuzz/generators/map_generator.h"

#include "llvm/ADT/SmallVector.h"

namespace affirm::fuzz {
namespace {

class Generator {
 public:
  Generator(Choices& choices, Context& context, const MapLimits& limits)
      : choices_(choices), context_(context), limits_(limits) {}

  // `dims`: given bounds of the dims, or null to make some up.
  IndexingMap Run(const std::vector<Variable>* dims) {
    vars_[0] = dims ? *dims : MakeVariables(1, limits_.max_dims);
    vars_[1] = MakeVariables(0, limits_.max_ranges);
    vars_[2] = MakeVariables(0, limits_.max_runtime);
    Narrow();
    llvm::SmallVector<SymbolicExpr, 4> results;
    int64_t n = choices_.Between(1, limits_.max_results);
    for (int64_t i = 0; i < n; ++i) results.push_back(Expr(limits_.max_depth));
    llvm::SmallVector<Constraint, 4> constraints;
    int64_t m = choices_.Between(0, limits_.max_constraints);
    for (int64_t i = 0; i < m; ++i) constraints.push_back(MakeConstraint());
    return IndexingMap(context_, results, vars_[0], vars_[1], vars_[2], constraints);
  }

 private:
  std::vector<Variable> MakeVariables(int64_t least, int64_t most) {
    std::vector<Variable> vars;
    int64_t n = choices_.Between(least, most);
    for (int64_t i = 0; i < n; ++i) {
      int64_t low = choices_.OneIn(3) ? choices_.Between(-9, 9) : 0;
      int64_t width = choices_.OneIn(6) ? 0 : choices_.Between(0, 11);
      if (limits_.extreme && choices_.OneIn(2)) {
        low = Extreme();
        // The limits themselves stand for infinity, so stay off the upper one.
        if (low > kInt64Max - 20) low = kInt64Max - 20;
        if (low == kInt64Min) ++low;
      }
      vars.push_back({{low, low + width}, "", std::nullopt});
    }
    return vars;
  }

  // Halves the widest bounds until the box is small enough.
  void Narrow() {
    auto points = [&] {
      int64_t n = 1;
      for (auto& list : vars_) {
        for (Variable& v : list) n *= std::max<int64_t>(v.bounds.Count().value_or(1), 1);
      }
      return n;
    };
    while (points() > limits_.max_points) {
      Variable* widest = nullptr;
      for (auto& list : vars_) {
        for (Variable& v : list) {
          if (!widest ||
              v.bounds.upper - v.bounds.lower > widest->bounds.upper - widest->bounds.lower) {
            widest = &v;
          }
        }
      }
      widest->bounds.upper =
          widest->bounds.lower + (widest->bounds.upper - widest->bounds.lower) / 2;
    }
  }

  // A number near a limit of int64, of 32 bits, or near zero.
  int64_t Extreme() {
    int64_t base = choices_.Pick<int64_t>({kInt64Max - 9, kInt64Min + 9, kInt64Max / 2,
                                           kInt64Min / 2, int64_t{1} << 32, kInt64Max / 3, 0});
    return base + choices_.Between(-9, 9);
  }

  SymbolicExpr Leaf() {
    int kind = static_cast<int>(choices_.Below(8));
    int list = kind < 5 ? 0 : kind < 7 ? 1 : 2;
    if (vars_[list].empty()) list = 0;
    if (vars_[list].empty() || choices_.OneIn(6))
      return context_.Constant(choices_.Between(-12, 30));
    return context_.Variable(static_cast<VarKind>(list), choices_.Below(vars_[list].size()));
  }

  int64_t Divisor() {
    if (limits_.extreme && choices_.OneIn(4)) {
      int64_t c = Extreme();
      return c == 0 || c == kInt64Min ? 7 : c;
    }
    int64_t c = choices_.Pick<int64_t>({2, 3, 4, 5, 6, 8, 12, 1, 7, 16, 10});
    return choices_.OneIn(5) ? -c : c;
  }

  // Operands are drawn one after the other: the order in which C++ evaluates the sides of an
  // operator is the compiler's.
  SymbolicExpr Expr(int depth) {
    if (depth == 0) return Leaf();
    uint64_t kind = choices_.Below(11);
    if (kind < 2) return Leaf();
    SymbolicExpr a = Expr(depth - 1);
    switch (kind) {
      case 2:
      case 3:
        return a + Expr(depth - 1);
      case 4:
        return a * (limits_.extreme && choices_.OneIn(4) ? Extreme() : choices_.Between(-7, 16));
      case 5:
        return a.FloorDiv(Divisor());
      case 6:
        return a.Mod(std::abs(Divisor()));
      case 7: {
        if (choices_.OneIn(2)) return a.CeilDiv(Divisor());
        SymbolicExpr x = Leaf();
        return x * Leaf() + a;
      }
      case 8:
        return choices_.OneIn(2) ? a.Min(Expr(depth - 1)) : a.Max(Expr(depth - 1));
      case 9:
        return Digits(a);
      default:
        return a - Expr(depth - 1);
    }
  }

  // The digits that delinearizing and linearizing again leave: typical inputs of simplifiers.
  SymbolicExpr Digits(SymbolicExpr e) {
    int64_t a = std::abs(Divisor());
    int64_t b = std::abs(Divisor());
    SymbolicExpr low = e.Mod(a), high = e.FloorDiv(a);
    if (choices_.OneIn(2)) high = high.Mod(b);
    return high * choices_.Pick<int64_t>({a, 1, b, CheckedMul(a, b).value_or(a)}) + low;
  }

  Constraint MakeConstraint() {
    SymbolicExpr e = Expr(2);
    if (choices_.OneIn(2)) e = e.Mod(std::abs(Divisor()));
    int64_t low = choices_.Between(-6, 12);
    if (limits_.extreme && choices_.OneIn(3)) {
      int64_t a = Extreme(), b = Extreme();
      return {e, {std::min(a, b), std::max(a, b)}};
    }
    return {e, {low, low + choices_.Between(0, 20)}};
  }

  Choices& choices_;
  Context& context_;
  MapLimits limits_;
  std::vector<Variable> vars_[3];
};

}  // namespace

IndexingMap GenerateMap(Choices& choices, Context& context, const MapLimits& limits) {
  return Generator(choices, context, limits).Run(nullptr);
}

IndexingMap GenerateFollower(Choices& choices, const IndexingMap& first, const MapLimits& limits) {
  std::vector<Variable> dims;
  for (SymbolicExpr e : first.results()) {
    Interval r = first.RangeOf(e);
    if (!r.IsBounded() || r.upper - r.lower > 1000) r = {-20, 20};
    // Cut a little off either end now and then, so that the codomain restricts.
    if (choices.OneIn(4)) r.lower += choices.Between(0, 3);
    if (choices.OneIn(4)) r.upper -= choices.Between(0, 3);
    if (r.IsEmpty()) r = {r.lower, r.lower};
    dims.push_back({r, "", std::nullopt});
  }
  MapLimits small = limits;
  small.max_points = INT64_MAX;  // its dims are given; the composition is what gets enumerated
  small.max_ranges = 1;
  small.max_runtime = 1;
  return Generator(choices, *first.context(), small).Run(&dims);
}

}  // namespace affirm::fuzz
