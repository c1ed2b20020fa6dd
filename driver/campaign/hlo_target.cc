// The target `hlo`: modules through the whole chain.
#include "core/hlo/text.h"
#include "core/hlo/verifier.h"
#include "driver/campaign/module_target.h"
#include "driver/check/check.h"
#include "driver/errors.h"
#include "driver/shell_command.h"

namespace affirm::driver {
namespace {

// Its bucket is the message without what differs from one module to the next.
Outcome FindingOfKind(const std::string& what, const std::string& text) {
  return {Outcome::Kind::kFinding, what + ": " + BucketOf(text), what + ": " + text};
}

class HloTarget : public ModuleTarget {
 public:
  HloTarget(const fuzz::HloLimits& limits, uint64_t seed)
      : ModuleTarget(limits), checker_(CheckOptionsOf(seed)) {}

  Outcome Check(const std::string& text) override {
    auto module = hlo::ParseModule(text, "graph.hlo");
    if (!module) return FindingOfKind("reader", MessageOf(module.takeError()));
    if (llvm::Error error = hlo::VerifyExecutable(**module, "graph.hlo")) {
      return FindingOfKind("verifier", MessageOf(std::move(error)));
    }
    if (hlo::ToString(**module) != text)
      return FindingOfKind("printer", "prints differently when read");
    driver::ModuleReport report = checker_.Check(**module, "graph.hlo", [](llvm::StringRef) {});
    const driver::Finding* worst = report.Worst();
    if (!worst) return {};
    bool unknown = worst->kind == driver::Finding::Kind::kUnknown;
    return {unknown ? Outcome::Kind::kUnknown : Outcome::Kind::kFinding,
            std::string(driver::Name(worst->kind)) + " " + BucketOf(worst->text), report.verdict()};
  }

  std::string Replay(const std::string& file) const override {
    return "affirm check " + ShellQuoted(file) + " --seed " +
           std::to_string(checker_.options().seed);
  }

 private:
  // Less than `affirm check` spends: bounded by work, so that no machine decides. The time on the
  // clock is never what stops a query here.
  static driver::CheckOptions CheckOptionsOf(uint64_t seed) {
    driver::CheckOptions options;
    options.seed = seed;
    options.decide.budget.z3_rlimit = 4'000'000;
    options.decide.budget.isl_operations = 2'000'000;
    options.decide.budget.wall_ms = 600'000;
    return options;
  }

  driver::Checker checker_;
};

}  // namespace

std::unique_ptr<FuzzTarget> MakeHloTarget(const fuzz::HloLimits& limits, uint64_t seed) {
  return std::make_unique<HloTarget>(limits, seed);
}

}  // namespace affirm::driver
