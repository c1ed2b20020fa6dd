// Arithmetic on progressions: what sums, multiples, quotients and residues of them are.
#include "core/analysis/uses/progression.h"

#include <algorithm>
#include <numeric>

#include "core/simplify/simplify.h"

namespace affirm::analysis {
namespace {

void Widen(Progression& p, const std::string& why) {
  if (p.over_approximation_reason.empty()) p.over_approximation_reason = why;
}

// How many steps of `stride` fit into `length`, plus one; nullopt past int64.
std::optional<int64_t> CountOf(int64_t length, int64_t stride) {
  return CheckedAdd(length / stride, 1);
}

// (size - 1) * stride, checked.
std::optional<int64_t> Length(const Progression& p) { return CheckedMul(p.size - 1, p.stride); }

SymbolicExpr Times(SymbolicExpr e, int64_t factor) {
  return ApplyMonotone(e, factor > 0, [&](SymbolicExpr x) { return x * factor; });
}
SymbolicExpr Plus(SymbolicExpr e, SymbolicExpr by) {
  if (by.kind() == ExprKind::kMin || by.kind() == ExprKind::kMax) std::swap(e, by);
  return ApplyMonotone(e, true, [&](SymbolicExpr x) { return x + by; });
}
SymbolicExpr FloorOf(SymbolicExpr e, int64_t divisor) {
  return ApplyMonotone(e, true, [&](SymbolicExpr x) { return x.FloorDiv(divisor); });
}

}  // namespace

SymbolicExpr ApplyMonotone(SymbolicExpr e, bool rises,
                           llvm::function_ref<SymbolicExpr(SymbolicExpr)> fn) {
  if (e.kind() != ExprKind::kMin && e.kind() != ExprKind::kMax) return fn(e);
  std::vector<SymbolicExpr> ops;
  for (SymbolicExpr op : e.ops()) ops.push_back(ApplyMonotone(op, rises, fn));
  bool is_min = (e.kind() == ExprKind::kMin) == rises;
  return is_min ? e.context()->Min(ops) : e.context()->Max(ops);
}

SymbolicExpr Progressions::Simplified(SymbolicExpr e) const {
  if (!e || e.IsConstant() || e.IsVariable()) return e;
  IndexingMap simplified =
      Simplify(IndexingMap(*map_.context(), {e}, map_.dims(), map_.ranges(), map_.runtime()));
  return simplified.state() == IndexingMap::State::kNormal ? simplified.results()[0] : e;
}

SymbolicExpr Progressions::Greatest(const Progression& p) const {
  Context& context = *map_.context();
  SymbolicExpr full = Length(p) ? Plus(p.first, context.Constant(*Length(p))) : SymbolicExpr();
  if (!p.last || !full) return full;
  SymbolicExpr end = full.Min(p.last);
  if (p.stride == 1) return Simplified(end);
  return Simplified(ApplyMonotone(end, true, [&](SymbolicExpr e) {
    return p.first + (e - p.first).FloorDiv(p.stride) * p.stride;
  }));
}

void Progressions::RequireSome(const Progression& p) {
  if (!p.last) return;
  SymbolicExpr length = Simplified(p.last - p.first);
  if (map_.RangeOf(length).Within({0, kInt64Max})) return;
  Constraint c{length, {0, kInt64Max}};
  if (std::find(conditions_.begin(), conditions_.end(), c) == conditions_.end()) {
    conditions_.push_back(c);
  }
}

Progression Progressions::Contiguous(SymbolicExpr first, SymbolicExpr last, int64_t size) const {
  Interval length = RangeOf(last - first);
  if (length.HasUpper() && length.upper < size - 1) {
    size = std::max<int64_t>(length.upper, 0) + 1;
  }
  bool is_full = length.HasLower() && length.lower >= size - 1;
  return {Simplified(first), size, 1, is_full ? SymbolicExpr() : Simplified(last), ""};
}

std::optional<Progression> Progressions::OfVariable(int64_t i) {
  Context& context = *map_.context();
  Interval bounds = map_.ranges()[i].bounds;
  std::optional<int64_t> count = bounds.IsBounded() ? bounds.Count() : std::nullopt;
  if (!count || *count < 1) return std::nullopt;
  const AffineBounds& limits = affine_bounds_[i];
  SymbolicExpr first = context.Constant(bounds.lower), last = context.Constant(bounds.upper);
  if (limits.lower) first = first.Max(limits.lower);
  if (limits.upper) last = last.Min(limits.upper);
  if (!limits.lower && !limits.upper) return Progression{first, *count, 1, {}, ""};
  Progression p = Contiguous(first, last, *count);
  // The interval's own end cuts nothing off that `size` does not.
  if (p.last && !limits.lower) p.last = Simplified(limits.upper);
  return p;
}

std::optional<Progression> Progressions::Of(SymbolicExpr e) {
  if (IsFixed(e)) return Progression{e, 1, 1, {}, ""};
  std::optional<Progression> p;
  switch (e.kind()) {
    case ExprKind::kVariable:
      return OfVariable(e.value());
    case ExprKind::kAdd:
      return OfSum(e);
    case ExprKind::kMul:
      if (e.ops().size() != 1) return Hull(e, "a product of two indices");
      p = Of(e.op(0));
      return p ? Scaled(*p, e.value()) : p;
    case ExprKind::kFloorDiv:
    case ExprKind::kCeilDiv: {
      if (!e.op(1).IsConstant()) return Hull(e, "a division by an index");
      // x ceildiv c = -((-x) floordiv c), and x floordiv c = (-x) floordiv -c.
      int64_t c = e.op(1).value();
      bool is_ceil = e.kind() == ExprKind::kCeilDiv;
      if (c == kInt64Min) return Hull(e, "a divisor at the limit of 64 bits");
      p = Of(is_ceil != (c < 0) ? -e.op(0) : e.op(0));
      if (p) p = Quotient(*p, std::abs(c));
      return p && is_ceil ? Scaled(*p, -1) : p;
    }
    case ExprKind::kMod:
      if (!e.op(1).IsConstant()) return Hull(e, "a residue by an index");
      p = Of(e.op(0));
      return p ? Residue(*std::move(p), e.op(1).value()) : p;
    case ExprKind::kMin:
    case ExprKind::kMax:
      return Clamped(e);
    default:
      return std::nullopt;
  }
}

std::optional<Progression> Progressions::OfSum(SymbolicExpr e) {
  SymbolicExpr fixed = map_.context()->Constant(e.value());
  std::vector<Progression> parts;
  for (SymbolicExpr term : e.ops()) {
    if (IsFixed(term)) {
      fixed = fixed + term;
      continue;
    }
    std::optional<Progression> p = Of(term);
    if (!p) return Hull(e, "a sum with a part without bounds");
    parts.push_back(*std::move(p));
  }
  // Small steps first: they fill the gaps of the larger ones.
  std::stable_sort(parts.begin(), parts.end(),
                   [](const Progression& a, const Progression& b) { return a.stride < b.stride; });
  std::optional<Progression> sum = Progression{fixed, 1, 1, {}, ""};
  for (Progression& p : parts) {
    if (parts.size() > 1) RequireSome(p);
    if (parts.size() > 1 && p.size == 1) p.last = {};
    if (sum) sum = Sum(*std::move(sum), std::move(p));
  }
  return sum;
}

// `a` has the smaller steps.
std::optional<Progression> Progressions::Sum(Progression a, Progression b) {
  if (b.IsPoint()) std::swap(a, b);
  Progression out = b;
  Widen(out, a.over_approximation_reason);
  out.first = Plus(a.first, b.first);
  if (a.IsPoint()) {
    if (b.last) out.last = Plus(b.last, a.first);
    return out;
  }
  if (a.last || b.last) {
    SymbolicExpr end_a = Greatest(a), end_b = Greatest(b);
    if (!end_a || !end_b) return std::nullopt;
    out.last = Plus(end_a, end_b);
  }
  out.stride = std::gcd(a.stride, b.stride);
  bool fits = b.stride % a.stride == 0;
  int64_t ratio = b.stride / a.stride;
  if (b.size > 1 && (!fits || (ratio > 1 && (a.last || a.size < ratio)))) {
    Widen(out, "steps of " + std::to_string(a.stride) + " and of " + std::to_string(b.stride) +
                   " together leave gaps");
  }
  auto length_a = Length(a), length_b = Length(b);
  auto length = length_a && length_b ? CheckedAdd(*length_a, *length_b) : std::nullopt;
  auto count = length ? CountOf(*length, out.stride) : std::nullopt;
  if (!count) return std::nullopt;
  out.size = *count;
  return out;
}

std::optional<Progression> Progressions::Scaled(const Progression& p, int64_t factor) {
  if (factor == kInt64Min) return std::nullopt;
  auto stride = CheckedMul(p.stride, factor < 0 ? -factor : factor);
  if (!stride) return std::nullopt;
  Progression out{
      Times(p.first, factor), p.size, p.IsPoint() ? 1 : *stride, {}, p.over_approximation_reason};
  if (factor > 0) {
    if (p.last) out.last = Times(p.last, factor);
    return out;
  }
  SymbolicExpr end = Greatest(p);
  if (!end) return std::nullopt;
  if (p.last) out.last = out.first;
  out.first = Times(end, factor);
  return out;
}

std::optional<Progression> Progressions::Quotient(const Progression& p, int64_t divisor) {
  RequireSome(p);
  SymbolicExpr first = FloorOf(p.first, divisor);
  SymbolicExpr end = Greatest(p);
  auto length = Length(p);
  if (!end || !length) return std::nullopt;
  SymbolicExpr last = FloorOf(end, divisor);
  if (p.stride % divisor == 0) {
    Progression out{first, p.size, p.stride / divisor, {}, p.over_approximation_reason};
    if (p.last) out.last = last;
    return out;
  }
  // At most this many, when the first value is the last of its quotient.
  Progression out = Contiguous(first, last, *length == 0 ? 1 : (*length - 1) / divisor + 2);
  out.over_approximation_reason = p.over_approximation_reason;
  if (p.stride > divisor && out.size > 1) {
    Widen(out, "steps of " + std::to_string(p.stride) + " divided by " + std::to_string(divisor) +
                   " are uneven");
  }
  return out;
}

std::optional<Progression> Progressions::Residue(Progression p, int64_t modulus) {
  RequireSome(p);
  SymbolicExpr end = Greatest(p);
  if (!end) return std::nullopt;
  SymbolicExpr turn = p.first.FloorDiv(modulus);
  // No step leaves the period that the first value is in.
  if (RangeOf(end.FloorDiv(modulus) - turn).Within(Interval::Point(0))) {
    p.first = Simplified(p.first.Mod(modulus));
    if (p.last) p.last = Simplified(end - turn * modulus);
    return p;
  }
  int64_t step = std::gcd(p.stride, modulus);
  Progression out{
      Simplified(p.first.Mod(step)), modulus / step, step, {}, p.over_approximation_reason};
  if (p.last || p.size < modulus / step) {
    Widen(out, "a part of a period of " + std::to_string(modulus) + " may wrap around");
  }
  return out;
}

// min or max with expressions that no range variable moves.
std::optional<Progression> Progressions::Clamped(SymbolicExpr e) {
  std::optional<Progression> p;
  SymbolicExpr limit;
  bool is_min = e.kind() == ExprKind::kMin;
  for (SymbolicExpr op : e.ops()) {
    if (!IsFixed(op)) {
      if (p) return Hull(e, "a minimum or maximum of two moving indices");
      p = Of(op);
      if (!p) return Hull(e, "a minimum or maximum without bounds");
    } else if (!limit) {
      limit = op;
    } else {
      limit = is_min ? limit.Min(op) : limit.Max(op);
    }
  }
  RequireSome(*p);
  SymbolicExpr end = Greatest(*p);
  auto length = Length(*p);
  if (!end || !length || *length == kInt64Max) return std::nullopt;
  auto clamp = [&](SymbolicExpr x) { return is_min ? x.Min(limit) : x.Max(limit); };
  Progression out = Contiguous(clamp(p->first), clamp(end), *length + 1);
  out.over_approximation_reason = p->over_approximation_reason;
  if (p->stride > 1) Widen(out, "a minimum or maximum cuts into steps");
  return out;
}

std::optional<Progression> Progressions::Hull(SymbolicExpr e, const char* why) {
  Interval range = map_.RangeOf(e);
  auto count = range.IsBounded() ? range.Count() : std::nullopt;
  if (!count || *count < 1) return std::nullopt;
  return Progression{map_.context()->Constant(range.lower), *count, 1, {}, why};
}

}  // namespace affirm::analysis
