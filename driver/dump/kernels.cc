// The kernels of a module, each as it is launched for a fusion.
#include <map>
#include <memory>
#include <set>

#include "core/hlo/leaves.h"
#include "core/symbolic/error.h"
#include "driver/buffers/buffer_assignment.h"
#include "driver/dump/call_kernels.h"
#include "driver/dump/cpu_launches.h"
#include "driver/dump/dump.h"
#include "driver/dump/slice_copies.h"
#include "driver/dump/thunks.h"
#include "driver/errors.h"
#include "driver/input.h"
#include "driver/parallel.h"
#include "driver/validate/instructions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "verify/kernel/emulator/emulator.h"

namespace affirm::driver {

using hlo::Instruction;

namespace {

// What all kernels of a module are made from.
struct KernelContext {
  std::string file;  // of the module
  std::unique_ptr<hlo::Module> module;
  std::optional<BufferAssignment> buffers;
  std::map<std::string, std::string> paths;  // of functions to LLVM IR
  std::set<std::string> copied;  // instructions that a copy is launched for, before their kernel
  std::map<std::string, std::set<std::string>> kernels_of;  // instructions
};

// The functions of a text of LLVM IR that are kernels: of a GPU, or those of XLA:CPU, which take a
// call frame.
std::vector<std::string> KernelsOf(llvm::StringRef text) {
  std::vector<std::string> kernels;
  const bool has_frames = text.contains("%XLA_CPU_KernelCallFrame = type");
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    text = rest;
    const bool of_gpu = line.starts_with("define ") &&
                        (line.contains(" ptx_kernel ") || line.contains(" amdgpu_kernel "));
    const bool of_cpu = has_frames && line.starts_with("define ptr @") && line.contains("(ptr %0)");
    if (!of_gpu && !of_cpu) continue;
    llvm::StringRef name = line.split('@').second;
    name = name.consume_front("\"") ? name.split('"').first : name.split('(').first;
    kernels.push_back(name.str());
  }
  return kernels;
}

// Copies of slices: what is decided of them is a row, and what is not is not covered. Gives the
// fusions that are decided, with whether there is nothing else in them.
std::map<std::string, bool> CheckCopies(const KernelContext& context, const Thunks& thunks,
                                        DumpModule& result) {
  std::vector<std::string> fusions;
  for (const OtherThunk& thunk : thunks.others) {
    const bool named = thunk.kind == "kDynamicSliceFusion" && !thunk.instruction.empty();
    if (named && !llvm::is_contained(fusions, thunk.instruction))
      fusions.push_back(thunk.instruction);
  }
  std::map<std::string, bool> decided;
  if (fusions.empty()) return decided;
  const BufferAssignment none;
  for (SliceCopy& copy :
       CheckSliceCopies(*context.module, context.buffers ? *context.buffers : none, fusions)) {
    copy.module = result.name;
    copy.where.file = context.file;
    if (copy.verdict == Verdict::kUnknown) {
      result.not_covered.push_back("copy '" + copy.instruction + "': " + copy.reason);
      continue;
    }
    decided[copy.instruction] = copy.is_all;
    result.copies.push_back(std::move(copy));
  }
  return decided;
}

// A name as a function has it.
std::string Sanitized(llvm::StringRef name) {
  std::string text;
  for (char c : name) text += llvm::isAlnum(c) || c == '_' ? c : '_';
  return text;
}

const Instruction* InstructionOf(const hlo::Module& module, const KernelThunk& thunk) {
  if (!thunk.instruction.empty()) {
    if (const Instruction* op = module.FindInstruction(thunk.instruction)) return op;
  }
  for (const auto& computation : module.computations) {
    for (const auto& op : computation->instructions) {
      if (Sanitized(op->name) == thunk.kernel) return op.get();
    }
  }
  return nullptr;
}

// Leaves with their buffers; those at one place are one memory.
class LaunchBuilder {
 public:
  LaunchBuilder(const KernelThunk& thunk, const BufferAssignment* buffers) : buffers_(buffers) {
    launch_.kernel = thunk.kernel;
    launch_.grid = thunk.grid;
    launch_.threads = thunk.threads;
    launch_.shared_bytes = thunk.shared_bytes;
  }

