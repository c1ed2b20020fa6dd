// A runtime variable of a called computation is a value in one run of it. If there are several
// runs, no exact map with that variable is proved, whatever the analysis says.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/analysis/indexing.h"
#include "core/hlo/text.h"
#include "verify/hlo/proof/fusion.h"
#include "verify/hlo/proof/loops.h"

namespace affirm {
namespace {

const char* const kRow = R"(
row { x = f32[8,4] parameter(0) i = s32[] parameter(1) zero = s32[] constant(0)
      ROOT r = f32[1,4] dynamic-slice(x, i, zero), dynamic_slice_sizes={1,4} }
)";
const char* const kBranch = R"(
branch { p = (f32[8,4], s32[]) parameter(0) x = f32[8,4] get-tuple-element(p), index=0
         i = s32[] get-tuple-element(p), index=1 zero = s32[] constant(0)
         ROOT r = f32[1,4] dynamic-slice(x, i, zero), dynamic_slice_sizes={1,4} }
)";
// Adds row k of x in each trip, with the same k in all trips; `y` is row n of x in trip n.
const char* const kLoop = R"(
less { p = (s32[], s32[], f32[1,4], f32[8,4], f32[1,4]) parameter(0)
       n = s32[] get-tuple-element(p), index=0 m = s32[] constant(8)
       ROOT l = pred[] compare(n, m), direction=LT }
body { p = (s32[], s32[], f32[1,4], f32[8,4], f32[1,4]) parameter(0)
       n = s32[] get-tuple-element(p), index=0 k = s32[] get-tuple-element(p), index=1
       s = f32[1,4] get-tuple-element(p), index=2 x = f32[8,4] get-tuple-element(p), index=3
       zero = s32[] constant(0) one = s32[] constant(1) next = s32[] add(n, one)
       r = f32[1,4] dynamic-slice(x, k, zero), dynamic_slice_sizes={1,4}
       y = f32[1,4] dynamic-slice(x, n, zero), dynamic_slice_sizes={1,4}
       t = f32[1,4] add(s, r)
       ROOT c = (s32[], s32[], f32[1,4], f32[8,4], f32[1,4]) tuple(next, k, t, x, y) }
)";
const char* const kLoopEntry =
    "x = f32[8,4] parameter(0) i = s32[] parameter(1) j = s32[] parameter(2) "
    "n = s32[] constant(0) f = f32[] constant(0) s = f32[1,4] broadcast(f), dimensions={} "
    "t = (s32[], s32[], f32[1,4], f32[8,4], f32[1,4]) tuple(n, i, s, x, s) "
    "u = (s32[], s32[], f32[1,4], f32[8,4], f32[1,4]) tuple(n, j, s, x, s) "
    "ROOT a = (s32[], s32[], f32[1,4], f32[8,4], f32[1,4]) while(t), condition=less, body=body";
const char* const kParameters =
    "x = f32[8,4] parameter(0) i = s32[] parameter(1) j = s32[] parameter(2) ";

std::string Entry(const std::string& computations, const std::string& body) {
  return "HloModule m\n" + computations + "ENTRY e { " + body + " }\n";
}

// Exact maps of the op named a are proved for `once_`, where a alone runs the computation that it
// calls. They are not proved for `twice_`, where another op runs it too.
class Runs : public ::testing::Test {
 protected:
  void Read(const std::string& once, const std::string& twice) {
    auto of_once = hlo::ParseModule(once, "once"), of_twice = hlo::ParseModule(twice, "twice");
    ASSERT_TRUE(static_cast<bool>(of_once)) << llvm::toString(of_once.takeError());
    ASSERT_TRUE(static_cast<bool>(of_twice)) << llvm::toString(of_twice.takeError());
    once_ = std::move(*of_once);
    twice_ = std::move(*of_twice);
  }
  // The verdicts on the maps from leaf `output` of the op named a, by operand.
  std::vector<Verdict> Prove(const hlo::Module& module, int64_t output,
                             llvm::ArrayRef<std::vector<LabeledMap>> maps) {
    std::vector<Verdict> verdicts;
    for (const MapProofResult& answer :
         ProveFusion(*module.FindInstruction("a"), output, maps, context_)) {
      verdicts.push_back(answer.verdict);
    }
    return verdicts;
  }
  InstructionIndexing MapsOf(const hlo::Module& module, int64_t output) {
    return OutputToInput(*module.FindInstruction("a"), output, context_, {.exact = true});
  }
  // Expects that the maps of `once_` from leaf `output` to `operand` are proved for it alone, and
  // that those of `twice_` are proved for `twice_`.
  void HoldOfOneRun(int64_t output, size_t operand) {
    const InstructionIndexing maps = MapsOf(*once_, output);
    EXPECT_EQ(Prove(*once_, output, maps.maps)[operand], Verdict::kProved);
    EXPECT_NE(Prove(*twice_, output, maps.maps)[operand], Verdict::kProved);
    EXPECT_EQ(Prove(*twice_, output, MapsOf(*twice_, output).maps)[operand], Verdict::kProved);
  }

