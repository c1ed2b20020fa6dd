#include "verify/kernel/emulator/emulator.h"

#include <algorithm>

#include "core/symbolic/error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "verify/kernel/emulator/machine.h"
#include "verify/kernel/emulator/translate.h"
#include "verify/kernel/promises.h"
#include "verify/kernel/scalar_argument.h"

namespace affirm::kernel {
namespace {

// Elements of results that no thread wrote.
void ReportUnwritten(const Launch& launch, const std::vector<std::vector<uint8_t>>& marks,
                     std::vector<Finding>& findings) {
  for (auto [k, param] : llvm::enumerate(launch.params)) {
    if (param.role != Param::kOutput || marks[param.memory].empty()) continue;
    llvm::ArrayRef<uint8_t> bytes(marks[param.memory]);
    bytes = bytes.take_front(BytesOfElements(param));
    auto found = llvm::find_if(bytes, [](uint8_t mark) { return mark != kByteSpecified; });
    if (found == bytes.end()) continue;
    Finding finding;
    finding.claim = Claim::kWrites;
    finding.what = "an element is never written";
    finding.param = static_cast<int64_t>(k);
    finding.buffer = "parameter " + std::to_string(launch.PlaceOf(k)) +
                     (param.name.empty() ? "" : " (" + param.name + ")");
    finding.byte = found - bytes.begin();
    finding.element = finding.byte / std::max(hlo::ByteWidth(param.shape.type), 1);
    findings.push_back(std::move(finding));
  }
}

Finding PaddingChanged(size_t memory) {
  Finding finding;
  finding.claim = Claim::kBounds;
  finding.what =
      "the bytes behind the buffer of memory " + std::to_string(memory) + " were changed";
  return finding;
}

EmulatorRun RunMachine(const Program& program, const Launch& launch, const EmulatorOptions& options,
                       llvm::ArrayRef<DeviceMemory> memories) {
  Machine machine(program, launch, options);
  machine.Attach(memories);
  machine.Run();
  EmulatorRun run;
  run.codes = machine.codes;
  run.complete = !machine.stopped;
  run.blocks = machine.blocks_done;
  run.findings = std::move(machine.findings);
  run.shadows = machine.ShadowsOfMemories(memories.size());
  return run;
}

}  // namespace

void ConfirmUnspecified(EmulatorRun& run,
                        llvm::function_ref<EmulatorRun(EmulatorOptions::Unspecified)> again) {
  const auto is_open = [](const Finding& finding) {
    return finding.kind == Finding::Kind::kWrong && finding.unspecified;
  };
  if (llvm::none_of(run.findings, is_open)) return;
  const std::array others = {again(EmulatorOptions::Unspecified::kOnes),
                             again(EmulatorOptions::Unspecified::kInTurn)};
  for (Finding& finding : run.findings) {
    const auto is_same = [&](const Finding& one) {
      return one.claim == finding.claim && one.line == finding.line && one.block == finding.block &&
             one.thread == finding.thread && one.unspecified == finding.unspecified;
    };
    const bool depends = llvm::any_of(
        others, [&](const EmulatorRun& other) { return llvm::none_of(other.findings, is_same); });
    if (!is_open(finding) || depends) continue;
    finding.kind = Finding::Kind::kNotModelled;
    finding.what += ", and is the same where that has other bits";
  }
}

llvm::Error CheckFits(const KernelIr& ir, const Launch& launch) {
  if (llvm::Error error = CheckArguments(ir, launch)) return error;
  auto fail = [&](const llvm::Twine& message) {
    return MakeError(ir.where + ":1:1: error: " + message);
  };
  if (launch.grid[0] < 1) return fail("the launch does not say the grid");
  if (launch.threads[0] < 1) return fail("the launch does not say the threads of a block");
  return llvm::Error::success();
}

namespace {

// A pointer to a place behind the region of its buffer would be one into the next region.
llvm::Error CheckRegions(const KernelIr& ir, const Launch& launch) {
  constexpr auto kMostBytes = static_cast<int64_t>(kRegionStart) - kAllocationAlignment;
  for (auto [k, param] : llvm::enumerate(launch.params)) {
    if (param.bytes <= kMostBytes) continue;
    return MakeError(ir.where + ":1:1: error: not executed: parameter " +
                     llvm::Twine(launch.PlaceOf(k)) + " has " + llvm::Twine(param.bytes) +
                     " bytes, and a buffer of the emulator at most " + llvm::Twine(kMostBytes));
  }
  return llvm::Error::success();
}

}  // namespace

struct Emulator::Impl {
  Program program;
  Launch launch;
  std::vector<Finding> broken;  // promises of arguments, whatever runs

