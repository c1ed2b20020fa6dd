// reduce, reduce-window, scatter, select-and-scatter: values may be combined in any order ("XLA
// operation semantics", Reduce and Scatter).
#include <memory>
#include <utility>

#include "llvm/ADT/STLExtras.h"
#include "verify/enclosure/folds.h"
#include "verify/enclosure/rules.h"
#include "verify/reference/ops.h"

namespace affirm::enclosure {

using hlo::Instruction;
using hlo::Literal;
using hlo::Opcode;
using hlo::PrimitiveType;

namespace {

struct FoldsOfLeaf {
  std::unique_ptr<hlo::ScalarOp> exact;
  std::vector<AnyOrderFold> all;
};

llvm::Expected<FoldsOfLeaf> MakeFolds(const FoldStep& step, const Literal& leaf, Freedom freedom) {
  auto exact = hlo::ResolveElementwise(*step.operation);
  if (!exact) return exact.takeError();
  FoldsOfLeaf folds{std::make_unique<hlo::ScalarOp>(std::move(*exact)), {}};
  folds.all.assign(CountOf(leaf), AnyOrderFold(step, *folds.exact, freedom));
  return folds;
}

// For each element of a result, the tuples that the interpreter folded into it: of reads of
// operands that are one of `arity` arrays. `array_of` gives the array of an operand, or -1.
std::vector<std::vector<EnclosureTuple>> TuplesOf(const Evaluation& of, int64_t arity,
                                                  llvm::function_ref<int64_t(int64_t)> array_of) {
  std::vector<std::vector<EnclosureTuple>> tuples(CountOf(*LeavesOf(of.result.value)[0]));
  for (const Read& read : of.reads) {
    const int64_t array = array_of(read.operand);
    if (read.leaf != 0 || array < 0) continue;
    if (array == 0) tuples[read.linear].emplace_back(arity);
    tuples[read.linear].back()[array] = of.At(read.operand, read.from);
  }
  return tuples;
}

// A leaf that a combiner computes of several arrays, or by no operation that AnyOrderFold has.
void EncloseTuples(Evaluation& of, const hlo::Computation& combiner, int64_t arity, int64_t leaf,
                   bool keeps_order, llvm::function_ref<int64_t(int64_t)> array_of) {
  auto function = ScalarEnclosures::Create(combiner, of.freedom);
  if (!function) return of.MakeWhole(leaf);
  const TupleFold fold(combiner, *function, arity, leaf, keeps_order);
  const PrimitiveType type = LeavesOf(of.result.value)[leaf]->shape().type;
  LeafEnclosures& enclosures = of.result.leaves[leaf];
  const Literal& value = *LeavesOf(of.result.value)[leaf];
  for (const auto& [i, tuples] : llvm::enumerate(TuplesOf(of, arity, array_of))) {
    auto folded = of.freedom.in_order ? fold.InOrder(tuples) : fold.Result(type, tuples);
    // A combiner that is not associative has other values, the interpreter's among them.
    const bool holds = folded && Contains(type, *folded, hlo::Load(value, static_cast<int64_t>(i)));
    if (!holds) {
      of.is_order_open = true;
      return of.MakeWhole(leaf);
    }
    enclosures.push_back(*folded);
  }
}

// The update of an element, or any of several.
void TakeUpdates(Evaluation& of, int64_t leaf, int64_t update) {
  const Literal& value = *LeavesOf(of.result.value)[leaf];
  LeafEnclosures& enclosures = of.result.leaves[leaf];
  enclosures.resize(CountOf(value));
  std::vector<bool> is_updated(enclosures.size());
  for (const Read& read : of.reads) {
    if (read.leaf != leaf || (read.operand != leaf && read.operand != update)) continue;
    const Enclosure element = of.At(read.operand, read.from);
    Enclosure& to = enclosures[read.linear];
    if (read.operand == leaf) {
      if (!is_updated[read.linear]) to = element;
      continue;
    }
    to = is_updated[read.linear] ? Hull(value.shape().type, to, element) : element;
    is_updated[read.linear] = true;
  }
}

}  // namespace

llvm::Error EncloseReduction(Evaluation& of) {
  const int64_t arity = std::ssize(of.operands) / 2;
  auto callee = hlo::Callee(of.op, "to_apply");
  if (!callee) return callee.takeError();
  const std::vector<const Literal*> leaves = LeavesOf(of.result.value);
  for (int64_t leaf = 0; leaf < arity; ++leaf) {
    const FoldStep step = FoldStepOf(**callee, arity, leaf);
    if (step.operation == nullptr) {
      EncloseTuples(of, **callee, arity, leaf, /*keeps_order=*/false,
                    [&](int64_t operand) { return operand % arity; });
      continue;
    }
    auto folds = MakeFolds(step, *leaves[leaf], of.freedom);
    if (!folds) return folds.takeError();
    for (const Read& read : of.reads) {
      if (read.leaf == leaf && read.operand % arity == leaf)
        folds->all[read.linear].Add(of.At(read.operand, read.from));
    }
    for (const AnyOrderFold& each : folds->all) of.result.leaves[leaf].push_back(each.Result());
  }
  return llvm::Error::success();
}

llvm::Error EncloseScatter(Evaluation& of) {
  const int64_t arity = std::ssize(of.operands) / 2;
  auto callee = hlo::Callee(of.op, "to_apply");
  if (!callee) return callee.takeError();
  if (!IsExact(*of.operands[arity])) {
    of.MakeWhole();
    return llvm::Error::success();
  }
  const std::vector<const Literal*> leaves = LeavesOf(of.result.value);
  for (int64_t leaf = 0; leaf < arity; ++leaf) {
    const Instruction* root = (*callee)->root;
    if (root->opcode == Opcode::kTuple) root = root->operands[leaf];
    const int64_t update = arity + 1 + leaf;
    if (root == (*callee)->parameters[arity + leaf]) {
      TakeUpdates(of, leaf, update);
      continue;
    }
    const FoldStep step = FoldStepOf(**callee, arity, leaf);
    if (step.operation == nullptr) {
      EncloseTuples(of, **callee, arity, leaf, /*keeps_order=*/true, [&](int64_t operand) {
        return operand == arity ? -1 : operand < arity ? operand : operand - arity - 1;
      });
      continue;
    }
    auto folds = MakeFolds(step, *leaves[leaf], of.freedom);
    if (!folds) return folds.takeError();
    for (const Read& read : of.reads) {
      if (read.leaf == leaf && (read.operand == leaf || read.operand == update))
        folds->all[read.linear].Add(of.At(read.operand, read.from));
    }
    for (const AnyOrderFold& each : folds->all) of.result.leaves[leaf].push_back(each.Result());
  }
  return llvm::Error::success();
}

namespace {

// The elements of a window that `select` may keep, by position. It keeps the first of its arguments
// or the second; an element that another one surely replaces, or surely outlasts, is not kept.
std::vector<int64_t> MayKeep(ScalarEnclosures& select, const EnclosedValue& operand,
                             llvm::ArrayRef<int64_t> window) {
  // Comparisons order numbers, not NaN.
  if (llvm::any_of(window, [&](int64_t i) { return MayBeNaN(operand.At(0, i)); }))
    return window.vec();
  std::vector<int64_t> kept;
  for (const int64_t element : window) {
    const Enclosure value = operand.At(0, element);
    bool is_kept = true;
    llvm::erase_if(kept, [&](int64_t before) {
      const Enclosure keeps = select.Apply({operand.At(0, before), value})[0];
      if (keeps.lo == 1) is_kept = false;
      return keeps.hi == 0;
    });
    if (is_kept) kept.push_back(element);
  }
  return kept;
}

}  // namespace

// The interpreter's reads of a window end with the read of the source element.
llvm::Error EncloseSelectAndScatter(Evaluation& of) {
  auto select_callee = hlo::Callee(of.op, "select");
  if (!select_callee) return select_callee.takeError();
  auto scatter_callee = hlo::Callee(of.op, "scatter");
  if (!scatter_callee) return scatter_callee.takeError();
  const FoldStep step = FoldStepOf(**scatter_callee, 1, 0);
  auto select = ScalarEnclosures::Create(**select_callee, of.freedom);
  if (step.operation == nullptr || !select) {
    of.MakeWhole();
    return llvm::Error::success();
  }
  auto folds = MakeFolds(step, of.result.value, of.freedom);
  if (!folds) return folds.takeError();
  for (AnyOrderFold& each : folds->all) each.Add(of.At(2, 0));
  std::vector<int64_t> window;
  for (const Read& read : of.reads) {
    if (read.operand == 0) {
      // Each element of the window has been read for each of them.
      if (window.empty() || read.from > window.back()) window.push_back(read.from);
    } else if (read.operand == 1) {
      const std::vector<int64_t> kept = MayKeep(*select, *of.operands[0], window);
      const Enclosure source = of.At(1, read.from);
      for (const int64_t element : kept) {
        if (kept.size() == 1) {
          folds->all[element].Add(source);
        } else {
          folds->all[element].AddPerhaps(source);
        }
      }
      window.clear();
    }
  }
  for (const AnyOrderFold& each : folds->all) of.result.leaves[0].push_back(each.Result());
  return llvm::Error::success();
}

}  // namespace affirm::enclosure