  std::unique_ptr<hlo::Module> once_, twice_;
  Context context_;
};

TEST_F(Runs, OfACall) {
  const std::string a = std::string(kParameters) + "ROOT a = f32[1,4] call(x, i), to_apply=row";
  Read(Entry(kRow, a), Entry(kRow, a + " b = f32[1,4] call(x, j), to_apply=row"));
  HoldOfOneRun(0, 0);
}

// g runs row once, and is run twice.
TEST_F(Runs, OfACallInACall) {
  const std::string g = std::string(kRow) +
                        "g { x = f32[8,4] parameter(0) i = s32[] parameter(1) "
                        "ROOT r = f32[1,4] call(x, i), to_apply=row }\n";
  const std::string a = std::string(kParameters) + "ROOT a = f32[1,4] call(x, i), to_apply=g";
  Read(Entry(g, a), Entry(g, a + " b = f32[1,4] call(x, j), to_apply=g"));
  HoldOfOneRun(0, 0);
}

// One op runs row twice, through its callee.
TEST_F(Runs, OfTwoCallsInACall) {
  auto g = [](const std::string& second) {
    return std::string(kRow) +
           "g { x = f32[8,4] parameter(0) i = s32[] parameter(1) j = s32[] parameter(2) "
           "q = f32[1,4] call(x, i), to_apply=row " +
           second + " }\n";
  };
  const std::string a = std::string(kParameters) + "ROOT a = f32[1,4] call(x, i, j), to_apply=g";
  Read(Entry(g("ROOT r = f32[1,4] negate(q)"), a),
       Entry(g("p = f32[1,4] call(x, j), to_apply=row ROOT r = f32[1,4] subtract(q, p)"), a));
  HoldOfOneRun(0, 0);
}

TEST_F(Runs, OfAFusion) {
  const std::string a =
      std::string(kParameters) + "ROOT a = f32[1,4] fusion(x, i), kind=kLoop, calls=row";
  Read(Entry(kRow, a), Entry(kRow, a + " b = f32[1,4] fusion(x, j), kind=kLoop, calls=row"));
  HoldOfOneRun(0, 0);
}

// Which branch runs is known, so that the maps to its operand are exact.
TEST_F(Runs, OfABranch) {
  const std::string other = std::string(kBranch) +
                            "none { p = (f32[8,4], s32[]) parameter(0) f = f32[] constant(0) "
                            "ROOT z = f32[1,4] broadcast(f), dimensions={} }\n";
  auto entry = [](const std::string& second) {
    return std::string(kParameters) +
           "c = pred[] constant(true) t = (f32[8,4], s32[]) tuple(x, i) "
           "u = (f32[8,4], s32[]) tuple(x, j) ROOT a = f32[1,4] conditional(c, t, u), "
           "true_computation=branch, false_computation=" +
           second;
  };
  Read(Entry(other, entry("none")), Entry(other, entry("branch")));
  HoldOfOneRun(0, 1);
}

// Row k is the same in all trips of a loop, and may differ between loops; row n follows from the
// trip in each loop.
TEST_F(Runs, OfTheBodyOfALoop) {
  const std::string second =
      " b = (s32[], s32[], f32[1,4], f32[8,4], f32[1,4]) while(u), condition=less, body=body";
  Read(Entry(kLoop, kLoopEntry), Entry(kLoop, std::string(kLoopEntry) + second));
  HoldOfOneRun(2, 0);
  // Invariants of a loop do not hold if another loop runs the same body.
  const CarriedMaps carried = AnalyzeCarried(*once_->FindInstruction("a"), {2}, context_);
  std::vector<LabeledMap> of_x;
  for (LabeledMap m : carried.maps.at(2)) {
    m.map = AfterAllTrips(carried, m.map);
    if (m.leaf == 3) of_x.push_back(std::move(m));
  }
  for (const hlo::Module* module : {once_.get(), twice_.get()}) {
    CallProofs proofs(context_);
    const LoopProof proof(*module->FindInstruction("a"), carried, proofs);
    EXPECT_EQ(proof.Prove(2, 3, of_x).verdict == Verdict::kProved, module == once_.get());
  }
  const std::vector<std::vector<LabeledMap>> maps = MapsOf(*once_, 4).maps;
  EXPECT_EQ(MapsOf(*twice_, 4).maps, maps);
  EXPECT_EQ(Prove(*twice_, 4, maps)[0], Verdict::kProved);
}

}  // namespace
}  // namespace affirm
