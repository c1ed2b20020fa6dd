// Waves of AMDGPU (verify/kernel/wave.h): lanes, exchanges, fences and loops, and what the proof
// says where one of them is not modelled.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "llvm/ADT/StringMap.h"
#include "llvm/IR/InstIterator.h"
#include "tests/kernel/lift_text.h"
#include "verify/kernel/wave.h"

namespace affirm::kernel {
namespace {

using ::testing::HasSubstr;

// A kernel of AMDGPU that loads %x and stores %y at the thread's place.
std::string TextOfWave(const std::string& body, const std::string& declarations,
                       const std::string& attributes) {
  return "target triple = \"amdgcn-amd-amdhsa\"\ndeclare i32 @llvm.amdgcn.workitem.id.x()\n" +
         declarations + "\ndefine amdgpu_kernel void @k(ptr %p, ptr %q) #0 {\n" +
         "  %t = call i32 @llvm.amdgcn.workitem.id.x()\n"
         "  %in = getelementptr i32, ptr %p, i32 %t\n  %x = load i32, ptr %in, align 4\n" +
         body +
         "\n  %out = getelementptr i32, ptr %q, i32 %t\n  store i32 %y, ptr %out, align 4\n"
         "  ret void\n}\nattributes #0 = { nounwind " +
         attributes + " }\n";
}

KernelIr Read(const std::string& text) {
  auto ir = ReadKernelIr(text, "kernel.ll");
  EXPECT_TRUE(!!ir) << llvm::toString(ir.takeError());
  return std::move(*ir);
}

std::unique_ptr<Lifted> LiftWave(const std::string& body, const std::string& declarations,
                                 int64_t threads = 64,
                                 const std::string& attributes = "\"target-cpu\"=\"gfx942\"") {
  const std::string array = "{\"shape\": \"s32[" + std::to_string(threads) + "]\", \"role\": ";
  return LiftText(TextOfWave(body, declarations, attributes),
                  "{\"grid\": [1], \"threads\": [" + std::to_string(threads) + "], \"params\": [" +
                      array + "\"input\"}, " + array + "\"output\"}]}");
}

TEST(Waves, HaveAsManyLanesAsTheTargetSays) {
  auto lanes = [](const std::string& attributes) {
    return LanesOf(Read(TextOfWave("  %y = add i32 %x, 0", "", attributes)));
  };
  EXPECT_EQ(lanes(""), 64);
  EXPECT_EQ(lanes(R"("target-cpu"="gfx90a")"), 64);
  EXPECT_EQ(lanes(R"("target-cpu"="gfx942")"), 64);
  EXPECT_EQ(lanes(R"("target-cpu"="gfx1030")"), 32);
  EXPECT_EQ(lanes(R"("target-cpu"="gfx1100")"), 32);
  EXPECT_EQ(lanes(R"("target-features"="+dpp,+wavefrontsize32")"), 32);
  EXPECT_EQ(lanes(R"("target-cpu"="gfx1100" "target-features"="+wavefrontsize32")"), 32);
  EXPECT_EQ(lanes(R"("target-features"="+wavefrontsize64,-wavefrontsize32")"), 64);
  EXPECT_EQ(lanes(R"("target-features"="+wavefrontsize64,+wavefrontsize32")"), std::nullopt);
  EXPECT_EQ(lanes(R"("target-cpu"="gfx1100" "target-features"="+wavefrontsize64")"), std::nullopt);
  EXPECT_EQ(lanes(R"("target-cpu"="gfx90a" "target-features"="+wavefrontsize32")"), std::nullopt);
  EXPECT_EQ(lanes(R"("target-cpu"="gfx9999")"), std::nullopt);
  const KernelIr of_nvidia = Read(
      "target triple = \"nvptx64-nvidia-cuda\"\n"
      "define ptx_kernel void @k(ptr %p) {\n  ret void\n}\n");
  EXPECT_EQ(LanesOf(of_nvidia), 32);
}

// Lanes of one row of the table by another: "CDNA3 Instruction Set Architecture", "Data Parallel
// Primitives", n being the lane.
TEST(Waves, ReadLanesAsTheInstructionSetSays) {
  constexpr int64_t kNone = -1;
  struct Row {
    uint32_t control;
    std::function<int64_t(int64_t n)> from;
  };
  std::vector<Row> rows = {
      {0xe4, [](int64_t n) { return n; }},
      {0x1b, [](int64_t n) { return n ^ 3; }},
      {0xb1, [](int64_t n) { return n ^ 1; }},
      {0x130, [](int64_t n) { return n < 63 ? n + 1 : kNone; }},
      {0x134, [](int64_t n) { return n < 63 ? n + 1 : 0; }},
      {0x138, [](int64_t n) { return n > 0 ? n - 1 : kNone; }},
      {0x13c, [](int64_t n) { return n > 0 ? n - 1 : 63; }},
      {0x140, [](int64_t n) { return (n & 0x30) + 15 - (n & 0xf); }},
      {0x141, [](int64_t n) { return (n & 0x38) + 7 - (n & 7); }},
      {0x142, [](int64_t n) { return n > 15 ? (n & 0x30) - 1 : kNone; }},
      {0x143, [](int64_t n) { return n > 31 ? (n & 0x20) - 1 : kNone; }},
  };
  for (int64_t by = 1; by < 16; ++by) {
    const auto with = [&](int64_t first) { return static_cast<uint32_t>(first + by); };
    rows.push_back({with(0x100), [by](int64_t n) { return (n & 15) <= 15 - by ? n + by : kNone; }});
    rows.push_back({with(0x110), [by](int64_t n) { return (n & 15) >= by ? n - by : kNone; }});
    rows.push_back(
        {with(0x120), [by](int64_t n) { return (n & 15) >= by ? n - by : n + 16 - by; }});
    rows.push_back({with(0x150), [by](int64_t n) { return (n & 0x30) + by; }});
    rows.push_back({with(0x160), [by](int64_t n) { return n ^ by; }});
  }
  for (const Row& row : rows) {
    for (int64_t n = 0; n < 64; ++n) {
      WaveExchange exchange = {.kind = WaveExchange::Kind::kDpp, .control = row.control};
      for (bool zero : {false, true}) {
        exchange.zero_beyond = zero;
        const int64_t from = row.from(n);
        const LaneSource beyond = {zero ? LaneSource::From::kZero : LaneSource::From::kOld, 0};
        EXPECT_EQ(SourceOf(exchange, n, 0, 64),
                  from == kNone ? beyond : LaneSource(LaneSource::From::kLane, from))
            << row.control << " in lane " << n;
      }
      exchange.row_mask = 0xf ^ 1U << n / 16;
      EXPECT_EQ(SourceOf(exchange, n, 0, 64).from, LaneSource::From::kOld);
      exchange.row_mask = 0xf;
      exchange.bank_mask = 0xf ^ 1U << n % 16 / 4;
      EXPECT_EQ(SourceOf(exchange, n, 0, 64).from, LaneSource::From::kOld);
    }
  }
}

TEST(Waves, SwizzleBitsOfTheirLane) {
  for (uint32_t control : {0x001fU, 0x041fU, 0x401fU, 0x7c1fU, 0x0018U, 0x03e0U, 0x2b57U}) {
    const WaveExchange exchange = {.kind = WaveExchange::Kind::kSwizzle, .control = control};
    for (uint32_t n = 0; n < 64; ++n) {
      const uint32_t from = (((n & 31) & (control & 31)) | (control >> 5 & 31)) ^ (control >> 10);
      EXPECT_EQ(SourceOf(exchange, n, 0, 64).lane, (n & 32) + from);
    }
  }
  const WaveExchange fours = {.kind = WaveExchange::Kind::kSwizzle, .control = 0x801b};
  for (int64_t n = 0; n < 64; ++n) EXPECT_EQ(SourceOf(fours, n, 0, 64).lane, n ^ 3);
}

TEST(Waves, TakeNumbersOfLanesModuloTheirSize) {
  const WaveExchange bytes = {.kind = WaveExchange::Kind::kFromByte, .index = 0};
  EXPECT_EQ(SourceOf(bytes, 0, 4 * 70 + 3, 64).lane, 6);
  EXPECT_EQ(SourceOf(bytes, 0, 4 * 40, 32).lane, 8);
  const WaveExchange lane = {.kind = WaveExchange::Kind::kFromLane, .index = 1};
  EXPECT_EQ(SourceOf(lane, 0, 70, 64).lane, 6);
  EXPECT_EQ(LanesBelow(0, false), 0u);
  EXPECT_EQ(LanesBelow(33, false), ~0u);
  EXPECT_EQ(LanesBelow(33, true), 1u);
  EXPECT_EQ(LanesBelow(31, true), 0u);
}

constexpr const char* kBarrier = "declare void @llvm.amdgcn.s.barrier()\n";

// Whether the barrier among these lines is fenced.
bool IsFencedIn(const std::string& body) {
  const KernelIr ir = Read(TextOfWave(body + "\n  %y = add i32 %x, 0", kBarrier, "") +
                           "!0 = !{!\"amdgpu-synchronize-as\", !\"local\"}\n");
  for (const llvm::Instruction& op : llvm::instructions(*ir.kernel)) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&op);
    if (call && call->getCalledFunction()->getName() == "llvm.amdgcn.s.barrier")
      return IsFenced(*call);
  }
  ADD_FAILURE() << "there is no barrier";
  return false;
}

