#include "driver/campaign/module_target.h"

#include "core/hlo/text.h"
#include "llvm/Support/Error.h"

namespace affirm::driver {

std::string ModuleTarget::Generate(llvm::ArrayRef<uint8_t> bytes) const {
  fuzz::Choices choices(bytes);
  return hlo::ToString(*fuzz::GenerateModule(choices, limits_));
}

std::string ModuleTarget::Reduce(const std::string& text, llvm::ArrayRef<uint8_t>,
                                 const InterestingnessTest& is_interesting) const {
  auto module = hlo::ParseModule(text, "graph.hlo");
  if (!module) {
    llvm::consumeError(module.takeError());
    return text;
  }
  auto reduced = fuzz::ReduceModule(
      **module,
      [&](const hlo::Module& candidate) { return is_interesting(hlo::ToString(candidate)); },
      reduce_);
  return reduced ? hlo::ToString(*reduced) : text;
}

}  // namespace affirm::driver
