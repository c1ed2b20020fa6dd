// The maps of an emitter's passes, in logs that are written here.
#include <gtest/gtest.h>

#include "core/hlo/text.h"
#include "driver/dump/emitter_log.h"
#include "driver/dump/emitter_maps.h"
#include "llvm/Support/JSON.h"
#include "tests/tools/run_affirm.h"

namespace affirm::testing {
namespace {

using driver::EmitterClaim;
using driver::EmitterLog;

// A kernel of 32 threads that writes 64 elements, two by each, before a pass.
std::string Dump(const std::string& pass, const std::string& maps, const std::string& body) {
  return "// -----// IR Dump Before " + pass + ": p ('func.func' operation: @k) //----- //\n" +
         maps +
         "module attributes {dlti.dl_spec = #dlti.dl_spec<index = 32 : i32>} {\n"
         "  func.func @k(%arg0: tensor<64xf32> {xla.slice_index = 0 : index}, %arg1: "
         "tensor<64xf32> {xla.slice_index = 1 : index}) -> tensor<64xf32> attributes {xla.entry} "
         "{\n"
         "    %c0 = arith.constant 0 : index\n"
         "    %c1 = arith.constant 1 : index\n"
         "    %c2 = arith.constant 2 : index\n"
         "    %c32 = arith.constant 32 : index\n"
         "    %t = gpu.thread_id x {xla.range = [0 : index, 31 : index]}\n" +
         body + "  }\n}\n";
}

std::string Alias(const std::string& name, const std::string& map) {
  return "#" + name + " = #xla.indexing_map<\"" + map + "\">\n";
}

const std::string kIds = "(th_x)[s0] -> (";
const std::string kDomain = "), domain: th_x in [0, 31], s0 in [0, 1]";

// A loop that reads and writes at results of two maps.
std::string LoopDump(const std::string& pass, const std::string& read, const std::string& write) {
  return Dump(pass,
              Alias("loop", kIds + "s0 * 32 + th_x" + kDomain) +
                  Alias("read", kIds + read + kDomain) + Alias("write", kIds + write + kDomain),
              "    %xla_loop = xla.loop (%t)[%i] -> (%ra) in #loop iter_args(%iter = %arg1) -> "
              "(tensor<64xf32>) {\n"
              "      %0 = xla.apply_indexing #read(%t)[%i]\n"
              "      %1 = xla.apply_indexing #write(%t)[%i]\n"
              "      %e = tensor.extract %arg0[%0] : tensor<64xf32>\n"
              "      %f = math.exp %e : f32\n"
              "      %inserted = tensor.insert %f into %iter[%1] : tensor<64xf32>\n"
              "      xla.yield %inserted : tensor<64xf32>\n"
              "    }\n"
              "    return %xla_loop : tensor<64xf32>\n");
}

const std::string kIndex = "s0 * 32 + th_x";

// The same as arithmetic, in a loop of scf.
std::string ArithDump(const std::string& pass) {
  return Dump(pass, "",
              "    %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%iter = %arg1) -> "
              "(tensor<64xf32>) {\n"
              "      %0 = arith.muli %i, %c32 : index\n"
              "      %1 = arith.addi %0, %t : index\n"
              "      %e = tensor.extract %arg0[%1] : tensor<64xf32>\n"
              "      %inserted = tensor.insert %e into %iter[%1] : tensor<64xf32>\n"
              "      scf.yield %inserted : tensor<64xf32>\n"
              "    }\n"
              "    return %r : tensor<64xf32>\n");
}

// Both iterations one after the other, where the second reads at `offset`.
std::string UnrolledDump(const std::string& pass, const std::string& offset) {
  return Dump(pass, "",
              "    %c33 = arith.constant " + offset +
                  " : index\n"
                  "    %e = tensor.extract %arg0[%t] : tensor<64xf32>\n"
                  "    %a = tensor.insert %e into %arg1[%t] : tensor<64xf32>\n"
                  "    %0 = arith.addi %t, %c32 : index\n"
                  "    %1 = arith.addi %t, %c33 : index\n"
                  "    %g = tensor.extract %arg0[%1] : tensor<64xf32>\n"
                  "    %b = tensor.insert %g into %a[%0] : tensor<64xf32>\n"
                  "    return %b : tensor<64xf32>\n");
}

EmitterLog Check(const std::string& text, const hlo::Instruction* fusion = nullptr) {
  TemporaryFile log("k.mlir-passes.log", text);
  return driver::CheckEmitterLog(log.path(), "k", fusion);
}

const EmitterClaim* Find(const driver::EmitterPass& pass, llvm::StringRef what) {
  for (const EmitterClaim& claim : pass.claims) {
    if (claim.what == what) return &claim;
  }
  return nullptr;
}

TEST(EmitterMaps, OfAnotherFormAreProvedEqual) {
  EmitterLog log = Check(LoopDump("LowerPass", kIndex, kIndex) + ArithDump("NextPass") +
                         UnrolledDump("LastPass", "32"));
  EXPECT_EQ(log.reason, "");
  EXPECT_EQ(log.dumps_read, 3);
  // Loop variables and arithmetic are one map, and there is nothing to compare.
  ASSERT_EQ(log.passes.size(), 1u) << log.passes.front().pass;
  EXPECT_EQ(log.passes[0].pass, "NextPass");
  EXPECT_EQ(log.passes[0].verdict, Verdict::kProved);
  const EmitterClaim* writes = Find(log.passes[0], "writes of arg1");
  ASSERT_NE(writes, nullptr);
  EXPECT_TRUE(writes->as_sets);
  ASSERT_EQ(log.thread_maps.size(), 1u);
  EXPECT_EQ(log.thread_maps[0].verdict, Verdict::kProved) << log.thread_maps[0].reason;
}

TEST(EmitterMaps, OneFurtherIsRefutedWithThePass) {
  EmitterLog log = Check(LoopDump("GoodPass", kIndex, kIndex) +
                         LoopDump("BadPass", "s0 * 32 + th_x floordiv 1", kIndex) +
                         LoopDump("AfterPass", "(s0 * 32 + th_x + 1) mod 64", kIndex));
  auto wrong = log.WrongClaims();
  ASSERT_EQ(wrong.size(), 1u);
  EXPECT_EQ(wrong[0].name, "BadPass");
  EXPECT_TRUE(wrong[0].is_pass);
  EXPECT_EQ(wrong[0].claim->what, "reads of arg0");
  EXPECT_NE(wrong[0].claim->counterexample.find("th_x = "), std::string::npos)
      << wrong[0].claim->counterexample;
  EXPECT_NE(wrong[0].claim->counterexample.find("before {("), std::string::npos);
}

TEST(EmitterMaps, WritesThatChangeAreRefuted) {
  EmitterLog log = Check(LoopDump("BadPass", kIndex, kIndex) +
                         LoopDump("AfterPass", kIndex, "s0 * 32 + 31 - th_x"));
  ASSERT_EQ(log.WrongClaims().size(), 1u);
  EXPECT_EQ(log.WrongClaims()[0].claim->what, "writes of arg1");
}

TEST(EmitterMaps, IterationsInAnotherOrderAreProvedAsSetsOnly) {
  EmitterLog log = Check(LoopDump("OrderPass", kIndex, kIndex) +
                         LoopDump("AfterPass", "(1 - s0) * 32 + th_x", "(1 - s0) * 32 + th_x"));
  ASSERT_EQ(log.passes.size(), 1u);
  EXPECT_EQ(log.passes[0].verdict, Verdict::kProved);
  for (const EmitterClaim& claim : log.passes[0].claims) EXPECT_TRUE(claim.as_sets) << claim.what;
}

TEST(EmitterMaps, OneReadOfTwoThatIsWrongIsRefuted) {
  EmitterLog log = Check(LoopDump("UnrollPass", kIndex, kIndex) + UnrolledDump("AfterPass", "31"));
  ASSERT_EQ(log.WrongClaims().size(), 1u);
  EXPECT_EQ(log.WrongClaims()[0].name, "UnrollPass");
}

TEST(EmitterMaps, FewerOrMoreReadsAreUnknown) {
  for (bool more : {false, true}) {
    const std::string two = LoopDump("DeadPass", kIndex, kIndex);
    const std::string one = UnrolledDump("NextPass", "0");
    EmitterLog log = Check(more ? one + two : two + one);
    ASSERT_EQ(log.passes.size(), 1u);
    const EmitterClaim* reads = Find(log.passes[0], "reads of arg0");
    ASSERT_NE(reads, nullptr);
    EXPECT_EQ(reads->verdict, Verdict::kUnknown);
    EXPECT_EQ(reads->reason,
              more ? "more elements after than before" : "fewer elements after than before");
  }
}

TEST(EmitterMaps, ThreadMapThatIsNoBijectionIsRefuted) {
  for (const char* write : {"s0 * 16 + th_x", "s0 * 32 + th_x + 1", "th_x"}) {
    EmitterLog log = Check(LoopDump("FirstPass", kIndex, write));
    ASSERT_EQ(log.thread_maps.size(), 1u);
    EXPECT_EQ(log.thread_maps[0].verdict, Verdict::kRefuted) << write;
    EXPECT_NE(log.thread_maps[0].counterexample, "");
  }
}

// Nothing is claimed of a map outside of its domain: there a simplifier may do as it likes.
TEST(EmitterMaps, OutsideOfADomainNothingIsRefuted) {
  auto dump = [](const std::string& pass, const std::string& map) {
    return Dump(pass, Alias("m", map),
                "    %0 = xla.apply_indexing #m(%t)\n"
                "    %e = tensor.extract %arg0[%0] : tensor<64xf32>\n"
                "    %a = tensor.insert %e into %arg1[%t] : tensor<64xf32>\n"
                "    return %a : tensor<64xf32>\n");
  };
  EmitterLog log = Check(dump("P", "(d0) -> (d0 mod 16), domain: d0 in [0, 15]") +
                         dump("Q", "(d0) -> (d0), domain: d0 in [0, 15]"));
  ASSERT_EQ(log.passes.size(), 1u);
  EXPECT_EQ(log.passes[0].verdict, Verdict::kUnknown);
}

TEST(EmitterMaps, IndicesOfDataAreNotFollowed) {
  EmitterLog log = Check(Dump("P", "",
                              "    %e = tensor.extract %arg0[%t] : tensor<64xf32>\n"
                              "    %i = arith.fptosi %e : f32 to i32\n"
                              "    %j = arith.index_cast %i : i32 to index\n"
                              "    %a = tensor.insert %e into %arg1[%j] : tensor<64xf32>\n"
                              "    return %a : tensor<64xf32>\n"));
  ASSERT_EQ(log.not_followed.size(), 1u);
  EXPECT_TRUE(log.not_followed[0].starts_with("write of arg1")) << log.not_followed[0];
  ASSERT_EQ(log.thread_maps.size(), 1u);
  EXPECT_EQ(log.thread_maps[0].verdict, Verdict::kUnknown);
}

// An operation that is not known may write what it likes.
TEST(EmitterMaps, TensorsOfUnknownOperationsAreNotFollowed) {
  EmitterLog log = Check(Dump("P", "",
                              "    %e = tensor.extract %arg0[%t] : tensor<64xf32>\n"
                              "    %a = xla.scramble %arg1 : tensor<64xf32>\n"
                              "    return %arg1 : tensor<64xf32>\n"));
  ASSERT_EQ(log.thread_maps.size(), 1u);
  EXPECT_EQ(log.thread_maps[0].verdict, Verdict::kUnknown);
  EXPECT_EQ(log.thread_maps[0].reason, "not followed: what xla.scramble does");
}

// A sum that leaves its type is no term.
TEST(EmitterMaps, IntegersThatWrapAreNotFollowed) {
  EmitterLog log = Check(Dump("P", "",
                              "    %m = arith.constant 2147483647 : i32\n"
                              "    %u = arith.index_cast %t : index to i32\n"
                              "    %v = arith.addi %u, %m : i32\n"
                              "    %j = arith.index_cast %v : i32 to index\n"
                              "    %e = tensor.extract %arg0[%j] : tensor<64xf32>\n"
                              "    return %arg1 : tensor<64xf32>\n"));
  ASSERT_EQ(log.not_followed.size(), 1u);
}

constexpr char kReverse[] = R"(HloModule m
f {
  p = f32[64] parameter(0)
  r = f32[64] reverse(p), dimensions={0}
  ROOT e = f32[64] exponential(r)
}
ENTRY e {
  x = f32[64] parameter(0)
  ROOT k = f32[64] fusion(x), kind=kLoop, calls=f
})";

TEST(EmitterMaps, ReadsAreThoseOfTheAnalysis) {
  auto module = hlo::ParseModule(kReverse, "m");
  ASSERT_TRUE(static_cast<bool>(module)) << llvm::toString(module.takeError());
  const hlo::Instruction* fusion = (*module)->FindInstruction("k");
  EmitterLog right = Check(LoopDump("P", "63 - s0 * 32 - th_x", kIndex), fusion);
  ASSERT_EQ(right.operand_maps.size(), 1u);
  EXPECT_EQ(right.operand_maps[0].verdict, Verdict::kProved) << right.operand_maps[0].reason;
  // As many elements in all, and each of another result.
  EmitterLog wrong = Check(LoopDump("P", kIndex, kIndex), fusion);
  ASSERT_EQ(wrong.operand_maps.size(), 1u);
  EXPECT_EQ(wrong.operand_maps[0].verdict, Verdict::kRefuted);
  ASSERT_EQ(wrong.WrongClaims().size(), 1u);
  EXPECT_EQ(wrong.WrongClaims()[0].name, "operand map");
}

// A value that comes through other threads is no read of the thread that writes.
TEST(EmitterMaps, ReadsOfOtherThreadsAreUnknown) {
  auto module = hlo::ParseModule(kReverse, "m");
  ASSERT_TRUE(static_cast<bool>(module)) << llvm::toString(module.takeError());
  EmitterLog log = Check(Dump("P", "",
                              "    %e = tensor.extract %arg0[%t] : tensor<64xf32>\n"
                              "    %f = xla_gpu.shuffle_reduce(%e) to 16 combiner=@g : f32\n"
                              "    %a = tensor.insert %f into %arg1[%t] : tensor<64xf32>\n"
                              "    return %a : tensor<64xf32>\n"),
                         (*module)->FindInstruction("k"));
  ASSERT_EQ(log.operand_maps.size(), 1u);
  EXPECT_EQ(log.operand_maps[0].verdict, Verdict::kUnknown);
  EXPECT_EQ(log.operand_maps[0].reason, "threads exchange values");
}

// A pointer of LLVM after a tensor of two dimensions and an unusual layout.
TEST(EmitterMaps, LayoutsAreFollowedToPointers) {
  auto log_of = [](const std::string& index) {
    const std::string head =
        "// -----// IR Dump Before P: p //----- //\nmodule {\n  func.func @k(%arg0: ";
    return head +
           "tensor<4x8xf32, dense<[0, 1]> : tensor<2xi64>>, %arg1: tensor<f32>) -> tensor<f32> "
           "attributes {xla.entry} {\n"
           "    %t = gpu.thread_id x {xla.range = [0 : index, 3 : index]}\n"
           "    %c2 = arith.constant 2 : index\n"
           "    %e = tensor.extract %arg0[%t, %c2] : tensor<4x8xf32, dense<[0, 1]> : "
           "tensor<2xi64>>\n"
           "    return %arg1 : tensor<f32>\n  }\n}\n" +
           head +
           "!llvm.ptr, %arg1: !llvm.ptr) attributes {xla.entry} {\n"
           "    %t = gpu.thread_id x {xla.range = [0 : index, 3 : index]}\n"
           "    %c8 = arith.constant " +
           index +
           " : i64\n"
           "    %0 = arith.index_castui %t : index to i64\n"
           "    %1 = arith.addi %0, %c8 : i64\n"
           "    %2 = llvm.getelementptr inbounds %arg0[0, %1] : (!llvm.ptr, i64) -> !llvm.ptr, "
           "!llvm.array<32 x f32>\n"
           "    %3 = llvm.load %2 : !llvm.ptr -> f32\n"
           "    return\n  }\n}\n";
  };
  EmitterLog right = Check(log_of("8"));
  ASSERT_EQ(right.passes.size(), 1u);
  EXPECT_EQ(right.passes[0].verdict, Verdict::kProved);
  EXPECT_EQ(Check(log_of("9")).WrongClaims().size(), 1u);
}

TEST(EmitterLogs, ThatAreGarbledSayWhere) {
  const std::string good = LoopDump("P", kIndex, kIndex);
  EXPECT_NE(Check("no dump\n").reason.find(":1:1: error: holds no dump before a pass"),
            std::string::npos);
  EXPECT_NE(Check(good + "}\n").reason.find("a region is closed that was not opened"),
            std::string::npos);
  EXPECT_NE(Check(good.substr(0, good.find("xla.yield"))).reason.find("is not closed"),
            std::string::npos);
  EXPECT_NE(Check("// -----// IR Dump Before P: p //----- //\n").reason.find("holds no module"),
            std::string::npos);
  EXPECT_NE(Check(Dump("P", Alias("m", "(d0 -> ("),
                       "    %0 = xla.apply_indexing #m(%t)\n    return %arg1 : tensor<64xf32>\n"))
                .reason_of_rest.find("a map that cannot be read"),
            std::string::npos);
}

// A log with parts cut off or missing has an answer.
TEST(EmitterLogs, CutAnywhereAreRead) {
  const std::string text = LoopDump("P", kIndex, kIndex) + ArithDump("Q") + UnrolledDump("R", "32");
  for (size_t size = 0; size < text.size(); size += 37) {
    EXPECT_TRUE(Check(text.substr(0, size)).WrongClaims().empty()) << size;
    std::string hole = text;
    hole.erase(size, 11);
    (void)Check(hole);
  }
}

TEST(EmitterLogs, OfADumpCountForTheVerdict) {
  const TemporaryFolder folder;
  auto add = [&](const std::string& name, const std::string& text) {
    folder.Add("module_0001.jit_f." + name, text);
  };
  const std::string hlo = kReverse;
  add("before_optimizations.txt", hlo);
  add("sm_9.0a_gpu_after_optimizations.txt", hlo);
  const std::string good = LoopDump("GoodPass", "63 - s0 * 32 - th_x", kIndex);
  add("k.mlir-passes.log", good + LoopDump("BadPass", "63 - s0 * 32 - th_x", kIndex) +
                               LoopDump("P", "63 - s0 * 32 - th_x", "s0 * 32 + 31 - th_x"));
  RunResult r = RunAffirm({"xla", folder.path(), "--json"});
  EXPECT_EQ(r.status, 1) << r.err;
  auto json = llvm::json::parse(r.out);
  ASSERT_TRUE(static_cast<bool>(json)) << llvm::toString(json.takeError()) << r.out;
  const llvm::json::Object* wrong = json->getAsObject()->getObject("first_wrong");
  ASSERT_NE(wrong, nullptr);
  EXPECT_EQ(wrong->getString("stage"), "emitter-pass");
  EXPECT_EQ(wrong->getString("name"), "BadPass");
  EXPECT_EQ(wrong->getString("kernel"), "k");
  const std::string text = RunAffirm({"xla", folder.path()}).out;
  EXPECT_NE(text.find("the first that is wrong is BadPass of the emitter of k"), std::string::npos)
      << text;
  // Unknown parts of an emitter change no verdict.
  add("k.mlir-passes.log", good + UnrolledDump("GoodPass", "0"));
  EXPECT_EQ(RunAffirm({"xla", folder.path()}).status,
            1);  // the reads of the second dump are others
  add("k.mlir-passes.log", "garbled\n");
  // Nothing says what runs, which is taken on trust here.
  r = RunAffirm({"xla", folder.path(), "--assume", "*"});
  EXPECT_EQ(r.status, 0) << r.out << r.err;
  EXPECT_NE(r.out.find("emitter of k: unknown"), std::string::npos) << r.out;
}

}  // namespace
}  // namespace affirm::testing