  llvm::Error Add(const Instruction& op, kernel::Param::Role role) {
    for (const hlo::LeafRef& leaf : hlo::Leaves(op.shape)) {
      auto dense = hlo::CheckedByteSize(*leaf.shape);
      if (!leaf.shape->IsArray() || !dense)
        return MakeError("a kernel has no parameter of shape " + leaf.shape->ToString());
      kernel::Param param;
      param.name = op.name + (op.shape.IsTuple() ? "{" + std::to_string(leaf.index) + "}" : "");
      param.shape = *leaf.shape;
      param.role = role;
      param.bytes = *dense;
      BufferSlice slice;
      if (buffers_ != nullptr) {
        auto found = buffers_->Find(op, leaf.index);
        if (!found) return MakeError("the buffer assignment has no buffer of " + param.name);
        slice = *found;
        param.bytes = slice.size;
      } else {
        slice = {static_cast<int64_t>(slices_.size()), 0, param.bytes};
      }
      if (llvm::Error error = Place(slice, param)) return error;
      of_params_.push_back(slice);
      launch_.params.push_back(std::move(param));
    }
    return llvm::Error::success();
  }

  // Of an operation that works in place on a copy of its operand: each result of the fusion starts
  // as the operand that it is a new version of.
  void StartAsOperands(const Instruction& fusion) {
    const Instruction& root = *fusion.called.front()->root;
    const bool in_place = root.opcode == hlo::Opcode::kSort ||
                          root.opcode == hlo::Opcode::kScatter ||
                          root.opcode == hlo::Opcode::kDynamicUpdateSlice;
    if (!in_place) return;
    size_t result = 0;
    for (kernel::Param& param : launch_.params) {
      if (param.role != kernel::Param::kOutput || result >= root.operands.size()) continue;
      const Instruction& operand = *root.operands[result++];
      if (operand.opcode != hlo::Opcode::kParameter) continue;
      // Operands of the fusion are arrays, so that they are the first parameters of the launch.
      const int64_t from = operand.parameter_number;
      if (launch_.params[from].memory != param.memory) param.starts_as = from;
    }
  }

  // Where the parameters lie.
  llvm::ArrayRef<BufferSlice> of_params() const { return of_params_; }

  kernel::Launch Finish() {
    // One memory has one size.
    for (kernel::Param& param : launch_.params) {
      for (const kernel::Param& other : launch_.params) {
        if (other.memory == param.memory) param.bytes = std::max(param.bytes, other.bytes);
      }
    }
    return std::move(launch_);
  }

 private:
  llvm::Error Place(const BufferSlice& slice, kernel::Param& param) {
    for (size_t k = 0; k < slices_.size(); ++k) {
      const bool together =
          slices_[k].allocation == slice.allocation && slices_[k].offset == slice.offset;
      if (together) {
        param.memory = static_cast<int64_t>(k);
        return llvm::Error::success();
      }
      // Operands may be parts of each other; what is written may not.
      if (Overlap(slices_[k], slice) && param.role == kernel::Param::kOutput)
        return MakeError(param.name + " lies across the buffer of another parameter");
    }
    param.memory = static_cast<int64_t>(slices_.size());
    slices_.push_back(slice);
    return llvm::Error::success();
  }

