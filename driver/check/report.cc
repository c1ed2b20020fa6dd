// The whole report of a check, for people.
#include <algorithm>

#include "driver/check/check.h"
#include "driver/json_text.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

namespace affirm::driver {
namespace {

constexpr size_t kMaxGivenUp = 20;  // lines of them
constexpr size_t kMaxLines = 100;   // of a section, proved ones; what is not proved always prints

std::string OutcomeText(const Proof& proof) {
  std::string text = affirm::Name(proof.verdict);
  if (!proof.engine.empty()) text += " (" + proof.engine + ", " + Fixed(proof.ms, 1) + " ms)";
  return text;
}

// The results of a map: its text up to the domain, which repeats the shape; of a collective's, the
// replica likewise.
std::string Short(const std::string& map) {
  constexpr llvm::StringLiteral kReplica = ", of replica ";
  auto [elements, replica] = llvm::StringRef(map).split(kReplica);
  std::string text = elements.substr(0, elements.find(", domain:")).str();
  if (replica.empty()) return text;
  return text + kReplica.str() + replica.substr(0, replica.find(", domain:")).str();
}

void PrintMaps(const ModuleReport& report, bool everything, llvm::raw_ostream& os) {
  double ms = 0;
  int64_t all_proved = 0;
  for (const MapCheck& check : report.maps) {
    ms += check.proof.ms;
    all_proved += check.proof.verdict == Verdict::kProved;
  }
  os << "\nmaps of instructions, output to input: " << all_proved << " of " << report.maps.size()
     << " are proved to be what is read, in " << Fixed(ms, 1) << " ms\n";
  size_t printed = 0, name_width = 0, map_width = 0;
  for (const MapCheck& check : report.maps) {
    name_width = std::max(name_width, check.instruction.size());
    for (const std::string& map : check.maps) map_width = std::max(map_width, Short(map).size());
  }
  name_width = std::min<size_t>(name_width, 28);
  map_width = std::min<size_t>(map_width, 48);
  std::string computation;
  for (const MapCheck& check : report.maps) {
    bool proved = check.proof.verdict == Verdict::kProved;
    if (proved && ++printed > kMaxLines && !everything) continue;
    if (check.computation != computation) os << "  " << check.computation << "\n";
    computation = check.computation;
    for (const std::string& map : check.maps) {
      os << "    " << llvm::left_justify(check.instruction, name_width) << "  " << check.operand
         << "  " << llvm::left_justify(Short(map), map_width) << "  " << Name(check.exactness)
         << ", " << OutcomeText(check.proof) << "\n";
    }
  }
  if (printed > kMaxLines && !everything)
    os << "    and " << printed - kMaxLines << " more, all proved (-vv)\n";
}

void PrintComposed(const ModuleReport& report, llvm::raw_ostream& os) {
  os << "\ncomposed maps\n";
  for (const ComposedCheck& check : report.composed) {
    os << "    " << check.fusion << ", output " << check.output << " to operand " << check.operand
       << (check.maps.empty() ? ": reads nothing\n" : "\n");
    for (const std::string& map : check.maps) os << "      " << map << "\n";
    os << "      " << Name(check.exactness)
       << "; the composition: " << OutcomeText(check.composition)
       << "; access relation: " << OutcomeText(check.semantics) << "\n";
    if (check.input_to_output.maps.empty()) continue;
    os << "    input to output\n";
    for (const std::string& map : check.input_to_output.maps) os << "      " << map << "\n";
    os << "      " << Name(check.input_to_output.exactness)
       << "; access relation: " << OutcomeText(check.input_to_output.semantics) << "\n";
  }
}

void PrintSimplification(const ModuleReport& report, llvm::raw_ostream& os) {
  const SimplificationCheck& all = report.simplification;
  int64_t proved = 0;
  for (const auto& [name, verdict] : all.rules) proved += verdict.verdict == Verdict::kProved;
  os << "\nsimplification\n    " << all.proved << " of " << all.compositions
     << " compositions are proved equal to what they were simplified to, in " << Fixed(all.ms, 1)
     << " ms\n    " << all.replayed << " of " << all.steps << " rewrite steps replayed; " << proved
     << " of " << all.rules.size() << " rules behind them proved for all constants\n";
  for (const auto& [name, verdict] : all.rules) {
    os << llvm::formatv("      {0,-32} {1,4} uses  {2} ({3} ms)\n", name, all.uses.at(name),
                        affirm::Name(verdict.verdict), Fixed(verdict.ms, 1));
  }
}

void PrintCertificates(const ModuleReport& report, llvm::raw_ostream& os) {
  if (!report.certificates) return;
  os << "\ncertificates\n    of " << report.certificates->NumClaims()
     << " claims about maps that are proved, " << report.certificates->written << " have one\n";
  for (const auto& [why, count] : report.certificates->without)
    os << llvm::formatv("      {0,4} without: {1}\n", count, why);
}

std::string ErrorText(const LiteralComparison& comparison) {
  if (comparison.max_ulp == kFarApart) return "values that are no neighbours";
  return std::to_string(comparison.max_ulp) + " ULP, " +
         llvm::formatv("{0}", llvm::format("%.3g", comparison.max_absolute)).str() + " absolute";
}

// "its LLVM IR: bounds, integers, barriers, races, writes, elements, values proved (2.1 ms, terms
// and enumeration)"
void PrintProof(const kernel::KernelProof& proof, llvm::raw_ostream& os) {
  std::vector<std::string> proved, engines;
  double ms = 0;
  for (kernel::Claim claim : kernel::kClaims) {
    const kernel::ClaimProof& of = proof.Of(claim);
    ms += of.ms;
    if (of.verdict != Verdict::kProved) continue;
    proved.push_back(kernel::Name(claim));
    if (!llvm::is_contained(engines, of.engine)) engines.push_back(of.engine);
  }
  if (!proved.empty()) {
    os << "      its LLVM IR: " << llvm::join(proved, ", ") << " proved ("
       << llvm::join(engines, ", ") << ", " << Fixed(ms, 1) << " ms)\n";
  }
  const std::string& oracles = proof.Of(kernel::Claim::kValues).oracles;
  if (!oracles.empty()) os << "      its values rest on: " << oracles << "\n";
  // Claims that one reason leaves open stand in one line.
  std::vector<std::pair<std::string, std::string>> open;
  for (kernel::Claim claim : kernel::kClaims) {
    const kernel::ClaimProof& of = proof.Of(claim);
    if (of.verdict == Verdict::kProved) continue;
    auto known = llvm::find_if(open, [&](const auto& entry) { return entry.second == of.reason; });
    if (known == open.end())
      open.push_back({kernel::Name(claim), of.reason});
    else
      known->first += std::string(", ") + kernel::Name(claim);
  }
  for (const auto& [claims, reason] : open) {
    os << "      its LLVM IR: " << claims << " not proved: " << reason << "\n";
  }
}

void PrintKernels(const ModuleReport& report, llvm::raw_ostream& os) {
  os << "\nkernels";
  if (!report.argument_kinds.empty()) {
    os << ", on arguments of " << report.argument_kinds.size()
       << (report.argument_kinds.size() == 1 ? " kind: " : " kinds: ")
       << llvm::join(report.argument_kinds, ", ");
  }
  os << "\n";
  for (const KernelCheck& check : report.kernels) {
    os << "    " << check.fusion << ": " << check.emitter << " emitter, " << check.launch.blocks
       << " blocks of " << check.launch.threads << " threads, " << check.functions
       << (check.functions == 1 ? " function" : " functions")
       << (check.same_as.empty() ? "" : ", the code of " + check.same_as) << "\n";
    for (const ThreadMapCheck& map : check.thread_maps) {
      os << "      each element of " << map.what << ", " << map.shape
         << ", has one thread: " << OutcomeText(map.bijection) << "\n";
    }
    if (check.proof) PrintProof(*check.proof, os);
    if (!check.why_not.empty()) os << "      not covered: " << check.why_not << "\n";
    if (check.sample) {
      os << "      SIMT emulator, a sample: " << SampleText(*check.sample->sample) << "; "
         << check.sample->runs << (check.sample->runs == 1 ? " run, " : " runs, ")
         << check.sample->elements << " elements compared, largest error "
         << check.sample->largest_ulp << " ULP, " << Fixed(check.run_ms, 1) << " ms\n";
    }
    if (check.runs == 0) continue;
    os << "      " << (check.target == ExecutionTarget::kCuda ? "CUDA device" : "SIMT emulator")
       << " against interpreter: " << check.runs << (check.runs == 1 ? " run of " : " runs of ")
       << check.comparison.elements << " elements, largest error " << ErrorText(check.comparison)
       << (check.to_the_bit ? " (0 allowed)" : WithinText(check.comparison.within)) << ", "
       << Fixed(check.run_ms, 1) << " ms" << (check.ran_alone ? ", on arguments of its own" : "")
       << "\n";
  }
}

void PrintCollectives(const ModuleReport& report, llvm::raw_ostream& os) {
  const DevicesCheck& check = report.devices;
  if (report.whole.collectives.empty() && check.devices.count() <= 1) return;
  os << "\ndevices: " << check.devices.replicas << " replicas of " << check.devices.partitions
     << " partitions" << (check.assumed.empty() ? "" : " (" + check.assumed + ")")
     << "; kernels run on " << check.kernels_on.size() << " of them\n";
  if (!report.whole.why_shared.empty()) {
    os << "    the same " << (report.whole.shared == hlo::SharedArguments::kAll ? "" : "scalar ")
       << "arguments on all: else " << report.whole.why_shared << "\n";
  }
  for (const CollectiveCheck& collective : report.whole.collectives) {
    os << "    " << collective.opcode << " " << collective.instruction << ": ";
    if (!collective.why_not.empty()) {
      os << "not covered: " << collective.why_not << "\n";
      continue;
    }
    os << collective.runs << (collective.runs == 1 ? " run" : " runs") << " of "
       << collective.comparison.elements << " elements a device";
    if (collective.step > 1) os << ", one in " << collective.step;
    os << ", exchanged by its maps against interpreter: "
       << (collective.comparison.mismatches == 0 ? "equal" : "different") << "\n";
  }
}

// The reasons why instructions are not covered are among the findings.
void PrintGaps(const ModuleReport& report, bool everything, llvm::raw_ostream& os) {
  size_t gaps = 0;
  for (const LedgerRow& row : report.ledger) {
    if (row.IsCovered() || row.kind != LedgerRow::Kind::kInstruction) continue;
    if (gaps++ == 0) os << "\nnot covered\n";
    if (gaps > kMaxLines && !everything) continue;
    os << "    " << row.computation << ", " << row.name << "\n";
  }
  if (gaps > kMaxLines && !everything) os << "    and " << gaps - kMaxLines << " more (-vv)\n";
}

void PrintMemory(const MemoryCheck& memory, llvm::raw_ostream& os) {
  os << "\nmemory\n    " << memory.arrays << " arrays in " << memory.bytes << " bytes, "
     << memory.sharing_pairs << " pairs of them share bytes, " << memory.conflicts
     << " while both are needed";
  if (memory.copies > 0)
    os << "; " << memory.copies << " results are copied to where the caller wants them";
  os << "\n";
}

void PrintGivenUp(const ModuleReport& report, bool everything, llvm::raw_ostream& os) {
  if (report.given_up.empty()) return;
  os << "\ngiven up, of " << Fixed(report.time_limit, 3) << " s\n";
  size_t printed = 0;
  for (const GivenUp& unit : report.given_up) {
    if (++printed > kMaxGivenUp && !everything) continue;
    os << "    " << unit.unit << ", after " << Fixed(unit.seconds, 1) << " s: " << unit.why << "\n";
  }
  if (printed > kMaxGivenUp && !everything) {
    os << "    and " << printed - kMaxGivenUp << " more (-vv)\n";
  }
}

}  // namespace

void PrintReport(const ModuleReport& report, llvm::raw_ostream& os, bool everything) {
  os << report.file << ": module " << report.module << ", " << report.computations
     << " computations, " << report.instructions << " instructions\n";
  PrintMaps(report, everything, os);
  PrintComposed(report, os);
  PrintSimplification(report, os);
  PrintCertificates(report, os);
  PrintMemory(report.memory, os);
  PrintKernels(report, os);
  PrintCollectives(report, os);
  PrintGaps(report, everything, os);
  PrintGivenUp(report, everything, os);
  os << "\n";
  constexpr size_t kMaxFindings = 20;
  const size_t most = everything ? report.findings.size() : kMaxFindings;
  for (size_t i = 0; i < report.findings.size() && i < most; ++i) {
    const Finding& finding = report.findings[i];
    os << Name(finding.kind) << " " << finding.text << "\n    replay: " << finding.replay << "\n";
  }
  if (report.findings.size() > most) {
    os << "and " << report.findings.size() - most << " more findings (-vv)\n";
  }
  os << "verdict: " << VerdictLine(report) << "\n";
}

std::string VerdictLine(const ModuleReport& report) {
  return report.verdict() + (report.Worst() ? "; covered: " : ": ") + report.Covered() + " (" +
         Fixed(report.ms / 1000, 2) + " s, seed " + std::to_string(report.seed) + ")";
}

}  // namespace affirm::driver
