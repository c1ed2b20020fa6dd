// The kernels of a module: each writes every element of its results once, and its LLVM IR is proved
// to compute what it stands for. How the module is to be run follows from that and from its size.
#include <algorithm>

#include "core/analysis/loops/carried_maps.h"
#include "driver/check/kernel_checker.h"
#include "driver/check/kernels_together.h"
#include "driver/check/module_size.h"
#include "driver/errors.h"
#include "driver/open_sorts.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "verify/equivalence/same_structure.h"

namespace affirm::driver {
namespace {

void CheckThreadMaps(State& state, const FusedComputation& part, const emit::Kernel& kernel,
                     KernelCheck& check) {
  for (const emit::ThreadMap& map : kernel.thread_maps()) {
    state.progress("thread map of " + part.name);
    Proof proof = ProofOf(ProveBijection(map.map, map.shape, state.options().decide), map.map);
    if (proof.verdict == Verdict::kProved) {
      CertifyBijection(state, part.name + ".threads" + std::to_string(check.thread_maps.size()),
                       map.map, map.shape);
    }
    std::vector<std::string> sizes;
    sizes.reserve(map.shape.size());
    for (int64_t size : map.shape) sizes.push_back(std::to_string(size));
    std::string sizes_text = llvm::join(sizes, ",");
    state.RecordProof(proof, "thread-map",
                      "thread map of '" + part.name +
                          "' does not send one thread to each element of " + map.what + ", [" +
                          sizes_text + "]",
                      "affirm bijection '" + map.map.ToString() + "' --shape " + sizes_text);
    check.thread_maps.push_back(
        {map.map.ToString(), map.what, "[" + sizes_text + "]", std::move(proof)});
  }
}

bool SameLaunch(const kernel::Launch& a, const kernel::Launch& b) {
  auto same = [](const kernel::Param& x, const kernel::Param& y) {
    return x.shape == y.shape && x.bytes == y.bytes && x.role == y.role && x.memory == y.memory &&
           x.argument == y.argument && x.alignment == y.alignment && x.starts_as == y.starts_as;
  };
  if (!a.scalars.empty() || !b.scalars.empty()) return false;  // affirm's own kernels have none
  return a.grid == b.grid && a.threads == b.threads && a.shared_bytes == b.shared_bytes &&
         std::equal(a.params.begin(), a.params.end(), b.params.begin(), b.params.end(), same);
}

}  // namespace

KernelChecker::KernelChecker(State& state)
    : state_(state),
      program_(state.program),
      collectives_(state),
      fits_memory_(FitsMemory(state.module, state.report.devices.devices.count())),
      work_(WorkOf(state.module) * static_cast<double>(state.report.devices.devices.count())),
      why_open_(WhySortIsOpen(*state.module.entry)) {
  for (const FusedComputation& fused : program_.fused_computations()) {
    first_part_.push_back(parts_.size());
    for (const FusedComputation& part : program_.partitions(fused).kernels) {
      KernelCheck check;
      check.target = state_.options().target;
      check.fusion = part.name;
      check.fusion_number = NumberOf(fused);
      parts_.push_back({.fused = &part, .whole = &fused, .number = parts_.size()});
      state_.report.kernels.push_back(std::move(check));
    }
  }
  runs_of_fusion_.resize(program_.fused_computations().size());
  for (const LibraryOp& library : program_.library_ops()) {
    const hlo::Instruction& op = *library.op;
    state_.report.whole.libraries.push_back({op.parent->name, op.name, op.opcode_text});
  }
  FindFirsts();
}

void KernelChecker::FindFirsts() {
  llvm::DenseMap<const FusedComputation*, Part*> parts;
  for (Part& part : parts_) {
    parts[part.fused] = &part;
    const FusedComputation& first = program_.FirstLike(*part.fused);
    if (&first == part.fused) continue;
    part.first = parts.lookup(&first);
    CheckOf(part).same_as = first.name;
  }
}

llvm::MutableArrayRef<KernelChecker::Part> KernelChecker::PartsOf(size_t u) {
  const size_t count = program_.partitions(program_.fused_computations()[u]).kernels.size();
  return llvm::MutableArrayRef(parts_).slice(first_part_[u], count);
}

void KernelChecker::AddUnits(std::vector<Unit>& units) {
  for (Part& part : parts_) AddUnitsOf(part, units);
  units.push_back(TogetherUnit("the kernels together", [this] { return WantsProofOfAll(); }));
  AddRunsBesideSamples(units);
  AddSamples(units);
  AddRuns(units);
  // A run that was given up shows nothing: what is proved may.
  units.push_back(TogetherUnit("the kernels together, in the place of their run",
                               [this] { return FallsBackToProof(); }));
  units.back().phase = Unit::Phase::kExecution;
}

Unit KernelChecker::TogetherUnit(std::string name, std::function<bool()> is_needed) {
  return {
      .name = std::move(name),
      .phase = Unit::Phase::kKernels,
      .is_needed = std::move(is_needed),
      .work =
          [this] {
            state_.progress("proving that the kernels together are the module");
            state_.report.whole.why_not_by_kernels = WhyNotTheModule(state_.module, program_);
          },
      .give_up = [this](const std::string& why) { state_.report.whole.why_not_by_kernels = why; }};
}

// The loops that the host runs and that are not known to end. One that merely ran on for its time
// is no loop that ends.
std::vector<std::string> KernelChecker::OpenLoops() const {
  std::vector<std::string> open;
  for (const hlo::Computation* computation : program_.host_computations()) {
    for (const auto& op : computation->instructions) {
      if (op->opcode == hlo::Opcode::kWhile && !TripCountOf(*op, state_.context).by_condition)
        open.push_back(op->name);
    }
  }
  return open;
}

// Each kernel was run by itself, or is proved.
bool KernelChecker::FallsBackToProof() const {
  return state_.options().target != ExecutionTarget::kCuda && state_.report.whole.given_up &&
         !state_.report.whole.why_not_by_kernels && AllAreProvedOrRun() && OpenLoops().empty();
}

void KernelChecker::AddUnitsOf(Part& part, std::vector<Unit>& units) {
  if (part.first != nullptr) {
    units.push_back({.name = "the kernel of " + part.fused->name + " is one before it",
                     .phase = Unit::Phase::kKernels,
                     .first_kernel = part.number,
                     .end_kernel = part.number + 1,
                     .is_copy = true,
                     .work = [this, &part] { TakeFromFirst(part); },
                     .give_up =
                         [this, &part](const std::string& why) {
                           CheckOf(part).why_not =
                               "no kernel for '" + part.fused->name + "': " + why;
                         }});
    return;
  }
  units.push_back({.name = "emission of " + part.fused->name,
                   .phase = Unit::Phase::kKernels,
                   .first_kernel = part.number,
                   .end_kernel = part.number + 1,
                   .work = [this, &part] { Emit(part); },
                   .give_up =
                       [this, &part](const std::string& why) {
                         CheckOf(part).why_not = "no kernel for '" + part.fused->name + "': " + why;
                       }});
  units.push_back({.name = "proof of the kernel of " + part.fused->name,
                   .phase = Unit::Phase::kKernels,
                   .first_kernel = part.number,
                   .end_kernel = part.number + 1,
                   .is_needed = [this, &part] { return CheckOf(part).has_code; },
                   .work = [this, &part] { Prove(part); },
                   .give_up =
                       [this, &part](const std::string& why) {
                         kernel::KernelProof open;
                         for (kernel::ClaimProof& claim : open.claims) claim.reason = why;
                         CheckOf(part).proof = open;
                       }});
}

void KernelChecker::Emit(Part& part) {
  state_.progress("emitting " + part.fused->name);
  KernelCheck& check = CheckOf(part);
  auto kernel = EmitKernel(*part.fused, state_.context, state_.options().emit);
  if (!kernel) {
    check.why_not = "no kernel for '" + part.fused->name + "': " + MessageOf(kernel.takeError());
    return;
  }
  part.kernel = std::move(*kernel);
  CheckSlices(part);
  check.name = part.kernel->name();
  check.emitter = part.kernel->emitter();
  check.launch = part.kernel->launch();
  check.functions = part.kernel->num_functions();
  check.unordered_terms = part.kernel->unordered_terms();
  CheckThreadMaps(state_, *part.fused, *part.kernel, check);
  auto device = emit::DeviceKernelOf(*part.kernel);
  if (!device) {
    check.why_not =
        "the kernel of '" + part.fused->name + "' has no LLVM IR: " + MessageOf(device.takeError());
    return;
  }
  part.device = std::move(*device);
  check.has_code = true;
  check.too_large =
      IsTooLargeToRun({part.fused->computation, &part.device->ir, part.device->launch});
}

void KernelChecker::Prove(Part& part) {
  EnsureDevice(part);
  if (!part.device) return;
  part.text = kernel::TextWithoutNames(part.device->ir);
  if (const Part* same = FindSame(part)) {
    CheckOf(part).proof = CheckOf(*same).proof;
    for (kernel::ClaimProof& claim : CheckOf(part).proof->claims) claim.ms = 0;
    return;
  }
  state_.progress("proving the kernel of " + part.fused->name);
  CheckOf(part).proof =
      kernel::ProveKernel(part.device->ir, part.device->launch, *part.fused->computation,
                          {.same_value = {}, .decide = state_.options().decide});
}

void KernelChecker::TakeFromFirst(Part& part) {
  const KernelCheck& first = CheckOf(*part.first);
  KernelCheck& check = CheckOf(part);
  check.name = first.name;
  check.emitter = first.emitter;
  check.launch = first.launch;
  check.functions = first.functions;
  check.unordered_terms = first.unordered_terms;
  check.has_code = first.has_code;
  check.too_large = first.too_large;
  check.thread_maps = first.thread_maps;
  for (ThreadMapCheck& map : check.thread_maps) map.bijection.ms = 0;
  check.proof = first.proof;
  if (check.proof) {
    for (kernel::ClaimProof& claim : check.proof->claims) claim.ms = 0;
  }
  if (!first.why_not.empty()) {
    check.why_not =
        "'" + part.fused->name + "' is computed as '" + check.same_as + "' is: " + first.why_not;
  }
}

// A kernel that was proved before and is the same but for names, of a computation that is the same,
// as the launches of one sort are.
const KernelChecker::Part* KernelChecker::FindSame(const Part& part) const {
  auto same = llvm::find_if(parts_, [&](const Part& other) {
    return &other != &part && other.device && CheckOf(other).proof && other.text == part.text &&
           SameLaunch(other.device->launch, part.device->launch) &&
           equivalence::SameStructure(*other.fused->computation, *part.fused->computation);
  });
  return same == parts_.end() ? nullptr : &*same;
}

// Emitted once, so that it can be emitted again.
void KernelChecker::EnsureKernel(Part& part) {
  if (part.first != nullptr) return EnsureKernel(*part.first);
  if (part.kernel || CheckOf(part).name.empty()) return;
  state_.progress("emitting " + part.fused->name);
  auto kernel = EmitKernel(*part.fused, state_.context, state_.options().emit);
  if (kernel) {
    part.kernel = std::move(*kernel);
  } else {
    llvm::consumeError(kernel.takeError());
  }
}

void KernelChecker::EnsureDevice(Part& part) {
  if (part.first != nullptr) return EnsureDevice(*part.first);
  EnsureKernel(part);
  if (part.device || !part.kernel || !CheckOf(part).has_code) return;
  auto device = emit::DeviceKernelOf(*part.kernel);
  if (device) {
    part.device = std::move(*device);
  } else {
    llvm::consumeError(device.takeError());
  }
}

void KernelChecker::CheckSlices(const Part& part) {
  const llvm::ArrayRef<int64_t> given = part.fused->slices, taken = part.kernel->slices();
  for (size_t result = 0; result < given.size(); ++result) {
    for (size_t leaf = 0; leaf < result; ++leaf) {
      if (given[leaf] != given[result] || taken[leaf] == taken[result]) continue;
      if (result < part.kernel->num_inputs()) continue;  // an operand may have two pointers
      state_.AddFinding(Finding::Kind::kRefuted, "memory",
                        "memory: the kernel of '" + part.fused->name + "' does not write result " +
                            std::to_string(result - part.kernel->num_inputs()) +
                            " over the operand whose memory it is given");
    }
  }
}

bool KernelChecker::IsTooLarge() const {
  return !fits_memory_ || work_ > MostWorkAtAll(state_.options().time_limit) ||
         llvm::any_of(parts_, [&](const Part& part) { return CheckOf(part).too_large; });
}

bool KernelChecker::AllAreProved() const {
  return llvm::all_of(parts_, [&](const Part& part) { return CheckOf(part).is_proved(); });
}

bool KernelChecker::AllAreProvedOrRun() const {
  return llvm::all_of(parts_, [&](const Part& part) {
    return CheckOf(part).is_proved() || CheckOf(part).runs > 0;
  });
}

bool KernelChecker::WantsProofOfAll() const {
  if (state_.options().target == ExecutionTarget::kCuda) return false;
  return IsTooLarge() || (work_ > MostWork(state_.options().time_limit) && AllAreProved());
}

// Some blocks of the kernels in the place of the module, where it is too large, or where a run
// would take long and its proofs are all there.
bool KernelChecker::RunsInSamples() const {
  if (!WantsProofOfAll()) return false;
  return IsTooLarge() || state_.report.whole.why_not_by_kernels == "";
}

bool KernelChecker::SamplesCover() const {
  return llvm::all_of(state_.report.kernels, [](const KernelCheck& check) {
    return check.failed || (check.sample && check.why_not.empty());
  });
}

bool KernelChecker::RunsWhole() const {
  if (state_.options().target == ExecutionTarget::kCuda) return fits_memory_;
  return !RunsInSamples() || (!IsTooLarge() && !SamplesCover());
}

// A sample covers nothing of a kernel that is not proved, a run does: where it can be run.
bool KernelChecker::RunsAloneInSamples(size_t u) {
  if (!RunsInSamples() || !IsTooLarge()) return false;
  const llvm::ArrayRef<Part> parts = PartsOf(u);
  const hlo::Computation& computation = *program_.fused_computations()[u].computation;
  return llvm::any_of(parts, [&](const Part& part) { return !CheckOf(part).is_proved(); }) &&
         FitsMemory(computation) &&
         WorkOf(computation) <= MostWorkAtAll(state_.options().time_limit) &&
         llvm::all_of(parts, [&](const Part& part) {
           return CheckOf(part).has_code && !CheckOf(part).too_large;
         });
}

// The same of one kernel of a fusion that cannot be run as a whole.
bool KernelChecker::RunsAloneInSamples(const Part& part) {
  if (!RunsInSamples() || !IsTooLarge() || RunsAloneInSamples(NumberOf(*part.whole))) return false;
  const KernelCheck& check = CheckOf(part);
  return !check.is_proved() && check.has_code && !check.too_large &&
         FitsMemory(*part.fused->computation) &&
         WorkOf(*part.fused->computation) <= MostWork(state_.options().time_limit);
}

void KernelChecker::ForgetSamples() {
  for (KernelCheck& check : state_.report.kernels) {
    if (!check.has_code) continue;
    check.sample.reset();
    check.has_empty_sample = false;
    check.why_not.clear();
    check.run_ms = 0;
  }
}

void KernelChecker::AddSamples(std::vector<Unit>& units) {
  for (Part& part : parts_) AddSampleOf(part, units);
}

// A usual sample takes about a second: of many kernels each has a part of it.
double KernelChecker::ShareOfSample() const {
  constexpr double kUsualSamples = 8;
  const auto codes = llvm::count_if(parts_, [](const Part& p) { return p.first == nullptr; });
  return std::min(1.0, kUsualSamples / static_cast<double>(std::max<int64_t>(codes, 1)));
}

void KernelChecker::AddSampleOf(Part& part, std::vector<Unit>& units) {
  units.push_back(
      {.name = "a sample of the kernel of " + part.fused->name,
       .phase = Unit::Phase::kExecution,
       .first_kernel = part.number,
       .end_kernel = part.number + 1,
       .is_needed =
           [this, &part] {
             return RunsInSamples() && CheckOf(part).has_code &&
                    !RunsAloneInSamples(NumberOf(*part.whole)) && !RunsAloneInSamples(part);
           },
       .is_copy = part.first != nullptr,
       .work =
           [this, &part] {
             KernelCheck& check = CheckOf(part);
             if (part.first != nullptr) {
               // The same code on the same arguments.
               const KernelCheck& first = CheckOf(*part.first);
               check.sample = first.sample;
               check.has_empty_sample = first.has_empty_sample;
               check.failed = first.failed;
               check.why_not = first.why_not;
               return;
             }
             EnsureDevice(part);
             if (!part.device) return;
             state_.progress("running blocks of " + part.fused->name);
             CheckSample(state_, {part.fused->computation, &part.device->ir, part.device->launch},
                         ShareOfSample(), check);
           },
       .give_up =
           [this, &part](const std::string& why) {
             KernelCheck& check = CheckOf(part);
             check.has_empty_sample = llvm::StringRef(why).starts_with(kOutOfTime) ||
                                      llvm::StringRef(why).starts_with(kOutOfMemory);
             check.why_not = "no block of the kernel of '" + part.fused->name + "' was run: " + why;
           }});
}

void KernelChecker::Finish() {
  WholeCheck& whole = state_.report.whole;
  if (state_.options().target == ExecutionTarget::kCuda && !fits_memory_) {
    whole.why_not = "the values of the module do not fit 4 GiB: it is not run";
  }
  // No run and no proof says what such a module gives.
  if (!why_open_.empty()) {
    whole.why_not = why_open_;
    return;
  }
  if (whole.given_up && !IsTooLarge()) {
    whole.proved_by_kernels =
        whole.why_not_by_kernels == "" && AllAreProvedOrRun() && OpenLoops().empty();
    if (!whole.proved_by_kernels && !whole.why_not_by_kernels.value_or("").empty()) {
      whole.why_not += "; and it is not proved that its kernels together are the module: " +
                       *whole.why_not_by_kernels;
    }
    return;
  }
  if (RunsWhole()) return;
  const std::string& why_not = whole.why_not_by_kernels.value_or("");
  whole.proved_by_kernels = why_not.empty();
  whole.open_loops = OpenLoops();
  if (why_not.empty()) return;
  whole.why_not =
      "the module is too large to run as a whole, and it is not proved that its kernels together "
      "are the module: " +
      why_not;
}

}  // namespace affirm::driver
