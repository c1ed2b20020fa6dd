// The kernels of a module, each as it is launched for an instruction of the schedule.
#include <map>
#include <memory>
#include <set>

#include "core/symbolic/error.h"
#include "driver/buffers/passed_buffers.h"
#include "driver/dump/call_kernels.h"
#include "driver/dump/constants.h"
#include "driver/dump/dump.h"
#include "driver/dump/launch_builder.h"
#include "driver/dump/scheduled_work.h"
#include "driver/dump/slice_copies.h"
#include "driver/errors.h"
#include "driver/input.h"
#include "driver/parallel.h"
#include "driver/validate/instructions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"
#include "verify/kernel/emulator/emulator.h"
#include "verify/kernel/kernel_names.h"
#include "verify/kernel/promises.h"

namespace affirm::driver {

using hlo::Instruction;

namespace {

// The state that the checks of all kernels of a module share.
struct KernelContext {
  std::string file;  // of the module
  std::unique_ptr<hlo::Module> module;
  std::optional<BufferAssignment> buffers;
  std::map<std::string, std::string> paths;  // of functions to LLVM IR
  std::set<std::string> ambiguous;           // functions that files define in two ways
  std::vector<Uncovered> unread;             // files without a kernel

  const BufferAssignment* known_buffers() const { return buffers ? &*buffers : nullptr; }
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

// Whether the launch has the threads and blocks that the kernel requires.
llvm::Error CheckSizes(const kernel::KernelIr& ir, const KernelLaunch& launch) {
  kernel::Launch sizes;
  sizes.grid = launch.grid;
  sizes.threads = launch.threads;
  const std::vector<std::string> broken = kernel::BrokenRequirements(ir, sizes);
  return broken.empty() ? llvm::Error::success() : MakeError(broken.front());
}

llvm::Expected<kernel::KernelIr> ReadKernel(const KernelContext& context,
                                            const KernelLaunch& launch, const std::string& path) {
  if (context.ambiguous.contains(launch.kernel))
    return MakeError("several files define this kernel, each in another way");
  auto text = ReadInput(path, "a kernel as LLVM IR");
  if (!text) return text.takeError();
  auto ir = kernel::ReadKernelIr(text->text, text->name, launch.kernel);
  if (!ir) return ir.takeError();
  if (llvm::Error error = CheckSizes(*ir, launch)) return error;
  return ir;
}

llvm::Error CheckKernel(const KernelContext& context, const ScheduledKernel& scheduled,
                        const DumpOptions& options, KernelRow& row) {
  const Instruction& op = *scheduled.instruction;
  row.path = context.paths.at(scheduled.launch.kernel);
  auto ir = ReadKernel(context, scheduled.launch, row.path);
  if (!ir) return ir.takeError();
  // The kernel of a fusion, or of one instruction or a call, as XLA:CPU has some.
  std::unique_ptr<hlo::Module> alone;
  const bool fused = op.opcode == hlo::Opcode::kFusion && !op.called.empty();
  const bool call = op.opcode == hlo::Opcode::kCall && !op.called.empty();
  if (!fused && !call) alone = ModuleOf(op);
  const hlo::Computation& computation = alone ? *alone->entry : *op.called.front();
  LaunchBuilder builder(scheduled.launch, context.known_buffers());
  for (const Instruction* operand : op.operands) {
    if (llvm::Error error = builder.Add(*operand, kernel::Param::kInput)) return error;
  }
  if (llvm::Error error = builder.Add(op, kernel::Param::kOutput)) return error;
  const int64_t copies = scheduled.copies > 0 ? builder.StartAsOperands(*computation.root) : 0;
  if (copies != scheduled.copies) {
    return MakeError("runs behind " + llvm::Twine(scheduled.copies) + " copies, expected " +
                     llvm::Twine(copies));
  }
  if (call && !context.buffers) return MakeError("is the kernel of a call, without its buffers");
  if (call) {
    if (llvm::Error error = TakeParameters(op, *context.buffers, builder.of_params(), *ir))
      return error;
  }
  KernelSubject subject{&computation, &*ir, builder.Finish()};
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

bool HasContent(const std::string& path, llvm::StringRef content) {
  auto text = ReadInput(path, "LLVM IR");
  if (text) return text->text == content;
  llvm::consumeError(text.takeError());
  return false;
}

void AddKernelFile(const std::string& path, KernelContext& context) {
  const std::string file = llvm::sys::path::filename(path).str();
  auto text = ReadInput(path, "LLVM IR");
  auto kernels = text ? kernel::KernelNames(text->text, text->name)
                      : llvm::Expected<std::vector<std::string>>(text.takeError());
  if (!kernels) {
    context.unread.push_back({file, MessageOf(kernels.takeError())});
  } else if (kernels->empty()) {
    context.unread.push_back({file, file + ", LLVM IR without a kernel"});
  } else {
    for (const std::string& kernel : *kernels) {
      auto [known, fresh] = context.paths.emplace(kernel, path);
      if (!fresh && !HasContent(known->second, text->text)) context.ambiguous.insert(kernel);
    }
  }
}

llvm::Expected<KernelContext> ContextOf(const ModuleFiles& module) {
  if (module.optimized.empty()) return MakeError("the dump has no HLO after optimizations");
  auto optimized = ReadOneModule(module.optimized, UnknownOpcodes::kAllow);
  if (!optimized) return optimized.takeError();
  KernelContext context;
  context.file = module.optimized;
  context.module = std::move(*optimized);
  if (!module.buffers.empty()) {
    auto text = ReadInput(module.buffers, "a buffer assignment");
    if (!text) return text.takeError();
    context.buffers.emplace(text->text);
  }
  for (const std::string& path : module.kernels) AddKernelFile(path, context);
  return context;
}

std::vector<std::string> FunctionsOf(const KernelContext& context) {
  std::vector<std::string> functions;
  functions.reserve(context.paths.size());
  for (const auto& [function, path] : context.paths) functions.push_back(function);
  return functions;
}

// Matches the thunks of a file with the schedule.
llvm::Expected<ScheduledWork> WorkOfThunks(const KernelContext& context, const std::string& file,
                                           const std::string& metadata) {
  auto sequence = ReadInput(file, "a thunk sequence");
  if (!sequence) return sequence.takeError();
  std::string names;
  if (!metadata.empty()) {
    auto text = ReadInput(metadata, "the metadata of thunks");
    if (!text) return text.takeError();
    names = text->text;
  }
  auto thunks = ParseThunks(sequence->text, names);
  if (!thunks) return MakeError(file + ": " + MessageOf(thunks.takeError()));
  return MatchThunks(*context.module, context.known_buffers(), *thunks);
}

// Finds the work of the schedule. The thunks as they were made and as passes left them have to run
// it both.
ScheduledWork WorkOf(const KernelContext& context, const ModuleFiles& module) {
  if (module.on_cpu) return WorkOnCpu(*context.module, FunctionsOf(context));
  std::optional<ScheduledWork> all;
  for (const std::string& file : {module.thunks, module.thunks_after_passes}) {
    if (file.empty()) continue;
    auto work = WorkOfThunks(context, file, module.thunk_names);
    if (!work) {
      ScheduledWork none;
      none.not_covered.push_back({"thunks", MessageOf(work.takeError())});
      return none;
    }
    if (!all) {
      all = std::move(*work);
      continue;
    }
    all->Add(std::move(*work));
  }
  if (all) return std::move(*all);
  ScheduledWork none;
  none.not_covered.push_back({"thunks", "what runs: the dump has no thunk sequence"});
  return none;
}

// Copies of slices: what is decided of them is a row, and what is not is not covered.
void CheckCopies(const KernelContext& context, const ScheduledWork& work, DumpModule& result) {
  if (work.slices.empty()) return;
  std::vector<std::string> fusions;
  fusions.reserve(work.slices.size());
  for (const Instruction* fusion : work.slices) fusions.push_back(fusion->name);
  const BufferAssignment none;
  for (SliceCopy& copy :
       CheckSliceCopies(*context.module, context.buffers ? *context.buffers : none, fusions)) {
    copy.module = result.name;
    copy.where.file = context.file;
    if (copy.verdict == Verdict::kUnknown) {
      result.not_covered.push_back(
          {copy.instruction, "copy '" + copy.instruction + "': " + copy.reason});
    } else {
      if (!copy.is_all) {
        const Instruction& fusion = *context.module->FindInstruction(copy.instruction);
        result.not_covered.push_back(
            {NameOfWork(fusion), "'" + copy.instruction + "', which is more than a copy"});
      }
      result.copies.push_back(std::move(copy));
    }
  }
}

bool IsScheduled(const hlo::Module& module) {
  return llvm::is_contained(module.extra_attributes,
                            std::pair<std::string, std::string>("is_scheduled", "true"));
}

// Reports work beside the kernels, and whether the order and the buffers are right.
void CheckSchedule(const KernelContext& context, const ModuleFiles& files, ScheduledWork& work,
                   DumpModule& result) {
  result.scheduled = work.instructions;
  llvm::append_range(result.not_covered, context.unread);
  llvm::append_range(result.not_covered, work.not_covered);
  llvm::append_range(result.faults, work.faults);
  if (work.instructions > 0 && !IsScheduled(*context.module))
    result.faults.push_back("the optimized HLO does not say that its order is the schedule");
  CheckCopies(context, work, result);
  ConstantRows constants = CheckConstants(*context.module, context.known_buffers(), files);
  result.constants = std::move(constants.rows);
  llvm::append_range(result.not_covered, constants.not_covered);
  if (context.buffers) {
    result.buffers = CheckBufferLives(*context.module, *context.buffers);
    llvm::append_range(result.faults, CheckPassedBuffers(*context.module, *context.buffers));
  } else if (work.instructions > 0) {
    result.not_covered.push_back(
        {"buffers", "which arrays share memory: the dump has no buffer assignment"});
  }
}

// A kernel that no instruction runs may be one that was meant for another one.
std::vector<Uncovered> UnusedKernels(const KernelContext& context, const ScheduledWork& work) {
  std::set<std::string> run;
  for (const ScheduledKernel& kernel : work.kernels) run.insert(kernel.launch.kernel);
  std::vector<Uncovered> unused;
  for (const auto& [function, path] : context.paths) {
    if (run.contains(function)) continue;
    unused.push_back({function, "kernel " + function + " of " +
                                    llvm::sys::path::filename(path).str() +
                                    ", which no instruction runs"});
  }
  return unused;
}

}  // namespace

void CheckKernels(const ModuleFiles& module, const DumpOptions& options,
                  llvm::function_ref<void(const std::string&)> progress, DumpModule& result) {
  auto context = ContextOf(module);
  if (!context) {
    result.not_covered.push_back({"kernels", "kernels: " + MessageOf(context.takeError())});
    return;
  }
  for (const std::string& other : module.other_optimized) {
    result.not_covered.push_back({"kernels", "kernels of " +
                                                 llvm::sys::path::filename(other).str() +
                                                 ", which is HLO after optimizations, too"});
  }
  for (const std::string& other : module.other_buffers) {
    result.not_covered.push_back({"buffers", "which arrays share memory by " +
                                                 llvm::sys::path::filename(other).str() +
                                                 ", which is a buffer assignment, too"});
  }
  ScheduledWork work = WorkOf(*context, module);
  const bool all = options.only_kernel.empty();
  if (all) {
    CheckSchedule(*context, module, work, result);
    llvm::append_range(result.not_covered, UnusedKernels(*context, work));
  }
  std::vector<const ScheduledKernel*> chosen;
  for (const ScheduledKernel& kernel : work.kernels) {
    const std::string& name = kernel.launch.kernel;
    if (!all && options.only_kernel != name) continue;
    if (context->paths.contains(name)) {
      chosen.push_back(&kernel);
    } else {
      result.not_covered.push_back(
          {name, "kernel " + name + " of '" + kernel.instruction->name +
                     "': the dump has no LLVM IR of it (from jaxlib 0.8.2 on "
                     "--xla_dump_emitter_re=llvm dumps it)"});
    }
  }
  OrderedParallelFor<KernelRow>(
      options.jobs, static_cast<int64_t>(chosen.size()),
      [&](int64_t k) {
        const Instruction& op = *chosen[k]->instruction;
        KernelRow row{.module = module.name,
                      .kernel = chosen[k]->launch.kernel,
                      .instruction = op.name,
                      .where = {context->file, op.location.line, op.location.column}};
        if (llvm::Error error = CheckKernel(*context, *chosen[k], options, row))
          row.reason = MessageOf(std::move(error));
        return row;
      },
      [&](KernelRow& row) {
        progress(module.name + ": kernel " + row.kernel);
        result.kernels.push_back(std::move(row));
      });
}

}  // namespace affirm::driver
