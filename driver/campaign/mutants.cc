#include "driver/campaign/mutants.h"

#include <chrono>
#include <random>

#include "driver/campaign/isolated_process.h"
#include "emit/kernel.h"
#include "llvm/Support/FormatVariadic.h"
#include "verify/kernel/proof/result_proof.h"
#include "verify/kernel/proof/same_kernel.h"

namespace affirm::driver {

std::vector<KernelOfModule> KernelsOf(const std::shared_ptr<const hlo::Module>& module,
                                      const std::string& file) {
  std::vector<KernelOfModule> kernels;
  auto program = std::make_shared<const Program>(*module);
  for (const FusedComputation& whole : program->fused_computations()) {
    for (const FusedComputation& part : program->partitions(whole).kernels) {
      Context context;
      auto kernel = EmitKernel(part, context);
      if (!kernel) {
        llvm::consumeError(kernel.takeError());
        continue;
      }
      auto device = emit::DeviceKernelOf(*kernel);
      if (!device) {
        llvm::consumeError(device.takeError());
        continue;
      }
      kernels.push_back({file, part.name, module, program, part.computation,
                         std::make_shared<const emit::DeviceKernel>(std::move(*device))});
    }
  }
  return kernels;
}

namespace {

// A mutation of a random kind among those that the kernel has.
const fuzz::Mutation& Draw(const std::vector<fuzz::Mutation>& mutations, std::mt19937_64& random) {
  std::map<fuzz::MutationKind, std::vector<const fuzz::Mutation*>> by_kind;
  for (const fuzz::Mutation& m : mutations) by_kind[m.kind].push_back(&m);
  auto kind = std::next(by_kind.begin(), static_cast<int64_t>(random() % by_kind.size()));
  return *kind->second[random() % kind->second.size()];
}

}  // namespace

namespace {

// Seconds of processor time for one mutant.
constexpr int kMutantSeconds = 60;

class Mutants {
 public:
  Mutants(const std::vector<KernelOfModule>& kernels, const MutantOptions& options)
      : kernels_(kernels), options_(options), mutations_(kernels.size()) {
    report_.seed = options.seed;
    report_.asked = options.asked;
    report_.kernels = static_cast<int64_t>(kernels.size());
  }

  MutantReport Run(llvm::function_ref<void(int64_t)> progress) {
    if (kernels_.empty()) return std::move(report_);
    const ShardNumbers numbers(options_.shard, options_.first,
                               static_cast<uint64_t>(options_.runs));
    FindMutations(numbers);
    auto start = std::chrono::steady_clock::now();
    RunIsolated(
        numbers.size(), kMutantSeconds,
        [&](uint64_t k) { return llvm::formatv("{0}", Judge(numbers[k])).str(); },
        [&](uint64_t k, const ProcessOutcome& outcome) {
          progress(static_cast<int64_t>(k));
          Count(numbers[k], outcome);
          std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
          return options_.max_seconds == 0 ||
                 spent.count() < static_cast<double>(options_.max_seconds);
        });
    return std::move(report_);
  }

 private:
  static KernelSubject SubjectOf(const KernelOfModule& kernel) {
    return {kernel.computation, &kernel.device->ir, kernel.device->launch};
  }

  // Finds the mutations of each kernel that is drawn, except of kernels that are wrong without a
  // fault.
  void FindMutations(const ShardNumbers& numbers) {
    std::vector<bool> drawn(kernels_.size());
    size_t left = kernels_.size();
    for (uint64_t k = 0; k < numbers.size() && left > 0; ++k) {
      std::mt19937_64 random = Random(numbers[k]);
      const size_t kernel = DrawKernel(random);
      if (!drawn[kernel]) --left;
      drawn[kernel] = true;
    }
    for (auto [k, kernel] : llvm::enumerate(kernels_)) {
      if (!drawn[k]) continue;
      if (ExecuteClaims(SubjectOf(kernel), {}).verdict != Verdict::kRefuted) {
        mutations_[k] = fuzz::MutationsOf(kernel.device->ir);
        continue;
      }
      ++report_.counts[kNoMutation][MutantFate::kContradiction];
      report_.listed.push_back({.file = kernel.file,
                                .kernel = kernel.name,
                                .kind = kNoMutation,
                                .why = "the kernel is refuted without a fault",
                                .verdict = MutantFate::kContradiction});
    }
  }

  std::mt19937_64 Random(uint64_t number) const {
    std::seed_seq seed{options_.seed, number};
    return std::mt19937_64(seed);
  }
  size_t DrawKernel(std::mt19937_64& random) const { return random() % kernels_.size(); }

