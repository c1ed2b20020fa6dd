// Fusions, kernels and library ops run by themselves, on arguments of their own.
#include <cmath>
#include <utility>

#include "driver/check/comparisons.h"
#include "driver/check/kernel_checker.h"
#include "driver/check/library_ops.h"
#include "driver/errors.h"
#include "driver/open_sorts.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "verify/reference/interpreter.h"
#include "verify/scalar/scalar.h"

namespace affirm::driver {

Unit KernelChecker::RunOfFusion(size_t u, std::function<bool()> is_needed) {
  return {.name = "execution of " + program_.fused_computations()[u].name + " alone",
          .phase = Unit::Phase::kExecution,
          .first_kernel = first_part_[u],
          .end_kernel = first_part_[u] + PartsOf(u).size(),
          .is_needed = std::move(is_needed),
          .work = [this, u] { RunAlone(u); },
          .give_up =
              [this, u](const std::string& why) {
                for (const Part& part : PartsOf(u)) {
                  CheckOf(part).has_empty_sample = false;
                  CheckOf(part).why_not = NotRun(part, why);
                }
              }};
}

void KernelChecker::AddRunOfLibraryOp(size_t k, std::vector<Unit>& units) {
  units.push_back(
      {.name = "execution of " + program_.library_ops()[k].op->name + " alone",
       .phase = Unit::Phase::kExecution,
       .end_kernel = parts_.size(),
       .is_needed = [this] { return RunsWhole() && !state_.report.argument_kinds.empty(); },
       .work = [this, k] { RunLibraryOpAlone(k); },
       .give_up = [this,
                   k](const std::string& why) { state_.report.whole.libraries[k].why_not = why; }});
}

void KernelChecker::AddRunOfPart(Part& part, std::vector<Unit>& units) {
  units.push_back(
      {.name = "execution of the kernel of " + part.fused->name + " alone",
       .phase = Unit::Phase::kExecution,
       .first_kernel = part.number,
       .end_kernel = part.number + 1,
       .is_needed = [this, &part] { return RunsAloneInSamples(part); },
       .work = [this, &part] { RunPartAlone(part); },
       .give_up = [this,
                   &part](const std::string& why) { CheckOf(part).why_not = NotRun(part, why); }});
}

void KernelChecker::RunLibraryOpAlone(size_t k) {
  const LibraryOp& library = program_.library_ops()[k];
  LibraryCheck& check = state_.report.whole.libraries[k];
  for (Part& part : parts_) Compile(part);
  CollectOrders();
  state_.progress("running " + library.op->name + " alone");
  kind_ = hlo::ArgumentKind::kSmall;
  llvm::fill(runs_of_fusion_, 0);
  by_kernels_ = true;
  hlo::InterpretOptions options;
  options.run_fusion = [&](const hlo::Instruction& fusion,
                           llvm::ArrayRef<const hlo::Literal*> operands)
      -> std::optional<llvm::Expected<hlo::Literal>> {
    const FusedComputation* fused = program_.FindFused(fusion);
    if (fused == nullptr) return std::nullopt;
    std::vector<hlo::Literal> values;
    for (const hlo::Literal* operand : operands) values.push_back(*operand);
    return RunFusion(NumberOf(*fused), values);
  };
  const auto arguments = WellConditionedArguments(*library.alone, state_.options().seed);
  auto expected = hlo::Interpret(*library.alone, arguments);
  auto actual = hlo::Interpret(*library.as_loop, arguments, options);
  if (!expected || !actual) {
    check.why_not = MessageOf(llvm::joinErrors(expected.takeError(), actual.takeError()));
    return;
  }
  const bool finite = llvm::all_of(llvm::seq(expected->NumElements()), [&](int64_t i) {
    const hlo::Scalar value = hlo::Load(*expected, i);
    return std::isfinite(value.re) && std::isfinite(value.im);
  });
  if (!finite) check.why_not = "its result is not finite";
  if (!by_kernels_) check.why_not = "not all of its kernels have a value";
  ++check.runs;
  AddTo(check.comparison, hlo::Compare(*expected, *actual, 0));
  AddMismatch("the loop of '" + library.op->name + "'", check.comparison);
}

std::string KernelChecker::NotRun(const Part& part, const std::string& why) {
  return "the kernel of '" + part.fused->name + "' was not run: " + why;
}

bool KernelChecker::WasReached(size_t u) {
  return llvm::any_of(PartsOf(u), [&](const Part& part) { return CheckOf(part).reached; });
}

// Fusions that no arguments of the module led to: branches that were not taken.
void KernelChecker::RunAlone(size_t u) {
  const FusedComputation& fused = program_.fused_computations()[u];
  if (const std::string why = WhySortIsOpen(*fused.computation); !why.empty()) {
    for (const Part& part : PartsOf(u)) CheckOf(part).why_not = NotRun(part, why);
    return;
  }
  for (Part& part : PartsOf(u)) Compile(part);
  CollectOrders();
  state_.progress("running " + fused.name + " alone");
  for (hlo::ArgumentKind kind : Kinds()) {
    kind_ = kind;
    runs_of_fusion_[u] = 0;
    auto arguments = hlo::MakeArguments(*fused.computation, state_.options().seed, kind);
    ShareSlices(fused, arguments);
    auto value = RunFusion(u, arguments);
    if (!value) llvm::consumeError(value.takeError());
  }
  for (const Part& part : PartsOf(u)) CheckOf(part).ran_alone = true;
}

void KernelChecker::RunPartAlone(Part& part) {
  if (const std::string why = WhySortIsOpen(*part.fused->computation); !why.empty()) {
    CheckOf(part).why_not = NotRun(part, why);
    return;
  }
  Compile(part);
  TakeOrders(part);
  state_.progress("running the kernel of " + part.fused->name + " alone");
  for (hlo::ArgumentKind kind : Kinds()) {
    kind_ = kind;
    auto arguments = hlo::MakeArguments(*part.fused->computation, state_.options().seed, kind);
    ShareSlices(*part.fused, arguments);
    // The sorts of launches leave open what they do with equal elements, of which there are none
    // where positions are what the launch before has left.
    hlo::InterpretOptions options;
    options.orders = &part.orders;
    options.promises.no_ties = true;
    auto expected = hlo::Interpret(*part.fused->computation, arguments, options);
    if (!expected) {
      llvm::consumeError(expected.takeError());
      continue;
    }
    RunPart(part, arguments, std::move(*expected));
  }
  CheckOf(part).ran_alone = true;
}

}  // namespace affirm::driver
