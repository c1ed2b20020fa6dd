#include "driver/open_sorts.h"

#include <functional>
#include <optional>

#include "llvm/ADT/DenseSet.h"
#include "verify/hlo/values/strict_weak_order.h"
#include "verify/reference/order_witness.h"

namespace affirm::driver {
namespace {

bool ComparesNothing(const hlo::Instruction& sort) {
  if (sort.called.size() != 1 || sort.operands.empty()) return true;
  const hlo::Shape& shape = sort.operands[0]->shape;
  return shape.NumElements() == 0 || shape.dims[sort.attributes.dimensions[0]] < 2;
}

std::optional<OpenSort> OpenAs(const hlo::Instruction& sort) {
  if (ComparesNothing(sort)) return std::nullopt;
  const auto why = hlo_values::WhyNoStrictWeakOrder(*sort.called[0]);
  if (!why) return std::nullopt;
  if (const auto witness = hlo::FindOrderWitness(sort)) {
    return OpenSort{&sort,
                    "sort " + sort.name + " compares with what is no strict weak order, " +
                        *witness + ": HLO leaves the result open",
                    true};
  }
  return OpenSort{&sort, "sort " + sort.name +
                             " compares with what is not proved to be a strict weak order: " +
                             *why + ", and of what is none HLO leaves the result open"};
}

}  // namespace

std::vector<OpenSort> OpenSorts(const hlo::Computation& computation) {
  std::vector<OpenSort> open;
  llvm::DenseSet<const hlo::Computation*> seen;
  std::function<void(const hlo::Computation&)> visit = [&](const hlo::Computation& in) {
    if (!seen.insert(&in).second) return;
    for (const auto& op : in.instructions) {
      if (op->opcode == hlo::Opcode::kSort) {
        if (auto as = OpenAs(*op)) open.push_back(std::move(*as));
      }
      for (const hlo::Computation* callee : op->called) visit(*callee);
    }
  };
  visit(computation);
  return open;
}

std::string WhySortIsOpen(const hlo::Computation& computation) {
  const std::vector<OpenSort> open = OpenSorts(computation);
  return open.empty() ? "" : open.front().why;
}

}  // namespace affirm::driver
