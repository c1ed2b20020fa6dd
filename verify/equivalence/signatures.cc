#include "verify/equivalence/signatures.h"

#include "core/hlo/leaves.h"
#include "core/symbolic/error.h"
#include "verify/terms/machine.h"

namespace affirm::equivalence {

using terms::Scope;
using terms::Term;

static bool SameShape(const hlo::Shape& a, const hlo::Shape& b) {
  if (a.type != b.type || a.tuple.size() != b.tuple.size() || a.rank() != b.rank()) return false;
  for (size_t i = 0; i < a.tuple.size(); ++i) {
    if (!SameShape(a.tuple[i], b.tuple[i])) return false;
  }
  for (int64_t d = 0; d < a.rank(); ++d) {
    if (a.dims[d] != b.dims[d] || a.IsDynamic(d) != b.IsDynamic(d)) return false;
  }
  return true;
}

llvm::Error CheckSignatures(const hlo::Computation& a, const hlo::Computation& b) {
  if (a.parameters.size() != b.parameters.size()) {
    return MakeError("there are " + llvm::Twine(a.parameters.size()) + " parameters and " +
                     llvm::Twine(b.parameters.size()) + ", expected as many");
  }
  auto check = [](const llvm::Twine& what, const hlo::Shape& x,
                  const hlo::Shape& y) -> llvm::Error {
    if (SameShape(x, y)) return llvm::Error::success();
    return MakeError(what + " is " + x.ToString(false) + " and " + y.ToString(false) +
                     ", expected one shape");
  };
  for (size_t k = 0; k < a.parameters.size(); ++k) {
    if (llvm::Error error =
            check("parameter " + llvm::Twine(k), a.parameters[k]->shape, b.parameters[k]->shape)) {
      return error;
    }
  }
  return check("the result", a.root->shape, b.root->shape);
}

hlo_values::ElementFunction LogicalElements(Scope& scope, const hlo::Computation& computation) {
  std::vector<std::vector<hlo::Shape>> shapes;
  std::vector<int64_t> first;
  int64_t count = 0;
  for (const hlo::Instruction* parameter : computation.parameters) {
    first.push_back(count);
    shapes.emplace_back();
    for (const hlo::Shape* leaf : hlo::LeafShapes(parameter->shape)) {
      shapes.back().push_back(*leaf);
      shapes.back().back().layout.reset();
      ++count;
    }
  }
  return [&scope, shapes = std::move(shapes), first = std::move(first)](
             int64_t parameter, int64_t leaf, llvm::ArrayRef<Term> index) {
    const hlo::Shape& shape = shapes[parameter][leaf];
    return scope.pool().Load(first[parameter] + leaf,
                             hlo_values::LinearElement(scope, shape, index),
                             terms::TermType(shape.type));
  };
}

}  // namespace affirm::equivalence
