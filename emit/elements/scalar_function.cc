// The computation that a hero applies, as an MLIR function, and the identities of reductions.
#include "emit/elements/scalar_function.h"

#include <limits>

#include "emit/elements/node_emitter.h"
#include "emit/plan/flat_graph.h"

namespace affirm::emit {

using hlo::Opcode;
using hlo::PrimitiveType;
using mlir::Value;

llvm::Expected<mlir::func::FuncOp> EmitScalarFunction(KernelParts& parts,
                                                      const hlo::Computation& computation,
                                                      llvm::StringRef name) {
  mlir::ModuleOp module = parts.module;
  Builder b(module.getLoc(), module.getContext());
  llvm::SmallVector<mlir::Type> inputs;
  for (const hlo::Instruction* parameter : computation.parameters) {
    mlir::Type type = ValueType(b.getContext(), parameter->shape.type);
    if (!type) return Unsupported(*parameter, "its type has no emission");
    inputs.push_back(type);
  }
  std::string symbol = name.str();
  // No library function has such a name, but an earlier function may.
  for (int n = 0; module.lookupSymbol(symbol); ++n) symbol = name.str() + "_" + std::to_string(n);
  b.setInsertionPointToEnd(module.getBody());
  auto function = mlir::func::FuncOp::create(b, symbol, b.getFunctionType(inputs, {}));
  function.setPrivate();
  b.setInsertionPointToStart(function.addEntryBlock());
  llvm::Expected<NodeEmitter::Values> results =
      NodeEmitter(parts, function, b)
          .InlineScalar(computation, llvm::to_vector_of<Value>(function.getArguments()));
  if (!results) return results.takeError();
  mlir::func::ReturnOp::create(b, *results);
  function.setFunctionType(b.getFunctionType(inputs, mlir::ValueRange(*results).getTypes()));
  return function;
}

namespace {

Value IntIdentity(Builder& b, Opcode operation, PrimitiveType type) {
  mlir::Type mlir_type = ValueType(b.getContext(), type);
  unsigned width = mlir_type.getIntOrFloatBitWidth();
  bool is_signed = hlo::IsSignedInt(type);
  int64_t top = int64_t{1} << (width - 1);  // as a pattern of bits; wraps to the width
  switch (operation) {
    case Opcode::kMultiply:
      return IntConstant(b, mlir_type, 1);
    case Opcode::kAnd:
      return IntConstant(b, mlir_type, -1);
    case Opcode::kMaximum:
      return IntConstant(b, mlir_type, is_signed ? top : 0);
    case Opcode::kMinimum:
      return IntConstant(b, mlir_type, is_signed ? ~top : -1);
    default:
      return IntConstant(b, mlir_type, 0);
  }
}

}  // namespace

Value EmitIdentity(Builder& b, Opcode operation, PrimitiveType type) {
  if (!hlo::IsFloat(type)) return IntIdentity(b, operation, type);
  mlir::Type mlir_type = ValueType(b.getContext(), type);
  switch (operation) {
    case Opcode::kMultiply:
      return FloatConstant(b, mlir_type, 1);
    case Opcode::kMaximum:
      return FloatConstant(b, mlir_type, -std::numeric_limits<double>::infinity());
    case Opcode::kMinimum:
      return FloatConstant(b, mlir_type, std::numeric_limits<double>::infinity());
    default:
      return FloatConstant(b, mlir_type, -0.0);  // +0 would make a -0 positive
  }
}

}  // namespace affirm::emit
