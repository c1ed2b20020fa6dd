#include "verify/kernel/proof/correspondences.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "verify/terms/operations.h"

namespace affirm::kernel {

using hlo::PrimitiveType;
using terms::Term;

namespace {

bool IsNarrow(PrimitiveType type) {
  return type == PrimitiveType::kF16 || type == PrimitiveType::kBF16;
}

Term One(terms::Pool& pool, PrimitiveType type) {
  const bool wide = type == PrimitiveType::kF64;
  const llvm::APFloat one(wide ? llvm::APFloat::IEEEdouble() : llvm::APFloat::IEEEsingle(), 1);
  return pool.Literal(type, one.bitcastToAPInt().getZExtValue());
}

}  // namespace

std::vector<Term> CorrespondencesOf(terms::Scope& scope, Term hlo) {
  terms::Pool& pool = scope.pool();
  std::vector<Term> forms;
  const bool plain = hlo->type == PrimitiveType::kF32 || hlo->type == PrimitiveType::kF64;
  if (plain && hlo->name == "rsqrt") {
    Term root = pool.Apply("sqrt", hlo->type, {hlo->args[0]});
    forms.push_back(pool.Apply("divide", hlo->type, {One(pool, hlo->type), root}));
  }
  if (plain && hlo->name == "logistic") {
    Term power =
        pool.Apply("exponential", hlo->type, {pool.Apply("negate", hlo->type, {hlo->args[0]})});
    Term sum = pool.Apply("add", hlo->type, {One(pool, hlo->type), power});
    forms.push_back(pool.Apply("divide", hlo->type, {One(pool, hlo->type), sum}));
  }
  const bool narrow_operands = !hlo->args.empty() && llvm::all_of(hlo->args, [&](Term arg) {
    return arg->sort() == terms::Sort::kValue && IsNarrow(arg->type) &&
           arg->type == hlo->args[0]->type;
  });
  const bool compares = hlo->name.starts_with("compare-") && !hlo->name.ends_with("-total");
  if (narrow_operands && hlo->name != "convert" && hlo->name != "bitcast" &&
      (compares || hlo->type == hlo->args[0]->type)) {
    llvm::SmallVector<Term, 2> wide;
    for (Term arg : hlo->args)
      wide.push_back(terms::Convert(scope, arg, arg->type, PrimitiveType::kF32));
    if (compares) {
      forms.push_back(pool.Apply(hlo->name, hlo->type, wide));
    } else {
      Term value = pool.Apply(hlo->name, PrimitiveType::kF32, wide);
      forms.push_back(terms::Convert(scope, value, PrimitiveType::kF32, hlo->type));
    }
  }
  return forms;
}

}  // namespace affirm::kernel