  const BufferAssignment* buffers_;
  kernel::Launch launch_;
  std::vector<BufferSlice> slices_, of_params_;
};

int64_t ElementsOf(const kernel::Launch& launch) {
  int64_t elements = 0;
  for (const kernel::Param& param : launch.params) elements += param.shape.NumElements();
  return elements;
}

// The instruction alone, its operands parameters; it calls what `op` calls.
std::unique_ptr<hlo::Module> ModuleOf(const Instruction& op) {
  auto module = std::make_unique<hlo::Module>();
  module->name = op.name;
  module->computations.push_back(std::make_unique<hlo::Computation>());
  hlo::Computation& entry = *module->computations.back();
  entry.name = op.name;
  entry.module = module.get();
  entry.is_entry = true;
  module->entry = &entry;
  auto root = hlo::CopyOf(op);
  for (const auto& [k, operand] : llvm::enumerate(op.operands)) {
    auto parameter = std::make_unique<Instruction>();
    parameter->name = "p" + std::to_string(k);
    parameter->opcode = hlo::Opcode::kParameter;
    parameter->opcode_text = "parameter";
    parameter->shape = operand->shape;
    parameter->parameter_number = static_cast<int64_t>(k);
    root->operands.push_back(entry.Add(std::move(parameter)));
  }
  entry.root = entry.Add(std::move(root));
  return module;
}

llvm::Error CheckLaunchOf(const KernelContext& context, const KernelThunk& thunk,
                          const DumpOptions& options, KernelRow& row) {
  const Instruction* op = InstructionOf(*context.module, thunk);
  if (op == nullptr) return MakeError("the optimized HLO has no instruction of this kernel");
  row.instruction = op->name;
  row.where = {context.file, op->location.line, op->location.column};
  // The stages of a large sort, of which none is the whole instruction.
  if (auto all = context.kernels_of.find(thunk.instruction);
      all != context.kernels_of.end() && all->second.size() > 1) {
    return MakeError("is one of " + llvm::Twine(all->second.size()) +
                     " kernels that are one instruction together");
  }
  // Of a fusion, or of one instruction or a call, as XLA:CPU has some.
  std::unique_ptr<hlo::Module> alone;
  const bool fused = op->opcode == hlo::Opcode::kFusion && !op->called.empty();
  const bool call = op->opcode == hlo::Opcode::kCall && !op->called.empty();
  if (!fused && !call) alone = ModuleOf(*op);
  LaunchBuilder builder(thunk, context.buffers ? &*context.buffers : nullptr);
  for (const Instruction* operand : op->operands) {
    if (llvm::Error error = builder.Add(*operand, kernel::Param::kInput)) return error;
  }
  if (llvm::Error error = builder.Add(*op, kernel::Param::kOutput)) return error;
  if (fused && context.copied.contains(op->name)) builder.StartAsOperands(*op);
  auto path = context.paths.find(thunk.kernel);
  if (path == context.paths.end())
    return MakeError(
        "the dump has no LLVM IR of this kernel (--xla_dump_emitter_re=llvm dumps it)");
  row.path = path->second;
  auto text = ReadInput(path->second, "a kernel as LLVM IR");
  if (!text) return text.takeError();
  auto ir = kernel::ReadKernelIr(text->text, text->name, thunk.kernel);
  if (!ir) return ir.takeError();
  if (call && !context.buffers) return MakeError("is the kernel of a call, without its buffers");
  if (call) {
    if (llvm::Error error = TakeParameters(*op, *context.buffers, builder.of_params(), *ir))
      return error;
  }
  KernelSubject subject{alone ? alone->entry : op->called.front(), &*ir, builder.Finish()};
  if (llvm::Error error = kernel::CheckLaunch(subject.launch, row.path)) return error;
  if (llvm::Error error = CheckSubject(subject)) return error;
  if (llvm::Error error = kernel::CheckFits(*ir, subject.launch)) return error;
  ValidateOptions validate;
  validate.seed = options.seed;
  constexpr int64_t kProductsOfElement = 4;  // that take as long as an element does
  if (ElementsOf(subject.launch) + ProductsOf(*subject.computation) / kProductsOfElement >
      options.most_elements) {
    validate.execution = ValidateOptions::Execution::kSample;
  }
  row.validation = Validate(subject, validate);
  row.verdict = row.validation->verdict;
  for (const ClaimResult& claim : row.validation->claims) {
    if (claim.verdict != row.verdict || row.verdict == Verdict::kProved) continue;
    row.reason = std::string(kernel::Name(claim.claim)) + ": " + claim.reason;
    break;
  }
  if (options.on_kernel) options.on_kernel(row, subject);
  return llvm::Error::success();
}

llvm::Expected<KernelContext> ContextOf(const ModuleFiles& module) {
  if (module.optimized.empty()) return MakeError("the dump has no HLO after optimizations");
  auto modules = ReadModules(module.optimized, UnknownOpcodes::kAllow);
  if (!modules) return modules.takeError();
  KernelContext context;
  context.file = module.optimized;
  context.module = std::move(modules->front());
  if (!module.buffers.empty()) {
    auto text = ReadInput(module.buffers, "a buffer assignment");
    if (!text) return text.takeError();
    context.buffers.emplace(text->text);
  }
  for (const std::string& path : module.kernels) {
    auto text = ReadInput(path, "LLVM IR");
    if (!text) return text.takeError();
    for (const std::string& kernel : KernelsOf(text->text)) context.paths.emplace(kernel, path);
  }
  return context;
}

std::vector<std::string> FunctionsOf(const KernelContext& context) {
  std::vector<std::string> functions;
  functions.reserve(context.paths.size());
  for (const auto& [function, path] : context.paths) functions.push_back(function);
  return functions;
}

std::string TextOrNothing(const std::string& path) {
  if (path.empty()) return "";
  auto text = ReadInput(path, "a dump");
  if (text) return text->text;
  llvm::consumeError(text.takeError());
  return "";
}

}  // namespace