TEST(Waves, FencesMakeABarrierOrderMemory) {
  const std::string barrier = "  call void @llvm.amdgcn.s.barrier()\n";
  auto between = [&](const std::string& before, const std::string& after) {
    return IsFencedIn("  fence " + before + "\n" + barrier + "  fence " + after + "\n");
  };
  const std::string release = "syncscope(\"workgroup\") release",
                    acquire = "syncscope(\"workgroup\") acquire";
  EXPECT_TRUE(between(release, acquire));
  EXPECT_TRUE(between("release", "acquire"));
  EXPECT_TRUE(between("syncscope(\"agent\") seq_cst", "acq_rel"));
  EXPECT_FALSE(between(acquire, release));
  EXPECT_FALSE(between("syncscope(\"wavefront\") release", acquire));
  EXPECT_FALSE(between(release, "syncscope(\"singlethread\") acquire"));
  EXPECT_FALSE(between("syncscope(\"workgroup-one-as\") release", acquire));
  EXPECT_FALSE(between(release + ", !mmra !0", acquire));
  EXPECT_FALSE(IsFencedIn(barrier));
  EXPECT_FALSE(IsFencedIn("  fence " + release + "\n" + barrier));
  EXPECT_FALSE(IsFencedIn(barrier + "  fence " + acquire + "\n"));
  EXPECT_FALSE(IsFencedIn("  fence " + release + "\n  store i32 1, ptr %q\n" + barrier +
                          "  fence " + acquire + "\n"));
  EXPECT_FALSE(IsFencedIn("  fence " + release + "\n" + barrier +
                          "  %z = load i32, ptr %p\n  fence " + acquire + "\n"));
}

