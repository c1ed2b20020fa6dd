// The claims as runs of the emulator judge them.
#include <chrono>

#include "driver/errors.h"
#include "driver/validate/argument_sets.h"
#include "driver/validate/buffers.h"
#include "driver/validate/distance.h"
#include "driver/validate/validate.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/kernel/emulator/emulator.h"
#include "verify/reference/interpreter.h"

namespace affirm::driver {
namespace {

using hlo::Literal;
using kernel::Claim;

double MillisecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

// Loops of a kernel go round less often than there are bytes, unless they hang.
int64_t MostJumps(const kernel::Launch& launch) {
  int64_t bytes = 0;
  for (const kernel::Param& param : launch.params) bytes += param.bytes;
  return (int64_t{1} << 18) + 4 * bytes;
}

// No further set of arguments is run when those before took so many steps; a number of steps, so
// that verdicts do not depend on the machine.
constexpr int64_t kMostCodes = int64_t{1} << 32;

class Execution {
 public:
  Execution(const KernelSubject& subject, const ValidateOptions& options)
      : subject_(subject), options_(options), distance_(*subject.computation) {
    for (Claim claim : kernel::kClaims) {
      ClaimResult unknown;
      unknown.claim = claim;
      unknown.engine = "emulator";
      validation_.claims.push_back(std::move(unknown));
    }
  }

  Validation Run() {
    const auto start = std::chrono::steady_clock::now();
    auto emulator = kernel::Emulator::Create(*subject_.ir, subject_.launch);
    if (!emulator) {
      Explain(MessageOf(emulator.takeError()));
    } else {
      const ArgumentSets sets(*subject_.computation, options_.seed);
      uint64_t order = 0;  // the first run is in order, the others in some order
      for (int64_t number = 0; number < sets.size() && codes_ < kMostCodes; ++number) {
        if (!RunOnce(*emulator, sets.Make(number), order)) break;
        order += 1 + options_.seed * 7;
      }
      const auto runs = std::to_string(validation_.executed.runs);
      Explain("executed on " + runs + " sets of arguments, not proved" +
              (why_no_values_.empty() ? "" : ": " + why_no_values_));
    }
    const double ms = MillisecondsSince(start);
    bool refuted = false;
    for (ClaimResult& claim : validation_.claims) {
      claim.ms = ms;
      refuted |= claim.verdict == ClaimVerdict::kRefuted;
    }
    if (refuted) validation_.verdict = ClaimVerdict::kRefuted;
    return std::move(validation_);
  }

 private:
  // False when something was refuted.
  bool RunOnce(const kernel::Emulator& emulator, std::vector<Literal> arguments, uint64_t order) {
    std::vector<std::vector<uint8_t>> memories(subject_.launch.NumMemories());
    std::vector<Literal*> leaves;
    for (Literal& argument : arguments) AppendLeaves(argument, leaves);
    size_t next = 0;
    for (const kernel::Param& param : subject_.launch.params) {
      if (param.role != kernel::Param::kInput) continue;
      const Literal& leaf = *leaves[next++];
      if (leaf.shape().type == hlo::PrimitiveType::kInvalid) {
        why_no_values_ = "an operand is too large to run";
        return false;
      }
      memories[param.memory] = ToBuffer(leaf, param);
    }
    // Operands in one memory have the values that it holds.
    next = 0;
    for (const kernel::Param& param : subject_.launch.params) {
      if (param.role != kernel::Param::kInput) continue;
      Literal& leaf = *leaves[next++];
      if (IsShared(param)) leaf = FromBuffer(memories[param.memory], param);
    }
    kernel::EmulatorOptions options;
    options.seed = order;
    options.most_jumps_back = MostJumps(subject_.launch);
    kernel::EmulatorRun run = emulator.Run(memories, options);
    ++validation_.executed.runs;
    codes_ += run.codes;
    for (const kernel::Finding& finding : run.findings) Refute(finding);
    if (run.complete) CompareValues(arguments, memories, run);
    return llvm::none_of(validation_.claims, [](const ClaimResult& claim) {
      return claim.verdict == ClaimVerdict::kRefuted;
    });
  }

