// Terms and formulas as isl objects, straight from the expressions (no normal form in between, so
// that isl and Z3 check each other). Only for verify/decide and verify/maps.
#ifndef AFFIRM_VERIFY_DECIDE_ISL_TERMS_H_
#define AFFIRM_VERIFY_DECIDE_ISL_TERMS_H_

#include <isl/aff.h>
#include <isl/ctx.h>
#include <isl/map.h>
#include <isl/point.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/val.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/symbolic/expr.h"
#include "core/symbolic/interval.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "verify/decide/isl_worker.h"

namespace affirm {

struct IslFree {
  void operator()(isl_ctx* p) const { isl_ctx_free(p); }
  void operator()(isl_set* p) const { isl_set_free(p); }
  void operator()(isl_map* p) const { isl_map_free(p); }
  void operator()(isl_pw_aff* p) const { isl_pw_aff_free(p); }
  void operator()(isl_space* p) const { isl_space_free(p); }
  void operator()(isl_point* p) const { isl_point_free(p); }
  void operator()(isl_val* p) const { isl_val_free(p); }
};
template <typename T>
using IslPtr = std::unique_ptr<T, IslFree>;

// A context whose operations fail silently, returning null, on errors and past `max_operations` (0:
// no limit).
IslPtr<isl_ctx> MakeIslContext(unsigned long max_operations);
// Why something was null.
std::string IslProblem(isl_ctx* ctx);

// The integer v (int64 is not `long` everywhere).
isl_val* IslInteger(isl_ctx* ctx, int64_t v);

// Terms over the dimensions of one set space. The caller owns the results (isl's __isl_give); null
// means that a term is not piecewise quasi-affine (a product or a division by variables; see
// nonlinear()) or that isl gave up.
class IslTerms {
 public:
  // `bounds[k]` bounds dimension k. A dimension with a single value is replaced by it.
  IslTerms(isl_ctx* ctx, std::vector<Interval> bounds);

  // The dimension of a variable of the terms; the default sends Dim(k) to k.
  std::vector<int64_t> dim_position, range_position, runtime_position;

  isl_pw_aff* Term(SymbolicExpr e);
  // The points with a = b, a <= b and their opposites.
  isl_set* Eq(SymbolicExpr a, SymbolicExpr b, bool negated);
  isl_set* Le(SymbolicExpr a, SymbolicExpr b, bool negated);
  // The points at which e lies in an interval.
  isl_set* In(SymbolicExpr e, Interval bounds);
  // All points within the bounds of the given dimensions (of all of them).
  isl_set* Box(llvm::ArrayRef<int64_t> dimensions) const;
  isl_set* Box() const;
  isl_space* Space() const;
  bool nonlinear() const { return nonlinear_; }
  int64_t num_dimensions() const { return static_cast<int64_t>(bounds_.size()); }
  llvm::ArrayRef<Interval> bounds() const { return bounds_; }

 private:
  isl_pw_aff* Constant(int64_t v) const;
  isl_pw_aff* Node(SymbolicExpr e);
  isl_pw_aff* Variable(SymbolicExpr e);
  isl_pw_aff* Product(SymbolicExpr e);
  isl_pw_aff* Quotient(SymbolicExpr e);
  isl_pw_aff* Copy(SymbolicExpr e) const;

  isl_ctx* ctx_;
  std::vector<Interval> bounds_;
  llvm::DenseMap<SymbolicExpr, IslPtr<isl_pw_aff>> terms_;
  bool nonlinear_ = false;
};

// The first `coordinates` (of all, when absent) of some point of a set that isn't empty; nullopt
// when isl gives up or one of them leaves int64.
std::optional<std::vector<int64_t>> SamplePoint(isl_set* set,  // __isl_keep
                                                std::optional<isl_size> coordinates = {});

// Proved when the set is empty; otherwise refuted at one of its points, of which that many
// coordinates are asked for. Takes the set.
IslResult FindEmpty(isl_ctx* ctx, isl_set* taken, std::optional<isl_size> coordinates = {});

}  // namespace affirm

#endif  // AFFIRM_VERIFY_DECIDE_ISL_TERMS_H_
