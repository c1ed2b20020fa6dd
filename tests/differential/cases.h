// Seeded random maps for long sweeps: small ones, ones of thousands of points, and ones whose
// numbers lie near the limits of int64. AFFIRM_CASES says how many of each kind a sweep draws.
#ifndef AFFIRM_TESTS_DIFFERENTIAL_CASES_H_
#define AFFIRM_TESTS_DIFFERENTIAL_CASES_H_

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "core/indexing/indexing_map.h"

namespace affirm {

inline int64_t NumCases(int64_t otherwise) {
  const char* text = std::getenv("AFFIRM_CASES");
  return text ? std::atoll(text) : otherwise;
}

// Cases are numbered; the number is the seed, so that one can be drawn again alone.
class Draw {
 public:
  explicit Draw(int64_t number)
      : engine_(static_cast<uint64_t>(number) * 0x9e3779b97f4a7c15u + 1) {}
  int64_t Pick(int64_t lo, int64_t hi) {
    return std::uniform_int_distribution<int64_t>(lo, hi)(engine_);
  }
  bool OneIn(int64_t n) { return Pick(1, n) == 1; }
  template <typename T>
  const T& Of(const std::vector<T>& list) {
    return list[Pick(0, static_cast<int64_t>(list.size()) - 1)];
  }

 private:
  std::mt19937_64 engine_;
};

struct CaseStyle {
  int64_t max_vars = 3;      // of a kind
  int64_t max_points = 400;  // that the bounds admit
  bool near_limits = false;  // bounds and constants near +-2^63 and other powers of two
  bool products = false;     // of variables, and divisors that are not constants
  bool runtime = true;
  bool guarded = false;  // a divisor that only constraints keep from 0
};

class MapDraw {
 public:
  MapDraw(Draw& draw, Context& context, CaseStyle style)
      : draw_(draw), context_(context), style_(style) {}

  int64_t Constant() {
    if (!style_.near_limits || draw_.OneIn(2)) return draw_.Pick(-12, 12);
    return draw_.Of(std::vector<int64_t>{kInt64Max, kInt64Max - 1, kInt64Min, kInt64Min + 1,
                                         int64_t{1} << 62, -(int64_t{1} << 62), int64_t{1} << 32,
                                         (int64_t{1} << 31) + 1, kInt64Max / 3, kInt64Min / 7});
  }
  int64_t Positive() {
    int64_t c = Constant();
    return c == kInt64Min ? kInt64Max : std::max<int64_t>(std::abs(c), 1);
  }

  SymbolicExpr Term(llvm::ArrayRef<SymbolicExpr> vars, int depth) {
    auto sub = [&] { return Term(vars, depth - 1); };
    if (depth == 0 || draw_.OneIn(6)) {
      if (vars.empty() || draw_.OneIn(5)) return context_.Constant(Constant());
      return vars[draw_.Pick(0, static_cast<int64_t>(vars.size()) - 1)];
    }
    SymbolicExpr e;
    switch (draw_.Pick(0, 9)) {
      case 0:
      case 1:
        e = sub() + sub();
        break;
      case 2:
        e = sub() * Constant();
        break;
      case 3:
      case 4:
        e = style_.products && draw_.OneIn(3) ? sub().FloorDiv(sub().Mod(4) + 1)
                                              : sub().FloorDiv(Signed());
        break;
      case 5:
        e = sub().CeilDiv(Signed());
        break;
      case 6:
        e = style_.products && draw_.OneIn(3) ? sub().Mod(sub().Mod(5) + 1) : sub().Mod(Positive());
        break;
      case 7:
        e = draw_.OneIn(2) ? sub().Min(sub()) : sub().Max(sub());
        break;
      case 8:
        e = style_.products ? sub() * sub() : sub() - sub();
        break;
      default:
        e = sub() - sub();
    }
    return e ? e : context_.Constant(1);
  }

  // Bounds whose number of points keeps the product of all within the limit.
  std::vector<Variable> Variables(int64_t count, int64_t& points) {
    std::vector<Variable> list;
    for (int64_t i = 0; i < count; ++i) {
      int64_t size = draw_.Pick(1, std::max<int64_t>(1, std::min<int64_t>(points, Side())));
      points /= size;
      int64_t lower = draw_.Pick(-4, 4);
      if (style_.near_limits && !draw_.OneIn(3)) {
        lower = draw_.Of(std::vector<int64_t>{
            kInt64Max - 1 - size - draw_.Pick(0, 2), kInt64Min + 1 + draw_.Pick(0, 2),
            (int64_t{1} << 62) - draw_.Pick(0, 3), -(int64_t{1} << 62), (int64_t{1} << 32) - 2});
      }
      if (draw_.OneIn(40)) size = 0;
      list.push_back({{lower, lower + size - 1}, "", std::nullopt});
    }
    return list;
  }

  IndexingMap Map(int64_t dims, int64_t ranges, int64_t runtime, int64_t results) {
    std::vector<SymbolicExpr> vars;
    for (int64_t i = 0; i < dims; ++i) vars.push_back(context_.Dim(i));
    for (int64_t i = 0; i < ranges; ++i) vars.push_back(context_.Range(i));
    for (int64_t i = 0; i < runtime; ++i) vars.push_back(context_.Runtime(i));
    std::vector<SymbolicExpr> list;
    for (int64_t i = 0; i < results; ++i) list.push_back(Term(vars, 3));
    std::vector<Constraint> constraints;
    for (int64_t i = draw_.Pick(0, 2); i > 0; --i) {
      int64_t lower = style_.near_limits && draw_.OneIn(2) ? Constant() : draw_.Pick(-8, 4);
      int64_t upper =
          draw_.OneIn(4) ? kInt64Max : CheckedAdd(lower, draw_.Pick(0, 14)).value_or(kInt64Max);
      constraints.push_back({Term(vars, 2), {lower, upper}});
    }
    int64_t points = style_.max_points;
    auto d = Variables(dims, points), s = Variables(ranges, points),
         rt = Variables(runtime, points);
    return IndexingMap(context_, SymbolicMap(dims, ranges, runtime, list), d, s, rt, constraints);
  }

