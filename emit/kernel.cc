#include "emit/kernel.h"

#include <cctype>

#include "emit/codegen.h"
#include "emit/emitter.h"
#include "emit/entry_builder.h"
#include "emit/error.h"
#include "emit/flat_graph.h"
#include "emit/function_emitter.h"
#include "emit/ir/dialect.h"
#include "emit/kernel_impl.h"
#include "emit/lowering.h"
#include "emit/passes/exact_casts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"

namespace affirm::emit {
namespace {

// Letters, digits and underscores: what every assembler takes.
std::string SymbolOf(llvm::StringRef name) {
  std::string symbol;
  for (char c : name) symbol += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return symbol;
}

std::vector<Buffer> Buffers(llvm::ArrayRef<const hlo::Shape*> leaves) {
  std::vector<Buffer> buffers;
  for (const hlo::Shape* leaf : leaves) {
    buffers.push_back({*leaf, leaf->NumElements(), hlo::ByteWidth(leaf->type)});
  }
  return buffers;
}

// Every function of the partition, and the entry in front of them.
llvm::Error EmitModule(const FlatGraph& graph, const EmissionPlan& plan, Context& context,
                       const EmitOptions& options, Kernel::Impl& impl) {
  const Partition& partition = plan.partition;
  KernelParts parts{graph, partition, context, *impl.module, {}, {options.fault_constant}};
  // No name of libm or libclc ends like these.
  for (auto [k, subgraph] : llvm::enumerate(partition.subgraphs)) {
    parts.functions.emplace_back();
    if (subgraph.roots.empty()) continue;
    std::string name = impl.name + "_" + std::to_string(k) + "_" + SymbolOf(subgraph.name);
    llvm::Expected<mlir::func::FuncOp> function = DeclareFunction(parts, subgraph, name);
    if (!function) return function.takeError();
    parts.functions.back() = *function;
    ++impl.num_functions;
  }
  for (size_t k = 0; k < partition.subgraphs.size(); ++k) {
    if (!parts.functions[k]) continue;
    if (llvm::Error error = EmitFunction(parts, static_cast<int64_t>(k))) return error;
  }
  EntryBuilder entry(parts, impl.name, plan);
  if (llvm::Error error = plan.emit(entry)) return error;
  impl.slices = entry.Finish();
  ++impl.num_functions;
  return WithDiagnostics(*impl.context, "verifying the kernel",
                         [&] { return mlir::verify(*impl.module); });
}

}  // namespace

Kernel::Kernel(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Kernel::Kernel(Kernel&&) noexcept = default;
Kernel& Kernel::operator=(Kernel&&) noexcept = default;
Kernel::~Kernel() = default;

const std::string& Kernel::name() const { return impl_->name; }
const std::string& Kernel::emitter() const { return impl_->emitter; }
LaunchShape Kernel::launch() const { return impl_->launch; }
llvm::ArrayRef<int64_t> Kernel::slices() const { return impl_->slices; }
int64_t Kernel::num_functions() const { return impl_->num_functions; }
llvm::ArrayRef<ThreadMap> Kernel::thread_maps() const { return impl_->thread_maps; }
const hlo::FoldOrders& Kernel::fold_orders() const { return impl_->fold_orders; }
int64_t Kernel::unordered_terms() const { return impl_->unordered_terms; }

llvm::Expected<std::string> Kernel::Text(Target target, Stage stage,
                                         llvm::StringRef machine) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (stage == Stage::kMlir) {
    impl_->module->print(os);
    return text;
  }
  if (stage == Stage::kAsm || stage == Stage::kObject) {
    return MachineCode(*impl_, target, machine, stage == Stage::kObject);
  }
  llvm::LLVMContext context;
  llvm::Expected<std::unique_ptr<llvm::Module>> module = LowerToLlvm(*impl_, target, context);
  if (!module) return module.takeError();
  (*module)->print(os, nullptr);
  return text;
}

void InsertDialects(mlir::DialectRegistry& registry) {
  registry
      .insert<IndexDialect, mlir::DLTIDialect, ir::AffirmDialect, mlir::arith::ArithDialect,
              mlir::cf::ControlFlowDialect, mlir::complex::ComplexDialect, mlir::func::FuncDialect,
              mlir::gpu::GPUDialect, mlir::LLVM::LLVMDialect, mlir::math::MathDialect,
              mlir::scf::SCFDialect, mlir::tensor::TensorDialect, mlir::vector::VectorDialect>();
}

std::unique_ptr<mlir::MLIRContext> MakeMlirContext() {
  mlir::DialectRegistry registry;
  InsertDialects(registry);
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  auto context =
      std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  return context;
}

llvm::Error WithDiagnostics(mlir::MLIRContext& context, llvm::StringRef what,
                            llvm::function_ref<mlir::LogicalResult()> fn) {
  std::string messages;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic& diagnostic) {
    if (diagnostic.getSeverity() != mlir::DiagnosticSeverity::Error) return mlir::success();
    messages += (messages.empty() ? "" : "; ") + diagnostic.str();
    return mlir::success();
  });
  if (mlir::succeeded(fn())) return llvm::Error::success();
  return InvalidArgument(llvm::Twine(what) + " failed: " + messages);
}

llvm::Expected<Kernel> EmitKernel(const hlo::Computation& computation, Context& context,
                                  const EmitOptions& options) {
  llvm::Expected<FlatGraph> graph = Flatten(computation);
  if (!graph) return graph.takeError();
  for (const hlo::Shape* leaf : graph->output_leaves) {
    if (!leaf->IsArray()) return Unsupported(*computation.root, "a result isn't an array");
  }
  llvm::Expected<EmissionPlan> plan = PlanEmission(*graph, context, options);
  if (!plan) return plan.takeError();

  auto impl = std::make_unique<Kernel::Impl>();
  impl->name = SymbolOf(computation.name) + "_kernel";
  impl->emitter = plan->name;
  impl->launch = plan->launch;
  impl->thread_maps = plan->thread_maps;
  impl->fold_orders = plan->fold_orders;
  impl->unordered_terms = plan->unordered_terms;
  impl->aliases = plan->aliases;
  for (const hlo::Instruction* parameter : computation.parameters) {
    impl->parameter_shapes.push_back(parameter->shape);
  }
  impl->result_shape = computation.root->shape;
  impl->inputs = Buffers(graph->parameter_leaves);
  impl->outputs = Buffers(graph->output_leaves);
  impl->context = MakeMlirContext();
  impl->context->getLoadedDialect<ir::AffirmDialect>()->UseSymbols(context);
  impl->module = mlir::ModuleOp::create(mlir::UnknownLoc::get(impl->context.get()));
  if (llvm::Error error = EmitModule(*graph, *plan, context, options, *impl)) return error;
  return Kernel(std::move(impl));
}

}  // namespace affirm::emit
