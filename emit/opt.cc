// affirm-opt: mlir-opt with the affirm dialect.
#include "emit/opt.h"

#include "emit/codegen/mlir_context.h"
#include "emit/transforms/exact_casts.h"
#include "emit/transforms/exact_text.h"
#include "emit/transforms/passes.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

namespace affirm::emit {
namespace {

int Fail(llvm::StringRef message) {
  llvm::errs() << "affirm-opt: error: " << message << "\n";
  return EXIT_FAILURE;
}

}  // namespace

int OptMain(int argc, char** argv) {
  llvm::InitLLVM init(argc, argv);
  mlir::DialectRegistry registry;
  InsertDialects(registry);
  RegisterPasses();
  mlir::registerCSEPass();
  auto [input_name, output_name] = mlir::registerAndParseCLIOptions(
      argc, argv, "affirm-opt: passes of the affirm dialect\n", registry);
  const auto config = mlir::MlirOptMainConfig::createFromCLOptions();
  auto passes = mlir::MlirOptMainConfig::createFromCLOptions();
  passes.setPassPipelineSetupFn([&config](mlir::PassManager& pm) {
    pm.addPass(CreateReadExactPass());
    return config.setupPassPipeline(pm);
  });
  std::string problem;
  std::unique_ptr<llvm::MemoryBuffer> input = mlir::openInputFile(input_name, &problem);
  if (!input) return Fail(problem);
  std::unique_ptr<llvm::ToolOutputFile> output = mlir::openOutputFile(output_name, &problem);
  if (!output) return Fail(problem);
  auto text = llvm::MemoryBuffer::getMemBufferCopy(ExactAsAttribute(input->getBuffer()),
                                                   input->getBufferIdentifier());
  if (mlir::failed(mlir::MlirOptMain(output->os(), std::move(text), registry, passes))) {
    return EXIT_FAILURE;
  }
  output->keep();
  return EXIT_SUCCESS;
}

}  // namespace affirm::emit
