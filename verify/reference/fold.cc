#include "verify/reference/fold.h"

namespace affirm::hlo {
namespace {

bool FitTogether(const Call& call, size_t arity) {
  const Shape& result = call.instruction.shape;
  if (arity == 0 || call.operands.size() != 2 * arity) return false;
  if (result.IsTuple() ? result.tuple.size() != arity : arity != 1) return false;
  for (size_t k = 0; k < arity; ++k) {
    const Shape& array = call.operand(k).shape();
    const Shape& initial = call.operand(arity + k).shape();
    if (!array.IsArray() || array.dims != call.operand(0).shape().dims || !initial.IsScalar() ||
        array.type != initial.type) {
      return false;
    }
    const Shape& leaf = result.IsTuple() ? result.tuple[k] : result;
    if (leaf.type != array.type || (k > 0 && leaf.dims != result.tuple[0].dims)) return false;
  }
  return true;
}

}  // namespace

llvm::Expected<Fold> Fold::Create(const Call& call) {
  const size_t arity = call.operands.size() / 2;
  if (!FitTogether(call, arity)) {
    return Fail(call.instruction, "needs arrays of one size and as many initial values");
  }
  auto callee = Callee(call.instruction, "to_apply");
  if (!callee) return callee.takeError();
  std::vector<PrimitiveType> types = ElementTypes(call.operands.take_front(arity));
  std::vector<PrimitiveType> parameters = types;
  parameters.insert(parameters.end(), types.begin(), types.end());
  auto function = ScalarFunction::Create(call.instruction, **callee, parameters, types);
  if (!function) return function.takeError();
  std::vector<Literal> results;
  const Shape& shape = call.instruction.shape;
  for (size_t k = 0; k < arity; ++k) {
    Result leaf = NewLiteral(call.instruction, shape.IsTuple() ? shape.tuple[k] : shape);
    if (!leaf) return leaf.takeError();
    results.push_back(std::move(*leaf));
  }
  return Fold(call, std::move(*function), std::move(results));
}

void Fold::Begin(int64_t result_linear) {
  for (size_t k = 0; k < arity_; ++k) {
    running_[k] = Load(call_->operand(arity_ + k), 0);
    for (size_t leaf = 0; leaf < arity_; ++leaf) {
      call_->Read(leaf, result_linear, arity_ + k, 0, 0);
    }
  }
}

llvm::Error Fold::Take(int64_t result_linear, int64_t linear) {
  for (size_t k = 0; k < arity_; ++k) {
    running_[arity_ + k] = Load(call_->operand(k), linear);
    for (size_t leaf = 0; leaf < arity_; ++leaf) call_->Read(leaf, result_linear, k, 0, linear);
  }
  return function_.Apply(running_, llvm::MutableArrayRef<Scalar>(running_).take_front(arity_));
}

void Fold::End(int64_t result_linear) {
  for (size_t k = 0; k < arity_; ++k) Store(results_[k], result_linear, running_[k]);
}

Literal Fold::Finish() { return Assemble(call_->instruction.shape, std::move(results_)); }

}  // namespace affirm::hlo