  // Whether the memory is that of another operand as well.
  bool IsShared(const kernel::Param& param) const {
    return llvm::any_of(subject_.launch.params, [&](const kernel::Param& other) {
      return &other != &param && other.role == kernel::Param::kInput &&
             other.memory == param.memory;
    });
  }

  static void AppendLeaves(Literal& literal, std::vector<Literal*>& leaves) {
    if (!literal.shape().IsTuple()) return leaves.push_back(&literal);
    for (Literal& element : literal.tuple()) AppendLeaves(element, leaves);
  }

  ClaimResult& Of(Claim claim) { return validation_.claims[static_cast<size_t>(claim)]; }

  void Refute(const kernel::Finding& finding) {
    ClaimResult& result = Of(finding.claim);
    if (result.verdict == ClaimVerdict::kRefuted) return;
    result.verdict = ClaimVerdict::kRefuted;
    result.reason = finding.ToString();
    KernelCounterexample example;
    example.block = finding.block;
    example.thread = finding.thread;
    example.buffer = finding.buffer;
    example.element = finding.element;
    example.actual = finding.what;
    example.line = finding.line;
    example.instruction = finding.instruction;
    result.counterexample = std::move(example);
  }

  void CompareValues(const std::vector<Literal>& arguments,
                     const std::vector<std::vector<uint8_t>>& memories,
                     const kernel::EmulatorRun& run) {
    auto expected = hlo::Interpret(*subject_.computation, arguments);
    if (!expected) {
      why_no_values_ = MessageOf(expected.takeError());
      return;
    }
    std::vector<const Literal*> want = LeavesOf(*expected);
    std::vector<Literal> got;
    std::vector<const kernel::Param*> outputs;
    for (const kernel::Param& param : subject_.launch.params) {
      if (param.role != kernel::Param::kOutput) continue;
      got.push_back(FromBuffer(memories[param.memory], param));
      outputs.push_back(&param);
    }
    Distance::Result result = distance_.Compare(arguments, want, got);
    validation_.executed.elements += result.elements;
    validation_.executed.largest_ulp =
        std::max(validation_.executed.largest_ulp, result.largest_ulp);
    if (!result.first) return;
    const auto [leaf, element, ulp] = *result.first;
    ClaimResult& values = Of(Claim::kValues);
    if (values.verdict == ClaimVerdict::kRefuted) return;
    const kernel::Param& param = *outputs[leaf];
    KernelCounterexample example;
    example.buffer = param.name.empty() ? "output " + std::to_string(leaf) : param.name;
    example.element = element;
    example.expected = want[leaf]->ElementToString(element);
    example.actual = got[leaf].ElementToString(element);
    const int64_t byte = PhysicalOrder(param.shape)[element] * hlo::ByteWidth(param.shape.type);
    const auto& shadow = run.shadows[param.memory];
    auto writer = shadow != nullptr && !IsPacked(param) ? shadow->LastWriter(byte) : std::nullopt;
    if (writer) {
      example.block = writer->block;
      example.thread = writer->thread;
    }
    values.verdict = ClaimVerdict::kRefuted;
    values.reason = "element " + std::to_string(element) + " of " + example.buffer + " is " +
                    example.actual + ", should be " + example.expected;
    values.counterexample = std::move(example);
  }

  // Why the claims that nothing refuted are unknown.
  void Explain(const std::string& reason) {
    for (ClaimResult& claim : validation_.claims) {
      if (claim.verdict == ClaimVerdict::kUnknown) claim.reason = reason;
    }
  }

  const KernelSubject& subject_;
  const ValidateOptions& options_;
  Distance distance_;
  Validation validation_;
  std::string why_no_values_;
  int64_t codes_ = 0;
};

}  // namespace

Validation ExecuteClaims(const KernelSubject& subject, const ValidateOptions& options) {
  return Execution(subject, options).Run();
}

}  // namespace affirm::driver
