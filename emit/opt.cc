// affirm-opt: mlir-opt with the affirm dialect.
#include "emit/opt.h"

#include "emit/codegen/mlir_context.h"
#include "emit/transforms/passes.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

namespace affirm::emit {

int OptMain(int argc, char** argv) {
  mlir::DialectRegistry registry;
  InsertDialects(registry);
  RegisterPasses();
  mlir::registerCSEPass();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "affirm-opt: passes of the affirm dialect\n", registry));
}

}  // namespace affirm::emit
