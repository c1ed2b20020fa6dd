// The claims as runs of the emulator judge them.
#include "driver/validate/execute.h"

#include "driver/errors.h"
#include "driver/open_sorts.h"
#include "driver/validate/argument_sets.h"
#include "driver/validate/buffers.h"
#include "driver/validate/executed_claims.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "verify/enclosure/compare.h"
#include "verify/kernel/emulator/emulator.h"
#include "verify/reference/arguments.h"
#include "verify/reference/interpreter.h"
#include "verify/reference/open_elements.h"

namespace affirm::driver {
namespace {

using hlo::Literal;

// No further set of arguments is run after this many steps of the earlier ones; steps are counted,
// not time, so that verdicts do not depend on the machine.
constexpr int64_t kMostCodes = int64_t{1} << 32;

// None of the further sets is run after this many steps of the earlier ones.
constexpr int64_t kMostCodesOfFurther = int64_t{1} << 23;

bool HasAtomicStores(const kernel::KernelIr& ir) {
  return llvm::any_of(*ir.module, [](const llvm::Function& function) {
    return llvm::any_of(llvm::instructions(function), [](const llvm::Instruction& op) {
      const auto* store = llvm::dyn_cast<llvm::StoreInst>(&op);
      return store != nullptr && store->isAtomic();
    });
  });
}

class WholeRun {
 public:
  WholeRun(const KernelSubject& subject, const ValidateOptions& options)
      : subject_(subject),
        options_(options),
        comparison_(*subject.computation, KernelFreedom(subject)),
        stores_meet_(HasAtomicStores(*subject.ir)),
        why_open_(WhySortIsOpen(*subject.computation)),
        why_no_values_(why_open_) {}

  Validation Run() {
    auto emulator = kernel::Emulator::Create(*subject_.ir, subject_.launch);
    if (!emulator) return claims_.Finish(MessageOf(emulator.takeError()));
    const ArgumentSets sets(*subject_.computation, options_.seed);
    uint64_t order = 0;  // the first run is in order, the others in some order
    for (int64_t number = 0; number < sets.size() && codes_ < kMostCodes; ++number) {
      if (!RunOnce(*emulator, ArgumentsOf(sets, number), order)) break;
      order += 1 + options_.seed * 7;
    }
    for (int64_t k = 0; k < ArgumentSets::kFurther && codes_ < kMostCodesOfFurther; ++k) {
      if (claims_.refuted() || !claims_.summary().limit.empty() || !why_no_values_.empty()) break;
      if (!RunOnce(*emulator, ArgumentsOf(sets, sets.size() + k), order)) break;
      order += 1 + options_.seed * 7;
    }
    if (claims_.summary().elements == 0 && why_no_values_.empty()) why_no_values_ = why_not_here_;
    claims_.summary().not_tested = comparison_.WhyNotTested();
    if (why_no_values_.empty()) why_no_values_ = claims_.summary().not_tested;
    if (claims_.summary().left_open > 0 && why_no_values_.empty())
      why_no_values_ = std::to_string(claims_.summary().left_open) +
                       " elements differ that HLO leaves open: " + why_left_open_;
    Validation validation = claims_.Finish("executed on " + std::to_string(claims_.summary().runs) +
                                           " sets of arguments, not proved" +
                                           (why_no_values_.empty() ? "" : ": " + why_no_values_));
    validation.refuted_run = std::move(refuted_run_);
    return validation;
  }

 private:
  // Arguments on which updates meet in one element show races; those on which none meet give values
  // that can be compared.
  std::vector<Literal> ArgumentsOf(const ArgumentSets& sets, int64_t number) const {
    std::vector<Literal> arguments = sets.Make(number);
    if (stores_meet_ && number % 2 == 1)
      hlo::EnforceIndexPromises(*subject_.computation, arguments, /*where_order_counts=*/true);
    return arguments;
  }

  // False when something was refuted.
  bool RunOnce(const kernel::Emulator& emulator, std::vector<Literal> arguments, uint64_t order) {
    if (std::string why = hlo::WhyPromiseIsBroken(*subject_.computation, arguments); !why.empty()) {
      why_not_here_ = std::move(why);
      return true;
    }
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
    const std::vector<std::vector<uint8_t>> before = memories;
    kernel::EmulatorRun run = emulator.Run(memories, options);
    kernel::ConfirmUnspecified(run, [&](kernel::EmulatorOptions::Unspecified unspecified) {
      std::vector<std::vector<uint8_t>> again = before;
      options.unspecified = unspecified;
      return emulator.Run(again, options);
    });
    ++claims_.summary().runs;
    codes_ += run.codes;
    claims_.summary().codes += run.codes;
    for (const kernel::Finding& finding : run.findings) claims_.Judge(finding);
    if (run.complete && why_open_.empty()) CompareValues(arguments, memories, run);
    return !claims_.refuted() && claims_.summary().limit.empty();
  }

  void KeepRun(const std::vector<const Literal*>& expected, const std::vector<Literal>& actual) {
    auto run = std::make_shared<RefutedRun>();
    for (const Literal* literal : expected) run->expected.push_back(*literal);
    run->actual = actual;
    refuted_run_ = std::move(run);
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

  void CompareValues(const std::vector<Literal>& arguments,
                     const std::vector<std::vector<uint8_t>>& memories,
                     const kernel::EmulatorRun& run) {
    hlo::InterpretOptions held;
    held.promises.order_is_open = stores_meet_;
    auto expected = hlo::Interpret(*subject_.computation, arguments, held);
    if (!expected) {
      llvm::Error error = expected.takeError();
      std::string& why = error.isA<hlo::OpenResult>() ? why_not_here_ : why_no_values_;
      why = MessageOf(std::move(error));
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
    std::vector<const Literal*> of_kernel;
    of_kernel.reserve(got.size());
    for (const Literal& leaf : got) of_kernel.push_back(&leaf);
    const hlo::LiteralComparison result = comparison_.Compare(arguments, want, of_kernel);
    ExecutionSummary& summary = claims_.summary();
    summary.elements += result.elements;
    summary.largest_ulp = std::max(summary.largest_ulp, result.max_ulp);
    summary.within = std::max(summary.within, result.within);
    summary.left_open += result.left_open;
    if (result.left_open > 0) why_left_open_ = result.why_open;
    if (!result.first) return;
    KeepRun(want, got);
    const hlo::Mismatch& first = *result.first;
    const kernel::Param& param = *outputs[first.leaf];
    const int64_t byte = PositionOf(param.shape, first.element) * hlo::ByteWidth(param.shape.type);
    const auto& shadow = run.shadows[param.memory];
    auto writer = shadow != nullptr && !IsPacked(param) ? shadow->LastWriter(byte) : std::nullopt;
    claims_.RefuteValue(param, first, writer);
  }

  const KernelSubject& subject_;
  const ValidateOptions& options_;
  enclosure::ResultComparison comparison_;
  ExecutedClaims claims_;
  std::shared_ptr<const RefutedRun> refuted_run_;
  const bool stores_meet_;      // so that a scatter's updates are taken in the order of the threads
  const std::string why_open_;  // a sort, so that the results are not compared
  std::string why_no_values_;
  std::string why_not_here_;  // on some arguments, whose results are open
  std::string why_left_open_;
  int64_t codes_ = 0;
};

}  // namespace

Validation ExecuteWhole(const KernelSubject& subject, const ValidateOptions& options) {
  return WholeRun(subject, options).Run();
}

}  // namespace affirm::driver
