// The base of targets of random modules: how a module is generated and gets smaller.
#ifndef AFFIRM_DRIVER_CAMPAIGN_MODULE_TARGET_H_
#define AFFIRM_DRIVER_CAMPAIGN_MODULE_TARGET_H_

#include <string>
#include <utility>

#include "driver/campaign/fuzz_target.h"
#include "fuzz/reducer/hlo_reducer.h"

namespace affirm::driver {

class ModuleTarget : public FuzzTarget {
 public:
  std::string Generate(llvm::ArrayRef<uint8_t> bytes) const override;
  std::string Reduce(const std::string& text, llvm::ArrayRef<uint8_t> bytes,
                     const InterestingnessTest& is_interesting) const override;
  const char* extension() const override { return "hlo"; }

 protected:
  explicit ModuleTarget(const fuzz::HloLimits& limits, fuzz::ReduceOptions reduce = {})
      : limits_(limits), reduce_(std::move(reduce)) {}

 private:
  fuzz::HloLimits limits_;
  fuzz::ReduceOptions reduce_;
};

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_CAMPAIGN_MODULE_TARGET_H_
