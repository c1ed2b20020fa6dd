// Builds the ops of op.h for all sizes, one function for each op. Internal to verify/hlo.
#ifndef AFFIRM_VERIFY_HLO_SYMBOLIC_BUILDER_H_
#define AFFIRM_VERIFY_HLO_SYMBOLIC_BUILDER_H_

#include <string>
#include <utility>
#include <vector>

#include "verify/hlo/symbolic/op.h"

namespace affirm::hlo_semantics::all_shapes {

// The parameters have to be added first, then the sizes, then the operands, because the numbers of
// the variables Out(i) and In(j) follow from how many parameters and sizes there are.
class Builder {
 public:
  explicit Builder(Context& context) : context_(context) {}

  SymbolicExpr Constant(int64_t v) const { return context_.Constant(v); }
  SymbolicExpr Parameter(std::string name, std::optional<int64_t> lower) {
    op.parameters.push_back({std::move(name), lower});
    return context_.Dim(op.num_parameters() - 1);
  }
  // `count` parameters, named n0, n1, ... for the name "n".
  std::vector<SymbolicExpr> Parameters(const std::string& name, int64_t count, int64_t lower) {
    std::vector<SymbolicExpr> list;
    list.reserve(count);
    for (int64_t i = 0; i < count; ++i) list.push_back(Parameter(name + std::to_string(i), lower));
    return list;
  }
  SymbolicExpr Out(int64_t i) const { return context_.Dim(op.num_parameters() + i); }
  SymbolicExpr In(int64_t j) const { return context_.Dim(op.first_input() + j); }
  SymbolicExpr Range(int64_t k) const { return context_.Range(k); }

  SymbolicOp op;

 private:
  Context& context_;
};

// {1, 0} as "1,0".
std::string Join(llvm::ArrayRef<int64_t> values);
// The set that the lowest `count` bits stand for: {0, 2} for 5.
std::vector<int64_t> Members(uint64_t bits, int64_t count);

// symbolic_movement.cc
std::vector<SymbolicOp> Transposes(int64_t rank, Context& context);
std::vector<SymbolicOp> Broadcasts(int64_t rank, Context& context);
std::vector<SymbolicOp> Reverses(int64_t rank, Context& context);
// symbolic_slicing.cc
std::vector<SymbolicOp> Slices(int64_t rank, Context& context);
std::vector<SymbolicOp> Pads(int64_t rank, Context& context);
std::vector<SymbolicOp> Concatenates(int64_t rank, Context& context);
// symbolic_reshape.cc
std::vector<SymbolicOp> Reshapes(int64_t rank, Context& context);
// symbolic_reduction.cc
std::vector<SymbolicOp> Reduces(int64_t rank, Context& context);
// symbolic_contraction.cc
std::vector<SymbolicOp> Dots(int64_t rank, Context& context);

}  // namespace affirm::hlo_semantics::all_shapes

#endif  // AFFIRM_VERIFY_HLO_SYMBOLIC_BUILDER_H_