void CheckKernels(const ModuleFiles& module, const DumpOptions& options,
                  llvm::function_ref<void(const std::string&)> progress, DumpModule& result) {
  auto context = ContextOf(module);
  if (!context) {
    result.not_covered.push_back("kernels: " + MessageOf(context.takeError()));
    return;
  }
  if (context->buffers && options.only_kernel.empty())
    result.buffers = CheckBufferLives(*context->module, *context->buffers);
  const bool on_cpu = llvm::StringRef(module.optimized).contains("cpu_after_optimizations");
  Thunks thunks = ParseThunks(TextOrNothing(module.thunks), TextOrNothing(module.thunk_names));
  if (on_cpu) {
    thunks = LaunchesOnCpu(*context->module, FunctionsOf(*context));
  } else if (module.thunks.empty() && !module.kernels.empty()) {
    result.not_covered.push_back(std::to_string(module.kernels.size()) +
                                 " kernels: no thunk sequence says how they are launched");
  }
  std::map<std::string, bool> decided;
  if (options.only_kernel.empty()) decided = CheckCopies(*context, thunks, result);
  std::map<std::string, int64_t> others;
  for (const OtherThunk& thunk : thunks.others) {
    const bool is_slices = thunk.kind == "kDynamicSliceFusion";
    auto of = decided.find(is_slices ? thunk.instruction : thunk.within);
    if (of == decided.end() || (!is_slices && !of->second)) ++others[thunk.kind];
  }
  for (const OtherThunk& thunk : thunks.others) {
    if (thunk.kind == "kCopy" && !thunk.instruction.empty())
      context->copied.insert(thunk.instruction);
  }
  for (const KernelThunk& thunk : thunks.kernels) {
    if (!thunk.instruction.empty()) context->kernels_of[thunk.instruction].insert(thunk.kernel);
  }
  for (const auto& [kind, count] : others)
    result.not_covered.push_back(std::to_string(count) + " of " + kind + ", which is no kernel");
  std::vector<const KernelThunk*> chosen;
  for (const KernelThunk& thunk : thunks.kernels) {
    if (options.only_kernel.empty() || options.only_kernel == thunk.kernel)
      chosen.push_back(&thunk);
  }
  OrderedParallelFor<KernelRow>(
      options.jobs, static_cast<int64_t>(chosen.size()),
      [&](int64_t k) {
        KernelRow row{.module = module.name,
                      .kernel = chosen[k]->kernel,
                      .instruction = chosen[k]->instruction};
        if (llvm::Error error = CheckLaunchOf(*context, *chosen[k], options, row))
          row.reason = MessageOf(std::move(error));
        return row;
      },
      [&](KernelRow& row) {
        progress(module.name + ": kernel " + row.kernel);
        result.kernels.push_back(std::move(row));
      });
}

}  // namespace affirm::driver