  void AddBroken(Claim claim, const std::string& what) {
    Finding finding;
    finding.claim = claim;
    finding.what = what;
    broken.push_back(std::move(finding));
  }
};

Emulator::Emulator(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Emulator::Emulator(Emulator&&) noexcept = default;
Emulator& Emulator::operator=(Emulator&&) noexcept = default;
Emulator::~Emulator() = default;

llvm::Expected<Emulator> Emulator::Create(const KernelIr& ir, const Launch& launch, Watch watch) {
  if (llvm::Error error = CheckFits(ir, launch)) return error;
  if (const ScalarParam* open = launch.FindOpenScalar()) {
    return MakeError(open->where + ": error: parameter " + llvm::Twine(open->place) +
                     " has a range, expected the value that it is run with");
  }
  if (llvm::Error error = CheckRegions(ir, launch)) return error;
  auto impl = std::make_unique<Impl>();
  llvm::Expected<Program> program = Translate(
      ir, kFirstRegion + static_cast<uint64_t>(launch.NumMemories()), watch == Watch::kAccesses);
  if (!program) return program.takeError();
  impl->program = std::move(*program);
  impl->launch = launch;
  for (const llvm::Argument& argument : ir.kernel->args()) {
    const Param* param = ParamOf(argument, launch);
    impl->program.alignments.push_back(param != nullptr ? AlignmentOf(argument, *param) : 1);
  }
  for (const std::string& broken : BrokenPromises(ir, launch))
    impl->AddBroken(Claim::kBounds, broken);
  for (const ScalarParam& scalar : launch.scalars)
    impl->program.scalars[static_cast<size_t>(scalar.argument)] = {scalar.lo, 0};
  for (const BrokenScalarPromise& broken : BrokenScalarPromises(ir, launch)) {
    if (broken.is_undefined) impl->AddBroken(Claim::kIntegers, broken.text);
    impl->program.scalars[broken.argument] = {0, MakeMark(kPoison, 0)};
  }
  return Emulator(std::move(impl));
}

EmulatorRun Emulator::Run(std::vector<std::vector<uint8_t>>& memories,
                          const EmulatorOptions& options) const {
  const Launch& launch = impl_->launch;
  std::vector<int64_t> sizes(memories.size(), 0);
  std::vector<bool> starts(memories.size(), false);  // with something
  for (const Param& param : launch.params) {
    sizes[param.memory] = param.bytes;
    if (param.role == Param::kInput || param.starts_as) starts[param.memory] = true;
  }
  for (const Param& param : launch.params) {
    if (!param.starts_as) continue;
    const int64_t from = launch.params[*param.starts_as].memory;
    if (from != param.memory) memories[param.memory] = memories[from];
  }
  std::vector<std::vector<uint8_t>> marks(memories.size());
  for (size_t k = 0; k < memories.size(); ++k) {
    memories[k].resize(sizes[k]);
    const auto allocated =
        static_cast<int64_t>(llvm::alignTo(std::max<int64_t>(sizes[k], 1), kAllocationAlignment));
    memories[k].resize(allocated, kPaddingByte);
    if (!starts[k]) {
      if (HoldsOnes(options)) std::fill_n(memories[k].begin(), sizes[k], kOtherByte);
      marks[k].assign(sizes[k], kByteUnspecified);
      marks[k].resize(allocated, kByteSpecified);
    }
  }
  std::vector<DeviceMemory> attached;
  attached.reserve(memories.size());
  for (size_t k = 0; k < memories.size(); ++k) {
    attached.push_back({.data = memories[k].data(),
                        .marks = marks[k].empty() ? nullptr : marks[k].data(),
                        .allocated = static_cast<int64_t>(memories[k].size())});
  }
  EmulatorRun run = RunMachine(impl_->program, launch, options, attached);
  run.findings.insert(run.findings.begin(), impl_->broken.begin(), impl_->broken.end());
  for (size_t k = 0; k < memories.size(); ++k) {
    auto padding = llvm::ArrayRef(memories[k]).drop_front(sizes[k]);
    if (llvm::any_of(padding, [](uint8_t byte) { return byte != kPaddingByte; })) {
      run.findings.push_back(PaddingChanged(k));
    }
    memories[k].resize(sizes[k]);
  }
  if (run.complete && options.blocks.empty()) ReportUnwritten(launch, marks, run.findings);
  return run;
}

EmulatorRun Emulator::Run(llvm::ArrayRef<SparseMemory*> memories,
                          const EmulatorOptions& options) const {
  std::vector<DeviceMemory> attached;
  for (SparseMemory* memory : memories) {
    if (HoldsOnes(options)) memory->HoldUnspecified(kOtherByte);
    attached.push_back({.allocated = memory->allocated(), .sparse = memory});
  }
  EmulatorRun run = RunMachine(impl_->program, impl_->launch, options, attached);
  run.findings.insert(run.findings.begin(), impl_->broken.begin(), impl_->broken.end());
  for (size_t k = 0; k < memories.size(); ++k) {
    if (memories[k]->IsPaddingChanged()) run.findings.push_back(PaddingChanged(k));
  }
  return run;
}

}  // namespace affirm::kernel
