// A size that is known at run time only is refused: no kernel uses its bound instead.
#include <gtest/gtest.h>

#include <string>

#include "core/hlo/text.h"
#include "emit/kernel.h"
#include "emit/plan/flat_graph.h"

namespace affirm {
namespace {

std::string ErrorOf(const std::string& entry) {
  auto module = hlo::ParseModule(
      "HloModule m\nsum { x = f32[] parameter(0) y = f32[] parameter(1) ROOT r = f32[] add(x, y) "
      "}\n"
      "cut { p = f32[5] parameter(0) n = s32[] parameter(1) "
      "ROOT s = f32[<=5] set-dimension-size(p, n), dimensions={0} }\n"
      "turned { p = f32[<=5] parameter(0) ROOT r = f32[<=5] reverse(p), dimensions={0} }\n"
      "ENTRY e { " +
          entry + " }",
      "text");
  if (!module) {
    ADD_FAILURE() << llvm::toString(module.takeError());
    return "";
  }
  Context context;
  auto kernel = emit::EmitKernel(*(*module)->entry, context);
  return kernel ? "" : llvm::toString(kernel.takeError());
}

TEST(DynamicKernels, AreRefused) {
  for (const char* entry :
       {"p = f32[<=5] parameter(0) ROOT r = f32[<=5] negate(p)",
        "p = f32[<=5] parameter(0) ROOT r = f32[<=5] reverse(p), dimensions={0}",
        "p = f32[<=5] parameter(0) q = f32[5] parameter(1) ROOT r = f32[<=10] concatenate(p, q), "
        "dimensions={0}",
        "p = f32[<=5] parameter(0) z = f32[] constant(0) "
        "ROOT r = f32[] reduce(p, z), dimensions={0}, to_apply=sum",
        "p = f32[<=5] parameter(0) ROOT r = f32[<=5] call(p), to_apply=turned",
        "p = f32[5] parameter(0) n = s32[] parameter(1) s = f32[<=5] call(p, n), to_apply=cut "
        "ROOT r = f32[5] negate(s)",
        "p = f32[<=5] parameter(0) q = f32[3] parameter(1) ROOT t = f32[3] negate(q)"}) {
    EXPECT_NE(ErrorOf(entry).find("known at run time only"), std::string::npos)
        << entry << ": " << ErrorOf(entry);
  }
  EXPECT_EQ(ErrorOf("p = f32[5] parameter(0) ROOT r = f32[5] reverse(p), dimensions={0}"), "");
}

}  // namespace
}  // namespace affirm
