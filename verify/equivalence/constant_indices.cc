#include "verify/equivalence/constant_indices.h"

#include <algorithm>
#include <optional>

#include "core/hlo/start_indices.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "verify/hlo/values/values.h"
#include "verify/scalar/scalar.h"
#include "verify/terms/machine.h"
#include "verify/terms/scope.h"

namespace affirm::equivalence {
namespace {

using hlo::Instruction;
using hlo::Opcode;
using terms::Term;

constexpr int64_t kMostElements = 1 << 16;

using Index = llvm::SmallVector<int64_t, 6>;

// Whether `holds` is true for every index of an array of these sizes, visited in row-major order.
// False for more than kMostElements, or an unbounded size.
bool HoldsEverywhere(llvm::ArrayRef<int64_t> sizes,
                     llvm::function_ref<bool(llvm::ArrayRef<int64_t>)> holds) {
  int64_t count = 1;
  for (int64_t size : sizes) {
    if (size < 0 || size > kMostElements) return false;
    count = std::min(count * size, 2 * kMostElements);
  }
  if (count > kMostElements) return false;
  Index index(sizes.size(), 0);
  for (; count > 0; --count) {
    if (!holds(index)) return false;
    for (size_t d = sizes.size(); d-- > 0;) {
      if (++index[d] < sizes[d]) break;
      index[d] = 0;
    }
  }
  return true;
}

llvm::SmallVector<Term, 6> Numbers(terms::Pool& pool, llvm::ArrayRef<int64_t> index) {
  llvm::SmallVector<Term, 6> numbers;
  for (int64_t i : index) numbers.push_back(pool.Number(i));
  return numbers;
}

}  // namespace

const Instruction& IndicesOf(const Instruction& op) {
  return *op.operands[op.opcode == Opcode::kGather ? 1 : op.operands.size() / 2];
}

bool UpdatesAreApart(const Instruction& scatter) {
  const hlo::Shape &operand = scatter.operands.front()->shape,
                   &updates = scatter.operands.back()->shape;
  if (!operand.IsArray() || !updates.IsArray()) return false;
  terms::Pool pool;
  terms::Scope scope(pool);
  hlo_values::ComputationValues values(scope, *scatter.parent);
  // The targets of updates do not depend on their values, which stay opaque.
  const auto update_operands =
      llvm::ArrayRef(scatter.operands).drop_front(scatter.operands.size() / 2 + 1);
  values.SetOpaque([&](const Instruction& op, int64_t, auto) -> llvm::Expected<Term> {
    if (!llvm::is_contained(update_operands, &op)) return nullptr;
    return pool.Load(0, pool.Number(0), terms::TermType(op.shape.type));
  });
  llvm::DenseSet<int64_t> targets;
  return HoldsEverywhere(updates.dims, [&](llvm::ArrayRef<int64_t> index) {
    auto parts = values.Scatter(scatter, Numbers(pool, index));
    if (!parts) {
      llvm::consumeError(parts.takeError());
      return false;
    }
    const Term inside = scope.Simplify(parts->inside);
    if (inside->kind == terms::Kind::kFalse) return true;
    if (inside->kind != terms::Kind::kTrue) return false;
    int64_t linear = 0;
    for (auto [target, size] : llvm::zip_equal(parts->target, operand.dims)) {
      const Term position = scope.Simplify(target);
      if (!position->IsNumber()) return false;
      linear = linear * size + static_cast<int64_t>(position->number);
    }
    return targets.insert(linear).second;
  });
}

bool IndexVectorsAscend(const Instruction& op) {
  const Instruction& indices = IndicesOf(op);
  if (!hlo::IsInt(indices.shape.type)) return false;
  const hlo::IntType type = hlo::IntType::Of(indices.shape.type);
  const auto dim = static_cast<size_t>(op.attributes.index_vector_dim);
  Index batch_sizes(indices.shape.dims.begin(), indices.shape.dims.end());
  const bool has_vectors = dim < batch_sizes.size();
  const int64_t components = has_vectors ? batch_sizes[dim] : 1;
  if (has_vectors) batch_sizes.erase(batch_sizes.begin() + dim);
  if (components > kMostElements) return false;
  const auto order = hlo::OrderOfComponents(op);
  if (components != std::ssize(order)) return false;
  terms::Pool pool;
  terms::Scope scope(pool);
  hlo_values::ComputationValues values(scope, *op.parent);
  std::optional<Index> last;
  return HoldsEverywhere(batch_sizes, [&](llvm::ArrayRef<int64_t> batch) {
    Index vector;
    for (int64_t k : order) {
      Index index(batch);
      if (has_vectors) index.insert(index.begin() + dim, k);
      auto value = values.At(indices, 0, Numbers(pool, index));
      if (!value) {
        llvm::consumeError(value.takeError());
        return false;
      }
      const Term number = scope.Simplify(pool.IntegerOf(*value));
      if (!number->IsNumber()) return false;
      vector.push_back(type.Wrap(static_cast<uint64_t>(number->number)));
    }
    const auto less = [&](int64_t a, int64_t b) { return type.Less(a, b); };
    const bool ascends = !last || !std::lexicographical_compare(vector.begin(), vector.end(),
                                                                last->begin(), last->end(), less);
    last = std::move(vector);
    return ascends;
  });
}

}  // namespace affirm::equivalence
