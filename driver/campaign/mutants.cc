#include "driver/campaign/mutants.h"

#include <chrono>
#include <random>

#include "driver/campaign/isolated_process.h"
#include "driver/exit_status.h"
#include "emit/kernel.h"
#include "llvm/Support/FormatVariadic.h"

namespace affirm::driver {

const char* Name(MutantVerdict verdict) {
  static constexpr const char* kNames[] = {"killed", "equivalent", "survivor", "contradiction",
                                           "failure"};
  return kNames[static_cast<size_t>(verdict)];
}

int64_t MutantReport::Of(MutantVerdict verdict) const {
  int64_t count = 0;
  for (const auto& [kind, by_verdict] : counts) {
    auto found = by_verdict.find(verdict);
    if (found != by_verdict.end()) count += found->second;
  }
  return count;
}

int MutantReport::status() const {
  if (Of(MutantVerdict::kContradiction) + Of(MutantVerdict::kFailure) > 0) return kDifferent;
  return Of(MutantVerdict::kSurvivor) > 0 ? kUnknown : kSuccess;
}

std::vector<KernelOfModule> KernelsOf(const std::shared_ptr<const hlo::Module>& module,
                                      const std::string& file) {
  std::vector<KernelOfModule> kernels;
  auto program = std::make_shared<const Program>(*module);
  for (const FusedComputation& whole : program->fused_computations()) {
    for (const FusedComputation& part : program->partitions(whole).kernels) {
      Context context;
      auto kernel = emit::EmitKernel(*part.computation, context);
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

// Of processor time, for one mutant.
constexpr int kCpuSeconds = 60;

class Mutants {
 public:
  Mutants(const std::vector<KernelOfModule>& kernels, const MutantOptions& options)
      : kernels_(kernels), options_(options), mutations_(kernels.size()) {
    report_.seed = options.seed;
    report_.kernels = static_cast<int64_t>(kernels.size());
  }

  MutantReport Run(llvm::function_ref<void(int64_t)> progress) {
    if (kernels_.empty()) return std::move(report_);
    std::vector<uint64_t> numbers;
    for (uint64_t i = options_.first; i < options_.first + static_cast<uint64_t>(options_.runs);
         ++i) {
      if (options_.shard.Has(i)) numbers.push_back(i);
    }
    FindMutations(numbers);
    auto start = std::chrono::steady_clock::now();
    RunIsolated(
        numbers.size(), kCpuSeconds,
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

  // Those of each kernel that is drawn. One that is wrong without a fault says nothing of faults.
  void FindMutations(llvm::ArrayRef<uint64_t> numbers) {
    std::vector<bool> drawn(kernels_.size());
    for (uint64_t number : numbers) {
      std::mt19937_64 random = Random(number);
      drawn[DrawKernel(random)] = true;
    }
    for (auto [k, kernel] : llvm::enumerate(kernels_)) {
      if (!drawn[k]) continue;
      if (ExecuteClaims(SubjectOf(kernel), {}).verdict != ClaimVerdict::kRefuted) {
        mutations_[k] = fuzz::MutationsOf(kernel.device->ir);
        continue;
      }
      ++report_.counts["none"][MutantVerdict::kContradiction];
      report_.listed.push_back({.file = kernel.file,
                                .kernel = kernel.name,
                                .kind = "none",
                                .why = "the kernel is refuted without a fault",
                                .verdict = MutantVerdict::kContradiction});
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

  // What became of a mutant: {"verdict", "claim", "why"}, or {} where there is none.
  llvm::json::Value Judge(uint64_t number) const {
    const auto [k, mutation] = DrawMutant(number);
    if (mutation == nullptr) return llvm::json::Object();
    KernelSubject subject = SubjectOf(kernels_[k]);
    auto mutant = fuzz::Mutate(*subject.ir, *mutation);
    if (!mutant) {  // LLVM refuses it: not a kernel
      llvm::consumeError(mutant.takeError());
      return llvm::json::Object();
    }
    subject.ir = &*mutant;
    return JudgeClaims(options_.prove ? Validate(subject, {}) : ExecuteClaims(subject, {}));
  }

  static llvm::json::Value JudgeClaims(const Validation& validation) {
    auto answer = [](MutantVerdict verdict, const ClaimResult& claim) {
      return llvm::json::Object{{"verdict", static_cast<int>(verdict)},
                                {"claim", kernel::Name(claim.claim)},
                                {"why", llvm::json::fixUTF8(claim.reason)}};
    };
    auto find = [&](auto&& is) { return llvm::find_if(validation.claims, is); };
    auto end = validation.claims.end();
    auto claim = find([](const ClaimResult& c) { return c.contradicted; });
    if (claim != end) return answer(MutantVerdict::kContradiction, *claim);
    claim = find([](const ClaimResult& c) { return c.verdict == ClaimVerdict::kRefuted; });
    if (claim != end) return answer(MutantVerdict::kKilled, *claim);
    // Values that were only executed are no proof that the fault changes nothing.
    claim = find([](const ClaimResult& c) { return c.verdict != ClaimVerdict::kProved; });
    if (claim != end) return answer(MutantVerdict::kSurvivor, *claim);
    return answer(MutantVerdict::kEquivalent, {});
  }

  void Count(uint64_t number, const ProcessOutcome& outcome) {
    const auto [k, mutation] = DrawMutant(number);
    auto verdict = MutantVerdict::kFailure;
    std::string claim, why = outcome.text;
    if (outcome.kind == ProcessOutcome::Kind::kHang) why = "it does not end";
    if (outcome.kind == ProcessOutcome::Kind::kDone) {
      llvm::Expected<llvm::json::Value> answer = llvm::json::parse(outcome.text);
      const llvm::json::Object* fields = answer ? answer->getAsObject() : nullptr;
      if (!answer) llvm::consumeError(answer.takeError());
      if (fields != nullptr && fields->empty()) return;
      if (fields != nullptr) {
        verdict = static_cast<MutantVerdict>(fields->getInteger("verdict").value_or(0));
        claim = fields->getString("claim").value_or("").str();
        why = claim + ": " + fields->getString("why").value_or("").str();
      }
    }
    ++report_.runs;
    ++report_.counts[fuzz::Name(mutation->kind)][verdict];
    if (verdict == MutantVerdict::kKilled) ++report_.killed_by[claim];
    if (verdict == MutantVerdict::kKilled || verdict == MutantVerdict::kEquivalent) return;
    if (verdict == MutantVerdict::kSurvivor) ++report_.survived_by[claim];
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

void PrintReport(const MutantReport& report, llvm::raw_ostream& os) {
  os << llvm::formatv(
      "{0} mutants of {1} kernels (seed {2}): {3} killed, {4} equivalent by proof, {5} survivors, "
      "{6} contradictions, {7} failures\n",
      report.runs, report.kernels, report.seed, report.Of(MutantVerdict::kKilled),
      report.Of(MutantVerdict::kEquivalent), report.Of(MutantVerdict::kSurvivor),
      report.Of(MutantVerdict::kContradiction), report.Of(MutantVerdict::kFailure));
  os << llvm::formatv("  {0,-16} {1,8} {2,11} {3,10} {4,14}\n", "kind", "killed", "equivalent",
                      "survivors", "contradictions");
  for (const auto& [kind, by_verdict] : report.counts) {
    auto count = [&](MutantVerdict v) {
      auto found = by_verdict.find(v);
      return found == by_verdict.end() ? 0 : found->second;
    };
    os << llvm::formatv("  {0,-16} {1,8} {2,11} {3,10} {4,14}\n", kind,
                        count(MutantVerdict::kKilled), count(MutantVerdict::kEquivalent),
                        count(MutantVerdict::kSurvivor), count(MutantVerdict::kContradiction));
  }
  auto by_claim = [&](const char* what, const std::map<std::string, int64_t>& claims) {
    os << what;
    for (const auto& [claim, count] : claims) os << " " << claim << ": " << count;
    os << "\n";
  };
  by_claim("killed by", report.killed_by);
  if (!report.survived_by.empty()) by_claim("survivors, by what is open:", report.survived_by);
  for (const MutantReport::Listed& m : report.listed) {
    os << llvm::formatv("{0} {1}: {2} of {3}, line {4}: {5}\n    {6}\n", Name(m.verdict), m.number,
                        m.kind, m.file + ", " + m.kernel, m.line, m.before, m.why);
  }
}

llvm::json::Value ToJson(const MutantReport& report) {
  llvm::json::Object counts, killed_by, survived_by;
  for (const auto& [kind, by_verdict] : report.counts) {
    llvm::json::Object row;
    for (const auto& [verdict, count] : by_verdict) row[Name(verdict)] = count;
    counts[kind] = std::move(row);
  }
  for (const auto& [claim, count] : report.killed_by) killed_by[claim] = count;
  for (const auto& [claim, count] : report.survived_by) survived_by[claim] = count;
  llvm::json::Array listed;
  for (const MutantReport::Listed& m : report.listed) {
    listed.push_back(llvm::json::Object{{"verdict", Name(m.verdict)},
                                        {"number", m.number},
                                        {"file", m.file},
                                        {"kernel", m.kernel},
                                        {"kind", m.kind},
                                        {"line", m.line},
                                        {"before", m.before},
                                        {"why", m.why}});
  }
  return llvm::json::Object{{"seed", static_cast<int64_t>(report.seed)},
                            {"runs", report.runs},
                            {"kernels", report.kernels},
                            {"counts", std::move(counts)},
                            {"killed_by", std::move(killed_by)},
                            {"survived_by", std::move(survived_by)},
                            {"listed", std::move(listed)}};
}

}  // namespace affirm::driver
