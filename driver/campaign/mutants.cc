#include "driver/campaign/mutants.h"

#include <chrono>
#include <random>

#include "driver/exit_status.h"
#include "emit/kernel.h"
#include "llvm/Support/FormatVariadic.h"

namespace affirm::driver {

const char* Name(MutantVerdict verdict) {
  static constexpr const char* kNames[] = {"killed", "equivalent", "survivor", "contradiction"};
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
  if (Of(MutantVerdict::kContradiction) > 0) return kDifferent;
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

MutantReport RunMutants(const std::vector<KernelOfModule>& kernels, const MutantOptions& options,
                        llvm::function_ref<void(int64_t)> progress) {
  MutantReport report;
  report.seed = options.seed;
  report.kernels = static_cast<int64_t>(kernels.size());
  auto start = std::chrono::steady_clock::now();
  std::map<size_t, std::vector<fuzz::Mutation>> mutations;
  for (int64_t i = 0; i < options.runs && !kernels.empty(); ++i) {
    std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    if (options.max_seconds > 0 && spent.count() > static_cast<double>(options.max_seconds)) break;
    progress(i);
    std::seed_seq seed{options.seed, static_cast<uint64_t>(i)};
    std::mt19937_64 random(seed);
    size_t number = random() % kernels.size();
    const KernelOfModule& kernel = kernels[number];
    KernelSubject subject{kernel.computation, &kernel.device->ir, kernel.device->launch};
    auto [known, fresh] = mutations.try_emplace(number);
    if (fresh) {
      known->second = fuzz::MutationsOf(kernel.device->ir);
      // A kernel that is wrong without a fault says nothing about faults.
      Validation original = ExecuteClaims(subject, {});
      if (original.verdict == ClaimVerdict::kRefuted) {
        ++report.counts["none"][MutantVerdict::kContradiction];
        report.listed.push_back({.file = kernel.file,
                                 .kernel = kernel.name,
                                 .kind = "none",
                                 .why = "the kernel is refuted without a fault",
                                 .verdict = MutantVerdict::kContradiction,
                                 .number = i});
        known->second.clear();
      }
    }
    if (known->second.empty()) continue;
    const fuzz::Mutation& mutation = Draw(known->second, random);
    auto mutant = fuzz::Mutate(kernel.device->ir, mutation);
    if (!mutant) {  // LLVM refuses it: not a kernel
      llvm::consumeError(mutant.takeError());
      continue;
    }
    subject.ir = &*mutant;
    Validation validation = options.prove ? Validate(subject, {}) : ExecuteClaims(subject, {});
    ++report.runs;
    MutantVerdict verdict = MutantVerdict::kSurvivor;
    std::string why;
    for (const ClaimResult& claim : validation.claims) {
      if (claim.verdict == ClaimVerdict::kRefuted) {
        if (verdict != MutantVerdict::kKilled) ++report.killed_by[kernel::Name(claim.claim)];
        verdict = MutantVerdict::kKilled;
        if (claim.contradicted) why = claim.reason;
      } else if (claim.verdict != ClaimVerdict::kProved && why.empty()) {
        why = std::string(kernel::Name(claim.claim)) + ": " + claim.reason;
      }
    }
    bool contradicted =
        llvm::any_of(validation.claims, [](const ClaimResult& c) { return c.contradicted; });
    if (contradicted)
      verdict = MutantVerdict::kContradiction;
    else if (validation.verdict == ClaimVerdict::kProved) {
      // Proved with values that were only executed is no proof that the fault changes nothing.
      bool all = llvm::all_of(validation.claims, [](const ClaimResult& c) {
        return c.verdict == ClaimVerdict::kProved;
      });
      if (all) verdict = MutantVerdict::kEquivalent;
    }
    ++report.counts[fuzz::Name(mutation.kind)][verdict];
    if (verdict == MutantVerdict::kSurvivor || verdict == MutantVerdict::kContradiction) {
      report.listed.push_back({kernel.file, kernel.name, fuzz::Name(mutation.kind), mutation.before,
                               why, verdict, mutation.line, i});
    }
  }
  return report;
}

void PrintReport(const MutantReport& report, llvm::raw_ostream& os) {
  os << llvm::formatv(
      "{0} mutants of {1} kernels (seed {2}): {3} killed, {4} equivalent by proof, {5} survivors, "
      "{6} contradictions\n",
      report.runs, report.kernels, report.seed, report.Of(MutantVerdict::kKilled),
      report.Of(MutantVerdict::kEquivalent), report.Of(MutantVerdict::kSurvivor),
      report.Of(MutantVerdict::kContradiction));
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
  os << "killed by";
  for (const auto& [claim, count] : report.killed_by) os << " " << claim << ": " << count;
  os << "\n";
  for (const MutantReport::Listed& m : report.listed) {
    os << llvm::formatv("{0} {1}: {2} of {3}, line {4}: {5}\n    {6}\n", Name(m.verdict), m.number,
                        m.kind, m.file + ", " + m.kernel, m.line, m.before, m.why);
  }
}

llvm::json::Value ToJson(const MutantReport& report) {
  llvm::json::Object counts, killed_by;
  for (const auto& [kind, by_verdict] : report.counts) {
    llvm::json::Object row;
    for (const auto& [verdict, count] : by_verdict) row[Name(verdict)] = count;
    counts[kind] = std::move(row);
  }
  for (const auto& [claim, count] : report.killed_by) killed_by[claim] = count;
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
                            {"listed", std::move(listed)}};
}

}  // namespace affirm::driver