  // The kernel and the mutation of a number; null where the kernel has none.
  std::pair<size_t, const fuzz::Mutation*> DrawMutant(uint64_t number) const {
    std::mt19937_64 random = Random(number);
    const size_t kernel = DrawKernel(random);
    if (mutations_[kernel].empty()) return {kernel, nullptr};
    return {kernel, &Draw(mutations_[kernel], random)};
  }

  // The outcome of a mutant: {"verdict", "claim", "why"}, or {} if there is none.
  llvm::json::Value Judge(uint64_t number) const {
    const auto [k, mutation] = DrawMutant(number);
    if (mutation == nullptr) return llvm::json::Object();
    KernelSubject subject = SubjectOf(kernels_[k]);
    auto mutant = fuzz::Mutate(*subject.ir, *mutation);
    if (!mutant) {  // LLVM refuses it: not a kernel
      llvm::consumeError(mutant.takeError());
      return llvm::json::Object();
    }
    const kernel::KernelIr& original = *subject.ir;
    subject.ir = &*mutant;
    if (!options_.prove) return JudgeClaims(ExecuteClaims(subject, {}), false);
    const Validation validation = Validate(subject, {});
    return JudgeClaims(validation,
                       validation.verdict != Verdict::kProved && IsSame(original, subject));
  }

  // Whether the mutant is proved to do what the kernel does, whatever that is.
  static bool IsSame(const kernel::KernelIr& original, const KernelSubject& mutant) {
    kernel::SameKernelOptions same;
    same.name_choices = kernel::HasSort(*mutant.computation);
    return kernel::ProveSameKernel(original, *mutant.ir, mutant.launch, same).same;
  }

  // `same`: the mutant is proved to be the kernel.
  static llvm::json::Value JudgeClaims(const Validation& validation, bool same) {
    auto answer = [](MutantFate verdict, const ClaimResult& claim) {
      return llvm::json::Object{{"verdict", static_cast<int>(verdict)},
                                {"claim", kernel::Name(claim.claim)},
                                {"why", llvm::json::fixUTF8(claim.reason)}};
    };
    auto find = [&](auto&& is) { return llvm::find_if(validation.claims, is); };
    auto end = validation.claims.end();
    auto claim = find([](const ClaimResult& c) { return c.contradicted; });
    if (claim != end) return answer(MutantFate::kContradiction, *claim);
    claim = find([](const ClaimResult& c) { return c.verdict == Verdict::kRefuted; });
    if (claim != end) {
      return answer(same ? MutantFate::kContradiction : MutantFate::kKilled, *claim);
    }
    if (same) return answer(MutantFate::kEquivalent, {});
    // Values that were only executed are no proof that the fault changes nothing.
    claim = find([](const ClaimResult& c) { return c.verdict != Verdict::kProved; });
    if (claim != end) return answer(MutantFate::kSurvivor, *claim);
    return answer(MutantFate::kEquivalent, {});
  }

  void Count(uint64_t number, const ProcessOutcome& outcome) {
    const auto [k, mutation] = DrawMutant(number);
    auto verdict = MutantFate::kFailure;
    std::string claim, why = outcome.text;
    if (outcome.kind == ProcessOutcome::Kind::kHang) why = "it does not end";
    if (outcome.kind == ProcessOutcome::Kind::kDone) {
      llvm::Expected<llvm::json::Value> answer = llvm::json::parse(outcome.text);
      const llvm::json::Object* fields = answer ? answer->getAsObject() : nullptr;
      if (!answer) llvm::consumeError(answer.takeError());
      if (fields != nullptr && fields->empty()) return;
      if (fields != nullptr) {
        verdict = static_cast<MutantFate>(fields->getInteger("verdict").value_or(0));
        claim = fields->getString("claim").value_or("").str();
        why = claim + ": " + fields->getString("why").value_or("").str();
      }
    }
    ++report_.runs;
    ++report_.counts[fuzz::Name(mutation->kind)][verdict];
    if (verdict == MutantFate::kKilled) ++report_.killed_by[claim];
    if (verdict == MutantFate::kKilled || verdict == MutantFate::kEquivalent) return;
    if (verdict == MutantFate::kSurvivor) ++report_.survived_by[claim];
    report_.listed.push_back({kernels_[k].file, kernels_[k].name, fuzz::Name(mutation->kind),
                              mutation->before, why, verdict, mutation->line,
                              static_cast<int64_t>(number)});
  }

  const std::vector<KernelOfModule>& kernels_;
  const MutantOptions& options_;
  std::vector<std::vector<fuzz::Mutation>> mutations_;  // by kernel
  MutantReport report_;
};

}  // namespace

MutantReport RunMutants(const std::vector<KernelOfModule>& kernels, const MutantOptions& options,
                        llvm::function_ref<void(int64_t)> progress) {
  return Mutants(kernels, options).Run(progress);
}

}  // namespace affirm::driver