TEST(Waves, LoopsWithExchangesAreCounted) {
  const KernelIr ir = Read(TextOfWave(R"(
  br label %outer
outer:
  %a = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %x)
  br label %inner
inner:
  %c = icmp eq i32 %a, 0
  br i1 %c, label %inner, label %latch
latch:
  %d = icmp eq i32 %a, 1
  br i1 %d, label %outer, label %done
done:
  %y = add i32 %x, 0)",
                                      "declare i32 @llvm.amdgcn.readfirstlane.i32(i32)", ""));
  const WaveLoops loops(*ir.kernel);
  llvm::StringMap<const llvm::BasicBlock*> blocks;
  for (const llvm::BasicBlock& block : *ir.kernel) blocks[block.getName()] = &block;
  EXPECT_TRUE(loops.is_reducible());
  EXPECT_TRUE(loops.IsHeader(blocks["outer"]));
  EXPECT_FALSE(loops.IsHeader(blocks["inner"])) << "no lane waits there";
  ASSERT_EQ(loops.Around(blocks["inner"]).size(), 1u);
  EXPECT_TRUE(loops.Around(blocks["done"]).empty());
  EXPECT_TRUE(loops.Repeats(blocks["latch"], blocks["outer"]));
  EXPECT_FALSE(loops.Repeats(&ir.kernel->getEntryBlock(), blocks["outer"]));
  const KernelIr tangled = Read(TextOfWave(R"(
  %c = icmp eq i32 %x, 0
  br i1 %c, label %one, label %two
one:
  br label %two
two:
  %d = icmp eq i32 %t, 1
  br i1 %d, label %one, label %done
done:
  %y = add i32 %x, 0)",
                                           "", ""));
  EXPECT_FALSE(WaveLoops(*tangled.kernel).is_reducible());
}

constexpr const char* kExchanges = R"(
declare i32 @llvm.amdgcn.ds.bpermute(i32, i32)
declare i32 @llvm.amdgcn.ds.swizzle(i32, i32)
declare i32 @llvm.amdgcn.readlane.i32(i32, i32)
declare i32 @llvm.amdgcn.permlane16.i32(i32, i32, i32, i32, i1, i1)
declare i32 @llvm.amdgcn.update.dpp.i32(i32, i32, i32, i32, i32, i1)
declare i32 @llvm.amdgcn.ballot.i32(i1)
declare i32 @llvm.amdgcn.mbcnt.lo(i32, i32)
declare i64 @__ockl_get_local_size(i32)
declare i64 @__ockl_get_local_id(i32)
)";

