#include "driver/check/symbolic_certificates.h"

#include <vector>

#include "core/indexing/indexing_map.h"
#include "verify/prover/certify_maps.h"

namespace affirm::driver {
namespace {

constexpr Interval kAny{kInt64Min, kInt64Max}, kNotNegative{0, kInt64Max};

Variable Bounded(Interval bounds) { return {.bounds = bounds, .name = {}, .source = {}}; }

// A map over the parameters and the index of the result.
class MapBuilder {
 public:
  MapBuilder(const SymbolicOp& op, Context& context) : op_(op), context_(context) {
    for (const SizeParameter& p : op.parameters)
      dims_.push_back(Bounded(p.lower ? Interval{*p.lower, kInt64Max} : kAny));
    for (int64_t i = 0; i < op.rank(); ++i) {
      dims_.push_back(Bounded(kAny));
      AddIndex(context.Dim(op.num_parameters() + i), op.output_sizes[i]);
    }
  }

  // A range variable below a size.
  void AddRange(SymbolicExpr size) {
    const auto number = static_cast<int64_t>(ranges_.size());
    ranges_.push_back(Bounded(kAny));
    AddIndex(context_.Range(number), size);
  }
  void Add(const SymbolicFact& fact) {
    constraints_.push_back(
        {InRanges(fact.rhs - fact.lhs), fact.equal ? Interval{0, 0} : kNotNegative});
  }
  // The components of the operand's index are range variables, where a term has them.
  SymbolicExpr InRanges(SymbolicExpr e) const {
    return e.Substitute([&](VarKind kind, int64_t k) {
      const bool is_input = kind == VarKind::kDim && k >= op_.first_input();
      return is_input ? context_.Range(k - op_.first_input()) : SymbolicExpr();
    });
  }
  IndexingMap Build(llvm::ArrayRef<SymbolicExpr> results) {
    return IndexingMap(context_, results, dims_, ranges_, {}, constraints_);
  }

 private:
  void AddIndex(SymbolicExpr index, SymbolicExpr size) {
    constraints_.push_back({index, kNotNegative});
    constraints_.push_back({size - index - 1, kNotNegative});
  }

  const SymbolicOp& op_;
  Context& context_;
  std::vector<Variable> dims_, ranges_;
  std::vector<Constraint> constraints_;
};

}  // namespace

llvm::Expected<std::string> CertifySymbolic(const SymbolicOp& op, const SymbolicRead& read,
                                            Context& context) {
  MapBuilder formula(op, context), relation(op, context);
  for (SymbolicExpr size : read.range_sizes) formula.AddRange(size);
  for (const SymbolicFact& fact : read.domain) formula.Add(fact);
  std::vector<SymbolicExpr> index, witness;
  index.reserve(read.input_sizes.size());
  for (SymbolicExpr size : read.input_sizes) {
    relation.AddRange(size);
    index.push_back(context.Range(static_cast<int64_t>(index.size())));
  }
  for (const SymbolicFact& fact : read.relation) relation.Add(fact);
  witness.reserve(read.witness.size());
  for (SymbolicExpr e : read.witness) witness.push_back(relation.InRanges(e));
  return CertifyEqual(formula.Build(read.results), relation.Build(index), witness, read.results);
}

}  // namespace affirm::driver
