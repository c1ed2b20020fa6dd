// Lowered indices compute the map: at constants the arithmetic folds to its values. Ranges reach
// below zero, so that quotients and remainders round with signs.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "emit/codegen/mlir_context.h"
#include "emit/transforms/passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "tests/maps/random_maps.h"

namespace affirm {
namespace {

std::string FunctionOf(const IndexingMap& map, llvm::ArrayRef<int64_t> dims) {
  std::string constants, variables, results, types;
  for (size_t i = 0; i < dims.size(); ++i) {
    const std::string name = "%v" + std::to_string(i);
    constants += "  " + name + " = arith.constant " + std::to_string(dims[i]) + " : index\n";
    variables += (i > 0 ? ", " : "") + name;
  }
  for (size_t i = 0; i < map.results().size(); ++i) {
    results += (i > 0 ? ", %r#" : "%r#") + std::to_string(i);
    types += i > 0 ? ", index" : "index";
  }
  return "func.func @f() -> (" + types + ") {\n" + constants +
         "  %r:" + std::to_string(map.results().size()) +
         " = affirm.apply_indexing #affirm.map<\"" + map.ToString() + "\">(" + variables +
         ")\n  return " + results + " : " + types + "\n}\n";
}

RC_GTEST_PROP(LowerIndexing, ComputesTheMap, ()) {
  Context symbols;
  const IndexingMap map =
      RandomMap(symbols, {.dims = Pick(1, 3), .ranges = 0, .runtime = 0, .results = Pick(1, 2)});
  RC_PRE(map.state() == IndexingMap::State::kNormal);
  std::vector<std::vector<int64_t>> points;
  map.ForEachPoint([&](auto dims, auto, auto) {
    points.push_back(dims.vec());
    return true;
  });
  RC_PRE(!points.empty());
  const std::vector<int64_t> point = *rc::gen::elementOf(points);
  auto expected = map.Evaluate(point, {});
  if (!expected) return llvm::consumeError(expected.takeError());

  const std::unique_ptr<mlir::MLIRContext> context = emit::MakeMlirContext();
  const std::string text = FunctionOf(map, point);
  RC_LOG() << text;
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, context.get());
  RC_ASSERT(bool(module));
  mlir::PassManager passes(context.get());
  passes.addPass(emit::CreateLowerIndexingPass());
  passes.addPass(mlir::createCanonicalizerPass());
  RC_ASSERT(mlir::succeeded(passes.run(*module)));
  std::vector<int64_t> values;
  module->walk([&](mlir::func::ReturnOp op) {
    for (mlir::Value value : op.getOperands()) {
      llvm::APInt constant;
      RC_ASSERT(mlir::matchPattern(value, mlir::m_ConstantInt(&constant)));
      values.push_back(constant.getSExtValue());
    }
  });
  RC_ASSERT(values == *expected);
}

}  // namespace
}  // namespace affirm
