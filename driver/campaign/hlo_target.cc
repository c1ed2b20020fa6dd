// The target `hlo`: modules through the whole chain.
#include "core/hlo/text.h"
#include "core/hlo/verifier.h"
#include "driver/campaign/fuzz_target.h"
#include "driver/check/check.h"
#include "driver/errors.h"
#include "fuzz/reducer/hlo_reducer.h"

namespace affirm::driver {
namespace {

// Its bucket is the message without what differs from one module to the next.
Outcome FindingOfKind(const std::string& what, const std::string& text) {
  return {Outcome::Kind::kFinding, what + ": " + BucketOf(text), what + ": " + text};
}

class HloTarget : public FuzzTarget {
 public:
  HloTarget(const fuzz::HloLimits& limits, uint64_t seed)
      : limits_(limits), checker_(CheckOptionsOf(seed)) {}

  std::string Generate(llvm::ArrayRef<uint8_t> bytes) const override {
    fuzz::Choices choices(bytes);
    return hlo::ToString(*fuzz::GenerateModule(choices, limits_));
  }

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

  std::string Reduce(const std::string& text, llvm::ArrayRef<uint8_t>,
                     const InterestingnessTest& is_interesting) const override {
    auto module = hlo::ParseModule(text, "graph.hlo");
    if (!module) {
      llvm::consumeError(module.takeError());
      return text;
    }
    auto reduced = fuzz::ReduceModule(**module, [&](const hlo::Module& candidate) {
      return is_interesting(hlo::ToString(candidate));
    });
    return reduced ? hlo::ToString(*reduced) : text;
  }

  const char* extension() const override { return "hlo"; }
  std::string Replay(const std::string& file) const override {
    return "affirm check " + file + " --seed " + std::to_string(checker_.options().seed);
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

  fuzz::HloLimits limits_;
  driver::Checker checker_;
};

}  // namespace

std::unique_ptr<FuzzTarget> MakeHloTarget(const fuzz::HloLimits& limits, uint64_t seed) {
  return std::make_unique<HloTarget>(limits, seed);
}

}  // namespace affirm::driver
