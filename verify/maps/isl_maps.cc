// Inclusion, injectivity and surjectivity of maps as operations on isl relations.
#include "verify/maps/isl_maps.h"

#include <utility>

namespace affirm {

IslPtr<isl_map> MakeIslMap(isl_ctx* ctx, const FlattenedMap& map, bool keep_ranges,
                           std::string& reason) {
  std::vector<Interval> bounds = map.outer;
  bounds.insert(bounds.end(), map.ranges.begin(), map.ranges.end());
  IslTerms terms(ctx, std::move(bounds));
  isl_set* domain = map.empty ? isl_set_empty(terms.Space()) : terms.Box();
  for (const Constraint& c : map.constraints) {
    domain = isl_set_intersect(domain, terms.In(c.expr, c.bounds));
  }
  isl_map* result = isl_map_from_domain(domain);
  for (SymbolicExpr e : map.results) {
    result = isl_map_flat_range_product(result, isl_map_from_pw_aff(terms.Term(e)));
  }
  if (!keep_ranges) {
    result = isl_map_project_out(result, isl_dim_in, static_cast<unsigned>(map.num_outer()),
                                 static_cast<unsigned>(map.num_ranges()));
  }
  if (!result) {
    reason = terms.nonlinear() ? "isl: a product of or a division by variables" : IslProblem(ctx);
  }
  return IslPtr<isl_map>(result);
}

IslResult FindMissing(isl_ctx* ctx, isl_map* big, isl_map* small) {
  // The test of inclusion is cheaper than the difference, which is needed for a point only.
  if (isl_map_is_subset(small, big) == isl_bool_true) return {.verdict = Verdict::kProved};
  isl_map* rest = isl_map_subtract(isl_map_copy(small), isl_map_copy(big));
  return FindEmpty(ctx, isl_set_flatten(isl_map_wrap(rest)), isl_map_dim(small, isl_dim_in));
}

namespace {

IslResult Compare(isl_ctx* ctx, const FlattenedMap& a, const FlattenedMap& b, bool equal) {
  IslResult finding;
  IslPtr<isl_map> first = MakeIslMap(ctx, a, /*keep_ranges=*/false, finding.reason);
  if (!first) return finding;
  IslPtr<isl_map> second = MakeIslMap(ctx, b, /*keep_ranges=*/false, finding.reason);
  if (!second) return finding;
  finding = FindMissing(ctx, first.get(), second.get());
  if (!equal || finding.verdict != Verdict::kProved) return finding;
  return FindMissing(ctx, second.get(), first.get());
}

IslResult Injective(isl_ctx* ctx, const FlattenedMap& a) {
  IslResult finding;
  IslPtr<isl_map> map = MakeIslMap(ctx, a, /*keep_ranges=*/true, finding.reason);
  if (!map) return finding;
  unsigned num_runtime = static_cast<unsigned>(a.num_outer() - a.num_dims);
  unsigned inputs = static_cast<unsigned>(a.num_outer() + a.num_ranges());
  // Pairs of inputs with the same result and the same runtime variables, less the pairs of equals.
  isl_map* same =
      isl_map_apply_range(isl_map_copy(map.get()), isl_map_reverse(isl_map_copy(map.get())));
  for (unsigned k = 0; k < num_runtime; ++k) {
    unsigned at = static_cast<unsigned>(a.num_dims) + k;
    same = isl_map_equate(same, isl_dim_in, at, isl_dim_out, at);
  }
  isl_space* space = isl_space_map_from_set(isl_space_set_alloc(ctx, 0, inputs));
  same = isl_map_subtract(same, isl_map_identity(space));
  return FindEmpty(ctx, isl_set_flatten(isl_map_wrap(same)));
}

// The relation without `count` inputs from `first` on. One at a time, each with its divisions made
// explicit before the next: isl 0.27 needs seconds for what four inputs at once leave behind.
isl_map* ProjectOutInputs(isl_map* map, unsigned first, unsigned count) {
  for (unsigned k = first + count; k > first; --k) {
    map = isl_map_compute_divs(isl_map_project_out(map, isl_dim_in, k - 1, 1));
  }
  return map;
}

IslResult Surjective(isl_ctx* ctx, const FlattenedMap& a, llvm::ArrayRef<int64_t> shape) {
  IslResult finding;
  IslPtr<isl_map> map = MakeIslMap(ctx, a, /*keep_ranges=*/true, finding.reason);
  if (!map) return finding;
  isl_map* by_runtime = ProjectOutInputs(map.release(), static_cast<unsigned>(a.num_outer()),
                                         static_cast<unsigned>(a.num_ranges()));
  by_runtime = ProjectOutInputs(by_runtime, 0, static_cast<unsigned>(a.num_dims));
  // Pairs (runtime variables, index) that appear, and those that should.
  isl_set* seen = isl_set_flatten(isl_map_wrap(by_runtime));
  std::vector<Interval> bounds(a.outer.begin() + a.num_dims, a.outer.end());
  for (int64_t size : shape) bounds.push_back({0, size - 1});
  IslTerms wanted(ctx, std::move(bounds));
  return FindEmpty(ctx, isl_set_subtract(wanted.Box(), seen));
}

}  // namespace

IslResult IslCompare(const FlattenedMap& a, const FlattenedMap& b, bool equal,
                     const Budget& budget) {
  return RunIsl(budget, [&](isl_ctx* ctx) { return Compare(ctx, a, b, equal); });
}

IslResult IslInjective(const FlattenedMap& a, const Budget& budget) {
  return RunIsl(budget, [&](isl_ctx* ctx) { return Injective(ctx, a); });
}

IslResult IslSurjective(const FlattenedMap& a, llvm::ArrayRef<int64_t> shape,
                        const Budget& budget) {
  return RunIsl(budget, [&](isl_ctx* ctx) { return Surjective(ctx, a, shape); });
}

}  // namespace affirm
