// A target of `affirm fuzz`: how bytes become an input, the property that it must have, and how it
// gets smaller.
#ifndef AFFIRM_DRIVER_CAMPAIGN_FUZZ_TARGET_H_
#define AFFIRM_DRIVER_CAMPAIGN_FUZZ_TARGET_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fuzz/generators/hlo_generator.h"
#include "llvm/ADT/ArrayRef.h"

namespace affirm::driver {

// The outcome of one input. `bucket` is the same for inputs that fail alike.
struct Outcome {
  enum class Kind : uint8_t { kFine, kUnknown, kFinding, kCrash, kHang };
  Kind kind = Kind::kFine;
  std::string bucket;
  std::string text;  // what each side said, and where they differ first
  // Other outcomes of the input, to be counted: "refused by the compiler".
  std::vector<std::string> notes = {};
};
// A finding of its own bucket, `what`.
Outcome FindingIn(const std::string& what, const std::string& text);
const char* Name(Outcome::Kind kind);  // "fine", "unknown", "finding", "crash", "hang"

// A message without what differs from one input to the next: numbers, quoted names, source
// locations.
std::string BucketOf(const std::string& message);

class FuzzTarget {
 public:
  virtual ~FuzzTarget() = default;
  // The input that the bytes choose, as text that `affirm` reads.
  virtual std::string Generate(llvm::ArrayRef<uint8_t> bytes) const = 0;
  virtual Outcome Check(const std::string& text) = 0;
  // The processor time after which an input is a hang.
  virtual int cpu_seconds() const { return 10; }
  // For targets that prepare many inputs at once: how many, and the preparation. 0: none.
  virtual size_t batch() const { return 0; }
  virtual void Prepare(llvm::ArrayRef<std::string> /*texts*/) {}
  // A smaller text of which `is_interesting` is true.
  using InterestingnessTest = std::function<bool(const std::string& text)>;
  virtual std::string Reduce(const std::string& text, llvm::ArrayRef<uint8_t> bytes,
                             const InterestingnessTest& is_interesting) const;
  // Whether inputs of which something stays unknown are reduced, to be told apart.
  virtual bool ReducesUnknown() const { return true; }
  // The extension of a file with such a text, and the start of a line of comment in it.
  virtual const char* extension() const { return "txt"; }
  // A command that checks a file alone; empty when there is none.
  virtual std::string Replay(const std::string& file) const = 0;
};

struct FuzzTargetInfo {
  const char* name;
  const char* what;
  std::unique_ptr<FuzzTarget> (*make)(const fuzz::HloLimits& limits, uint64_t seed);
};
llvm::ArrayRef<FuzzTargetInfo> FuzzTargets();

// hlo_target.cc, map_targets.cc, rules_target.cc
std::unique_ptr<FuzzTarget> MakeHloTarget(const fuzz::HloLimits& limits, uint64_t seed);
std::unique_ptr<FuzzTarget> MakeMapsTarget(const fuzz::HloLimits& limits, uint64_t seed);
std::unique_ptr<FuzzTarget> MakeEquivTarget(const fuzz::HloLimits& limits, uint64_t seed);
std::unique_ptr<FuzzTarget> MakeRulesTarget(const fuzz::HloLimits& limits, uint64_t seed);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_CAMPAIGN_FUZZ_TARGET_H_
