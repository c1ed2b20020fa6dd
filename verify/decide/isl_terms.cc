// Expressions as isl's piecewise quasi-affine functions, and points of isl's sets as int64 numbers.
#include "verify/decide/isl_terms.h"

#include <isl/ilp.h>
#include <isl/local_space.h>
#include <isl/options.h>

#include <utility>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallVector.h"

namespace affirm {

IslPtr<isl_ctx> MakeIslContext(unsigned long max_operations) {
  IslPtr<isl_ctx> ctx(isl_ctx_alloc());
  isl_options_set_on_error(ctx.get(), ISL_ON_ERROR_CONTINUE);
  isl_ctx_set_max_operations(ctx.get(), max_operations);
  return ctx;
}

std::string IslProblem(isl_ctx* ctx) {
  switch (isl_ctx_last_error(ctx)) {
    case isl_error_quota:
      return "isl: the budget of operations is spent";
    case isl_error_none:
      return "isl: no result";
    default: {
      const char* text = isl_ctx_last_error_msg(ctx);
      return std::string("isl: ") + (text ? text : "an error");
    }
  }
}

isl_val* IslInteger(isl_ctx* ctx, int64_t v) {
  return isl_val_read_from_str(ctx, std::to_string(v).c_str());
}

IslTerms::IslTerms(isl_ctx* ctx, std::vector<Interval> bounds)
    : ctx_(ctx), bounds_(std::move(bounds)) {
  for (size_t k = 0; k < bounds_.size(); ++k) dim_position.push_back(static_cast<int64_t>(k));
}

isl_space* IslTerms::Space() const {
  return isl_space_set_alloc(ctx_, 0, static_cast<unsigned>(bounds_.size()));
}

isl_set* IslTerms::Box(llvm::ArrayRef<int64_t> dimensions) const {
  isl_set* box = isl_set_universe(Space());
  for (int64_t k : dimensions) {
    unsigned at = static_cast<unsigned>(k);
    if (bounds_[k].HasLower() || bounds_[k].IsEmpty()) {
      box = isl_set_lower_bound_val(box, isl_dim_set, at, IslInteger(ctx_, bounds_[k].lower));
    }
    if (bounds_[k].HasUpper() || bounds_[k].IsEmpty()) {
      box = isl_set_upper_bound_val(box, isl_dim_set, at, IslInteger(ctx_, bounds_[k].upper));
    }
  }
  return box;
}

isl_set* IslTerms::Box() const {
  return Box(llvm::to_vector(llvm::seq<int64_t>(0, num_dimensions())));
}

isl_pw_aff* IslTerms::Constant(int64_t v) const {
  isl_local_space* space = isl_local_space_from_space(Space());
  return isl_pw_aff_from_aff(isl_aff_val_on_domain(space, IslInteger(ctx_, v)));
}

isl_pw_aff* IslTerms::Copy(SymbolicExpr e) const {
  auto at = terms_.find(e);
  return at == terms_.end() ? nullptr : isl_pw_aff_copy(at->second.get());
}

isl_pw_aff* IslTerms::Term(SymbolicExpr e) {
  if (!e) return nullptr;
  e.Walk([&](SymbolicExpr node) {
    if (!terms_.count(node)) terms_[node] = IslPtr<isl_pw_aff>(Node(node));
  });
  return Copy(e);
}

isl_pw_aff* IslTerms::Variable(SymbolicExpr e) {
  const std::vector<int64_t>& position = e.var_kind() == VarKind::kDim     ? dim_position
                                         : e.var_kind() == VarKind::kRange ? range_position
                                                                           : runtime_position;
  if (e.value() < 0 || e.value() >= static_cast<int64_t>(position.size())) return nullptr;
  int64_t at = position[e.value()];
  if (bounds_[at].IsPoint()) return Constant(bounds_[at].lower);
  isl_local_space* space = isl_local_space_from_space(Space());
  return isl_pw_aff_from_aff(isl_aff_var_on_domain(space, isl_dim_set, static_cast<unsigned>(at)));
}

isl_pw_aff* IslTerms::Product(SymbolicExpr e) {
  isl_pw_aff* product = Constant(e.value());
  for (SymbolicExpr op : e.ops()) {
    isl_pw_aff* factor = Copy(op);
    if (product && factor && !isl_pw_aff_is_cst(product) && !isl_pw_aff_is_cst(factor)) {
      nonlinear_ = true;
      isl_pw_aff_free(factor);
      isl_pw_aff_free(product);
      return nullptr;
    }
    product = isl_pw_aff_mul(product, factor);
  }
  return product;
}

isl_pw_aff* IslTerms::Quotient(SymbolicExpr e) {
  isl_pw_aff* numerator = Copy(e.op(0));
  isl_pw_aff* divisor = Copy(e.op(1));
  if (!numerator || !divisor || !isl_pw_aff_is_cst(divisor)) {
    nonlinear_ |= numerator && divisor;
    isl_pw_aff_free(numerator);
    isl_pw_aff_free(divisor);
    return nullptr;
  }
  IslPtr<isl_val> value;
  if (e.op(1).IsConstant()) {
    value.reset(IslInteger(ctx_, e.op(1).value()));
  } else {
    IslPtr<isl_val> lowest(isl_pw_aff_min_val(isl_pw_aff_copy(divisor)));
    value.reset(isl_pw_aff_max_val(isl_pw_aff_copy(divisor)));
    bool one_value = lowest && value && isl_val_eq(lowest.get(), value.get()) == isl_bool_true;
    if (!one_value) value.reset();
  }
  isl_pw_aff_free(divisor);
  bool usable = value && isl_val_is_zero(value.get()) == isl_bool_false &&
                !(e.kind() == ExprKind::kMod && isl_val_is_neg(value.get()) == isl_bool_true);
  if (!usable) {
    nonlinear_ = true;
    isl_pw_aff_free(numerator);
    return nullptr;
  }
  if (e.kind() == ExprKind::kMod) return isl_pw_aff_mod_val(numerator, value.release());
  // isl scales by positive numbers only.
  if (isl_val_is_neg(value.get()) == isl_bool_true) {
    value.reset(isl_val_neg(value.release()));
    numerator = isl_pw_aff_neg(numerator);
  }
  isl_pw_aff* ratio = isl_pw_aff_scale_down_val(numerator, value.release());
  return e.kind() == ExprKind::kCeilDiv ? isl_pw_aff_ceil(ratio) : isl_pw_aff_floor(ratio);
}

isl_pw_aff* IslTerms::Node(SymbolicExpr e) {
  switch (e.kind()) {
    case ExprKind::kConstant:
      return Constant(e.value());
    case ExprKind::kVariable:
      return Variable(e);
    case ExprKind::kAdd: {
      isl_pw_aff* sum = Constant(e.value());
      for (SymbolicExpr op : e.ops()) sum = isl_pw_aff_add(sum, Copy(op));
      return sum;
    }
    case ExprKind::kMul:
      return Product(e);
    case ExprKind::kFloorDiv:
    case ExprKind::kCeilDiv:
    case ExprKind::kMod:
      return Quotient(e);
    case ExprKind::kMin:
    case ExprKind::kMax: {
      isl_pw_aff* best = Copy(e.op(0));
      for (SymbolicExpr op : llvm::drop_begin(e.ops())) {
        best = e.kind() == ExprKind::kMin ? isl_pw_aff_min(best, Copy(op))
                                          : isl_pw_aff_max(best, Copy(op));
      }
      return best;
    }
  }
  return nullptr;
}

isl_set* IslTerms::Eq(SymbolicExpr a, SymbolicExpr b, bool negated) {
  isl_pw_aff* x = Term(a);
  isl_pw_aff* y = Term(b);
  return negated ? isl_pw_aff_ne_set(x, y) : isl_pw_aff_eq_set(x, y);
}

isl_set* IslTerms::Le(SymbolicExpr a, SymbolicExpr b, bool negated) {
  isl_pw_aff* x = Term(a);
  isl_pw_aff* y = Term(b);
  return negated ? isl_pw_aff_gt_set(x, y) : isl_pw_aff_le_set(x, y);
}

isl_set* IslTerms::In(SymbolicExpr e, Interval bounds) {
  if (bounds.IsEmpty()) return isl_set_empty(Space());
  isl_set* set = isl_set_universe(Space());
  if (bounds.HasLower()) {
    set = isl_set_intersect(set, isl_pw_aff_ge_set(Term(e), Constant(bounds.lower)));
  }
  if (bounds.HasUpper()) {
    set = isl_set_intersect(set, isl_pw_aff_le_set(Term(e), Constant(bounds.upper)));
  }
  return set;
}

std::optional<std::vector<int64_t>> SamplePoint(isl_set* set, std::optional<isl_size> asked) {
  IslPtr<isl_point> point(isl_set_sample_point(isl_set_copy(set)));
  if (!point || isl_point_is_void(point.get()) != isl_bool_false) return std::nullopt;
  std::vector<int64_t> values;
  isl_size dimensions = asked.value_or(isl_set_dim(set, isl_dim_set));
  for (isl_size k = 0; k < dimensions; ++k) {
    IslPtr<isl_val> v(isl_point_get_coordinate_val(point.get(), isl_dim_set, k));
    // Every int64 value is at most 64 bits wide; wider ones would be cut silently.
    if (!v || isl_val_n_abs_num_chunks(v.get(), sizeof(int64_t)) > 1) return std::nullopt;
    uint64_t magnitude = 0;
    if (isl_val_get_abs_num_chunks(v.get(), sizeof(magnitude), &magnitude) < 0) return std::nullopt;
    bool negative = isl_val_is_neg(v.get()) == isl_bool_true;
    if (magnitude > static_cast<uint64_t>(kInt64Max) + (negative ? 1 : 0)) return std::nullopt;
    values.push_back(static_cast<int64_t>(negative ? 0 - magnitude : magnitude));
  }
  return values;
}

IslResult FindEmpty(isl_ctx* ctx, isl_set* taken, std::optional<isl_size> coordinates) {
  IslPtr<isl_set> set(taken);
  IslResult finding;
  isl_bool empty = set ? isl_set_is_empty(set.get()) : isl_bool_error;
  if (empty == isl_bool_true) {
    finding.verdict = Verdict::kProved;
  } else if (empty == isl_bool_false) {
    if (auto point = SamplePoint(set.get(), coordinates)) {
      finding.verdict = Verdict::kRefuted;
      finding.point = std::move(*point);
    } else {
      finding.reason = "isl: the claim fails at a point that isl did not give";
    }
  } else {
    finding.reason = IslProblem(ctx);
  }
  return finding;
}

}  // namespace affirm
