// The contents of a Kernel: the MLIR module at the tensor level, and how to launch it.
#ifndef AFFIRM_EMIT_CODEGEN_KERNEL_IMPL_H_
#define AFFIRM_EMIT_CODEGEN_KERNEL_IMPL_H_

#include <memory>
#include <string>
#include <vector>

#include "core/hlo/shape.h"
#include "emit/codegen/kernel_artifact.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

namespace affirm::emit {

// An array in memory: row-major in the logical dimensions, as in a Literal, whatever the shape's
// layout is.
struct Buffer {
  hlo::Shape shape;
  int64_t elements = 0;
  int64_t element_bytes = 0;
  int64_t bytes() const { return elements * element_bytes; }
};

struct Kernel::Impl {
  std::string name;  // of the entry function
  std::string emitter;
  LaunchShape launch;
  int64_t num_functions = 0;
  std::vector<ThreadMap> thread_maps;
  hlo::EvaluationOrders evaluation_orders;
  int64_t unordered_terms = 0;
  // By output: the input that it starts as a copy of and is updated in place; -1: it is written.
  std::vector<int64_t> aliases;
  std::vector<int64_t> slices;               // by buffer, inputs first: Kernel::slices
  std::vector<hlo::Shape> parameter_shapes;  // as the computation has them
  hlo::Shape result_shape;
  std::vector<Buffer> inputs, outputs;  // leaf arrays; the entry takes them in this order
  // Owned here, single-threaded; the module must go first.
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_CODEGEN_KERNEL_IMPL_H_