TEST(Waves, FormsThatAreNotModelledAreNamed) {
  for (const char* call : {"ds.swizzle(i32 %x, i32 49152)", "readlane.i32(i32 %x, i32 %t)",
                           "ds.bpermute(i32 %x, i32 %x)",
                           "permlane16.i32(i32 %x, i32 %x, i32 1, i32 2, i1 false, i1 false)",
                           "update.dpp.i32(i32 0, i32 %x, i32 368, i32 15, i32 15, i1 false)",
                           "update.dpp.i32(i32 0, i32 %x, i32 256, i32 15, i32 15, i1 false)",
                           "ballot.i32(i1 true)", "mbcnt.lo(i32 %x, i32 0)"}) {
    const std::string text = call;
    const auto lifted = LiftWave("  %y = call i32 @llvm.amdgcn." + text, kExchanges);
    EXPECT_THAT(lifted->error, HasSubstr("unknown: ")) << text;
    EXPECT_THAT(lifted->error, HasSubstr("@llvm.amdgcn." + text.substr(0, text.find('('))));
  }
}

TEST(Waves, WhoseSizeIsNotKnownAreUnknown) {
  const auto lifted = LiftWave("  %y = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)", kExchanges,
                               64, R"("target-cpu"="gfx9999")");
  EXPECT_THAT(lifted->error, HasSubstr("how many lanes a wave has is not known"));
}

TEST(Waves, LanesAtTwoPlacesAreUnknown) {
  const auto lifted = LiftWave(R"(
  %c = icmp ult i32 %t, 32
  br i1 %c, label %yes, label %no
yes:
  %a = call i32 @llvm.amdgcn.readlane.i32(i32 %x, i32 1)
  br label %done
no:
  %b = call i32 @llvm.amdgcn.readlane.i32(i32 %x, i32 2)
  br label %done
done:
  %y = phi i32 [ %a, %yes ], [ %b, %no ])",
                               kExchanges);
  EXPECT_THAT(lifted->error, HasSubstr("lanes of a wave that exchange values at different places"));
}

TEST(Waves, NumbersOfTheDeviceLibrary) {
  const auto lifted = LiftWave(R"(
  %size = call i64 @__ockl_get_local_size(i32 0)
  %id = call i64 @__ockl_get_local_id(i32 0)
  %sum = add i64 %size, %id
  %y = trunc i64 %sum to i32)",
                               kExchanges);
  ASSERT_EQ(lifted->error, "");
  EXPECT_EQ(lifted->unproved(), "");
  EXPECT_EQ(terms::ToString(lifted->effect(0).value), "s32(th_x + 64)");
  const auto open = LiftWave(R"(
  %size = call i64 @__ockl_get_local_size(i32 %x)
  %y = trunc i64 %size to i32)",
                             kExchanges);
  EXPECT_THAT(open->error, HasSubstr("a number of no dimension"));
}

// A promise that nothing reads a number: a kernel has those of the first dimension in any case.
TEST(Waves, PromisesOfWhatAKernelReads) {
  const std::string plain = "  %y = add i32 %x, 0",
                    second = "  %y = call i32 @llvm.amdgcn.workitem.id.y()",
                    library =
                        "  %size = call i64 @__ockl_get_local_size(i32 0)\n"
                        "  %y = trunc i64 %size to i32",
                    call = "  %y = call i32 @read()";
  auto unproved = [](const std::string& attribute, const std::string& body) {
    return LiftWave(body,
                    std::string(kExchanges) +
                        "declare i32 @llvm.amdgcn.workitem.id.y()\n"
                        "define internal i32 @read() \"amdgpu-no-workitem-id-x\" {\n"
                        "  %y = call i32 @llvm.amdgcn.workitem.id.x()\n  ret i32 %y\n}\n",
                    64, attribute)
        ->unproved();
  };
  EXPECT_EQ(unproved("\"amdgpu-no-workitem-id-x\" \"amdgpu-no-workitem-id-y\"", plain), "");
  EXPECT_THAT(unproved("\"amdgpu-no-workitem-id-y\"", second), HasSubstr("workitem-id-y"));
  EXPECT_THAT(unproved("nounwind", call), HasSubstr("workitem-id-x"));
  EXPECT_EQ(unproved("\"amdgpu-no-implicitarg-ptr\"", plain), "");
  EXPECT_THAT(unproved("\"amdgpu-no-implicitarg-ptr\"", library), HasSubstr("implicitarg"));
}

}  // namespace
}  // namespace affirm::kernel