  IndexingMap Map() {
    return Map(draw_.Pick(0, style_.max_vars), draw_.Pick(0, 2),
               style_.runtime ? draw_.Pick(0, 1) : 0, draw_.Pick(0, 2));
  }

  // A map some of whose divisors are kept from 0 by constraints alone.
  IndexingMap Guarded() {
    IndexingMap map = Map(2, draw_.Pick(0, 1), 0, 1);
    if (map.state() != IndexingMap::State::kNormal) return map;
    SymbolicExpr d0 = context_.Dim(0), d1 = context_.Dim(1);
    SymbolicExpr divisor = draw_.Of(std::vector<SymbolicExpr>{
        d1 * 2, d1 * -3, d0 * d1, d0 + d1, d1 * d1, d0 - d1, d0 * d1 * 2, d0.FloorDiv(2)});
    SymbolicExpr dividend = draw_.Of(std::vector<SymbolicExpr>{
        d0 * divisor, divisor * 2, divisor * divisor, d0 + d1, map.results()[0], divisor * d0 + 1});
    bool positive = draw_.OneIn(2);
    map.AddConstraint(divisor, positive ? Interval{1, draw_.Pick(1, 20)} : Interval{-9, -1});
    SymbolicExpr quotient = positive && draw_.OneIn(3) ? dividend.Mod(divisor)
                            : draw_.OneIn(3)           ? dividend.CeilDiv(divisor)
                                                       : dividend.FloorDiv(divisor);
    if (draw_.OneIn(2)) {
      map.SetResults({quotient});
    } else {
      map.AddConstraint(quotient, {draw_.Pick(-9, 0), draw_.Pick(1, 9)});
    }
    auto read = ParseIndexingMap(map.ToString(), context_);
    if (read) return *read;
    llvm::consumeError(read.takeError());
    return IndexingMap::Undefined();
  }

  // A map that is equal to it about as often as not.
  IndexingMap Variant(const IndexingMap& map) {
    if (map.state() != IndexingMap::State::kNormal) return map;
    IndexingMap other = map;
    auto change = [&](auto fn) {
      std::vector<SymbolicExpr> results = map.results().vec();
      if (results.empty()) return;
      SymbolicExpr& e = results[draw_.Pick(0, static_cast<int64_t>(results.size()) - 1)];
      if (SymbolicExpr changed = fn(e)) e = changed;
      other.SetResults(results);
    };
    int64_t c = Positive(), small = draw_.Pick(1, 9);
    auto bound = [&](VarKind kind, int64_t by) {
      if (map.vars(kind).empty()) return;
      Interval b = map.vars(kind)[0].bounds;
      if (auto upper = CheckedAdd(b.upper, by)) other.SetBounds(kind, 0, {b.lower, *upper});
    };
    switch (draw_.Pick(0, 9)) {
      case 0:
        change([&](SymbolicExpr e) { return e.FloorDiv(c) * c + e.Mod(c); });
        break;
      case 1:
        change([&](SymbolicExpr e) { return e + e.FloorDiv(c); });
        break;
      case 2:
        change([&](SymbolicExpr e) { return (e * small + small - 1).FloorDiv(small); });
        break;
      case 3:
        change([&](SymbolicExpr e) { return (e * c + small - 1).FloorDiv(c); });
        break;
      case 4:
        change([&](SymbolicExpr e) { return -((-e).CeilDiv(c)) - (e.FloorDiv(c) - e); });
        break;
      case 5:
        change([&](SymbolicExpr e) { return e.Max(e + Constant()); });
        break;
      case 6:
        bound(VarKind::kRange, -1);
        break;
      case 7:
        bound(VarKind::kDim, draw_.OneIn(2) ? 1 : -1);
        break;
      case 8:
        Flip(map, other);
        break;
      default:
        break;
    }
    return other;
  }

 private:
  int64_t Side() const { return style_.max_points > 1000 ? 60 : 6; }
  int64_t Signed() { return draw_.OneIn(4) ? -Positive() : Positive(); }

  // A range variable counted from the other end.
  void Flip(const IndexingMap& map, IndexingMap& other) {
    if (map.ranges().empty()) return;
    Interval b = map.ranges()[0].bounds;
    SymbolicExpr ends = context_.Constant(b.lower) + context_.Constant(b.upper);
    SymbolicExpr flipped = ends - context_.Range(0);
    auto flip = [&](SymbolicExpr e) { return e.Replace(context_.Range(0), flipped); };
    std::vector<SymbolicExpr> results;
    std::vector<Constraint> constraints;
    for (SymbolicExpr e : map.results()) results.push_back(flip(e));
    for (const Constraint& c : map.constraints()) constraints.push_back({flip(c.expr), c.bounds});
    other = IndexingMap(
        context_,
        SymbolicMap(map.map().num_dims(), map.map().num_ranges(), map.map().num_runtime(), results),
        map.dims(), map.ranges(), map.runtime(), constraints);
  }

  Draw& draw_;
  Context& context_;
  CaseStyle style_;
};

}  // namespace affirm

#endif  // AFFIRM_TESTS_DIFFERENTIAL_CASES_H_
