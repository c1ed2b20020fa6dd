// The orders in which kernels evaluate the reductions of a module, for the interpreter.
#include <functional>

#include "driver/check/kernel_checker.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::driver {

// In which orders the reductions of the module, and of each fusion, are evaluated by kernels.
void KernelChecker::CollectOrders() {
  fusion_orders_.resize(program_.fused_computations().size());
  has_several_orders_.resize(program_.fused_computations().size());
  for (Part& part : parts_) {
    TakeOrders(part);
    const size_t u = NumberOf(*part.whole);
    const auto& originals = program_.partitions(*part.whole).split.originals;
    for (const auto& [reduction, order] : part.orders) {
      const hlo::Instruction* of_fusion = originals.lookup(reduction);
      const auto [in_fusion, is_first] =
          fusion_orders_[u].try_emplace(of_fusion ? of_fusion : reduction, order);
      if (!is_first && !(in_fusion->second == order)) has_several_orders_[u] = true;
      const hlo::Instruction* original = program_.Original(*reduction);
      if (original == nullptr) continue;
      auto [known, is_new] = module_orders_.try_emplace(original, order);
      if (!is_new && !(known->second == order)) several_orders_ = original;
    }
  }
  for (const Part& part : parts_) FindLeftFolds(part);
}

// A reduction for which a kernel has no threads is a left fold there, and may be another one where
// it is computed again.
void KernelChecker::FindLeftFolds(const Part& part) {
  const size_t u = NumberOf(*part.whole);
  const auto& originals = program_.partitions(*part.whole).split.originals;
  std::function<void(const hlo::Computation&)> visit = [&](const hlo::Computation& computation) {
    for (const auto& op : computation.instructions) {
      for (const hlo::Computation* callee : op->called) visit(*callee);
      // The result of another kernel is a parameter.
      if (op->opcode == hlo::Opcode::kParameter || part.orders.contains(op.get())) continue;
      const hlo::Instruction* of_fusion = originals.lookup(op.get());
      const auto in_fusion = fusion_orders_[u].find(of_fusion ? of_fusion : op.get());
      if (in_fusion != fusion_orders_[u].end() && !(in_fusion->second == hlo::EvaluationOrder{}))
        has_several_orders_[u] = true;
      const hlo::Instruction* original = program_.Original(*op);
      const auto in_module = module_orders_.find(original);
      if (in_module != module_orders_.end() && !(in_module->second == hlo::EvaluationOrder{}))
        several_orders_ = original;
    }
  };
  visit(*part.fused->computation);
}

// In which orders its kernel takes the terms of the reductions of a part: where the code is
// another's, at the same places.
void KernelChecker::TakeOrders(Part& part) {
  part.orders.clear();
  const Part& with_code = WithCode(part);
  if (!with_code.kernel) return;
  if (part.first == nullptr) {
    part.orders = part.kernel->evaluation_orders();
    return;
  }
  std::function<void(const hlo::Computation&, const hlo::Computation&)> add =
      [&](const hlo::Computation& from, const hlo::Computation& to) {
        for (const auto& [x, y] : llvm::zip_equal(from.instructions, to.instructions)) {
          const auto order = with_code.kernel->evaluation_orders().find(x.get());
          if (order != with_code.kernel->evaluation_orders().end())
            part.orders[y.get()] = order->second;
          for (const auto& [of_x, of_y] : llvm::zip_equal(x->called, y->called)) add(*of_x, *of_y);
        }
      };
  add(*with_code.fused->computation, *part.fused->computation);
}

}  // namespace affirm::driver
