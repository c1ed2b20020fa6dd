// Synchronization of threads, one table: kernels that the PTX ISA allows, none of which is refuted,
// and wrong neighbors, none of which is proved. All copy s32[N], some by way of other threads.
#include <gtest/gtest.h>

#include "core/hlo/text.h"
#include "driver/validate/validate.h"

namespace affirm::driver {
namespace {

enum class Expected : uint8_t {
  kRight,    // not refuted: proved, executed or unknown
  kRefuted,  // an execution shows that it is wrong
  kUnknown,  // neither
};

struct Kernel {
  const char* name;
  std::string body;
  int threads, blocks;
  Expected expected;
};

constexpr const char* kDeclarations = R"(
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.barrier.cta.sync.all(i32)
declare void @llvm.nvvm.barrier.cta.sync.aligned.count(i32, i32)
declare void @llvm.nvvm.barrier.cta.arrive.aligned.count(i32, i32)
declare void @llvm.nvvm.bar.warp.sync(i32)
declare void @llvm.nvvm.membar.gl()
declare void @llvm.nvvm.membar.cta()
declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32)
@tile = internal addrspace(3) global [256 x i32] undef, align 16
@flag = internal addrspace(3) global i32 undef, align 4
@last = internal addrspace(3) global i32 undef, align 4
@count = internal addrspace(1) global i32 0, align 4
@lock = internal addrspace(1) global i32 0, align 4
@scratch = internal addrspace(1) global [256 x i32] zeroinitializer, align 16
define internal i32 @recurse(i32 %n, i32 %x) {
  %stop = icmp eq i32 %n, 0
  br i1 %stop, label %base, label %more
base:
  ret i32 %x
more:
  %m = sub i32 %n, 1
  %y = call i32 @recurse(i32 %m, i32 %x)
  ret i32 %y
}
)";

// %x is a[i] with i = %i, %pr is &r[i], %mine is &tile[t]; a terminator follows.
constexpr const char* kBegin = R"(
define ptx_kernel void @k(ptr %a, ptr %r) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %of_block = mul i32 %b, THREADS
  %i = add i32 %of_block, %t
  %pa = getelementptr i32, ptr %a, i32 %i
  %pr = getelementptr i32, ptr %r, i32 %i
  %x = load i32, ptr %pa, align 4
  %mine = getelementptr i32, ptr addrspace(3) @tile, i32 %t
)";
constexpr const char* kStore = "store i32 %x, ptr %pr, align 4\nret void\n";

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

Validation Judge(const Kernel& kernel) {
  const std::string n = std::to_string(kernel.threads * kernel.blocks);
  auto module = hlo::ParseModule("HloModule m\nENTRY e {\n  p = s32[" + n +
                                     "] parameter(0)\n  ROOT c = s32[" + n + "] copy(p)\n}",
                                 "m.hlo");
  auto launch = kernel::ParseLaunch(
      "{\"grid\": [" + std::to_string(kernel.blocks) + "], \"threads\": [" +
          std::to_string(kernel.threads) + "], \"params\": [{\"shape\": \"s32[" + n +
          "]\", \"role\": \"input\"}, {\"shape\": \"s32[" + n + "]\", \"role\": \"output\"}]}",
      "l.json");
  auto ir = kernel::ReadKernelIr(kDeclarations +
                                     Replaced(kBegin, "THREADS", std::to_string(kernel.threads)) +
                                     kernel.body + "}\n",
                                 "k.ll");
  EXPECT_TRUE(!!module && !!launch) << kernel.name;
  EXPECT_TRUE(!!ir) << kernel.name << ": " << llvm::toString(ir.takeError());
  if (!module || !launch || !ir) return {};
  return Validate({(*module)->entry, &*ir, *launch}, {});
}

// The lower `half` threads exchange x by shared memory in reverse, the others store their own.
std::string ReverseBelow(int half, const std::string& between) {
  const std::string h = std::to_string(half);
  return "%low = icmp ult i32 %t, " + h + "\nbr i1 %low, label %exchange, label %own\nexchange:\n" +
         "store i32 %x, ptr addrspace(3) %mine, align 4\n" + between + "%j = sub i32 " +
         std::to_string(half - 1) + R"(, %t
           %theirs = getelementptr i32, ptr addrspace(3) @tile, i32 %j
           %y = load i32, ptr addrspace(3) %theirs, align 4
           %to = add i32 %of_block, %j
           %pto = getelementptr i32, ptr %r, i32 %to
           store i32 %y, ptr %pto, align 4
           ret void
         own:
           )" +
         kStore;
}

std::string Count(int id, int threads, const char* what = "sync") {
  return std::string("call void @llvm.nvvm.barrier.cta.") + what + ".aligned.count(i32 " +
         std::to_string(id) + ", i32 " + std::to_string(threads) + ")\n";
}
std::string All(int id, const char* aligned = ".aligned") {
  return std::string("call void @llvm.nvvm.barrier.cta.sync") + aligned + ".all(i32 " +
         std::to_string(id) + ")\n";
}
std::string WarpSync(const std::string& mask) {
  return "call void @llvm.nvvm.bar.warp.sync(i32 " + mask + ")\n";
}

// Warp 0 gives its elements to warp 1, which stores those of both.
std::string Hand(const std::string& before, const std::string& given, const std::string& taken) {
  return before + R"(
      %low = icmp ult i32 %t, 32
      br i1 %low, label %gives, label %takes
    gives:
      store i32 %x, ptr addrspace(3) %mine, align 4
      )" +
         given +
         R"(
      ret void
    takes:
      )" +
         taken +
         R"(
      %j = sub i32 %t, 32
      %theirs = getelementptr i32, ptr addrspace(3) @tile, i32 %j
      %y = load i32, ptr addrspace(3) %theirs, align 4
      %to = add i32 %of_block, %j
      %pto = getelementptr i32, ptr %r, i32 %to
      store i32 %y, ptr %pto, align 4
      )" +
         kStore;
}

std::string HandByFlag(const std::string& store, const std::string& load,
                       const std::string& fence = "") {
  const std::string mine = "%f = getelementptr i32, ptr addrspace(3) @tile, i32 %slot\n";
  return Hand(
      "%slot.0 = and i32 %t, 31\n%slot = add i32 %slot.0, 128\n" + mine +
          "store i32 0, ptr addrspace(3) %f, align 4\n" + All(0),
      fence + "store " + Replaced(store, "VALUE", "i32 1, ptr addrspace(3) %f") + "\n",
      "br label %spin\nspin:\n%seen = load " + Replaced(load, "VALUE", "i32, ptr addrspace(3) %f") +
          "\n%ready = icmp eq i32 %seen, 1\nbr i1 %ready, label %go, label %spin\ngo:\n" + fence);
}

// One shuffle of all lanes by those below `lanes`; the others have ended.
std::string ShuffleBelow(int lanes, int by) {
  return "%in = icmp ult i32 %t, " + std::to_string(lanes) +
         "\nbr i1 %in, label %all, label %own\nall:\n"
         "%y = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %x, i32 " +
         std::to_string(by) + ", i32 31)\n%j = xor i32 %i, " + std::to_string(by) +
         "\n%pto = getelementptr i32, ptr %r, i32 %j\nstore i32 %y, ptr %pto, align 4\nret void\n"
         "own:\n" +
         kStore;
}

// The two warps of a block come to a barrier at two places.
std::string AtTwoPlaces(const std::string& condition, const std::string& one,
                        const std::string& other) {
  return "store i32 %x, ptr addrspace(3) %mine, align 4\n" + condition +
         "\nbr i1 %c, label %one, label %other\none:\n" + one + "br label %on\nother:\n" + other +
         R"(br label %on
         on:
           %j = xor i32 %t, 32
           %theirs = getelementptr i32, ptr addrspace(3) @tile, i32 %j
           %y = load i32, ptr addrspace(3) %theirs, align 4
           %to = add i32 %of_block, %j
           %pto = getelementptr i32, ptr %r, i32 %to
           store i32 %y, ptr %pto, align 4
           ret void
         )";
}

std::string CountTo(const std::string& end, int step = 1) {
  return "br label %loop\nloop:\n%n = phi i64 [0, %entry], [%m, %loop]\n%m = add i64 %n, " +
         std::to_string(step) + "\n%more = icmp ult i64 %m, " + end +
         "\nbr i1 %more, label %loop, label %done\ndone:\n" + kStore;
}

std::string Recursion(int depth, const char* value) {
  return "%y = call i32 @recurse(i32 " + std::to_string(depth) + ", i32 " + value +
         ")\nstore i32 %y, ptr %pr, align 4\nret void\n";
}

std::string SpinLock(const std::string& take, const std::string& release) {
  return "br label %spin\nspin:\n" + take + R"(
      br i1 %taken, label %in, label %spin
    in:
      %old = load i32, ptr addrspace(1) @scratch, align 4
      %new = add i32 %old, 1
      store i32 %new, ptr addrspace(1) @scratch, align 4
      )" +
         release + kStore;
}

// Each block leaves its elements, and the last one stores them all.
std::string LastBlock(const std::string& fence) {
  return "%s = getelementptr i32, ptr addrspace(1) @scratch, i32 %i\n"
         "store i32 %x, ptr addrspace(1) %s, align 4\n" +
         fence + All(0) + R"(
      %first = icmp eq i32 %t, 0
      br i1 %first, label %counts, label %wait
    counts:
      %before = atomicrmw add ptr addrspace(1) @count, i32 1 monotonic, align 4
      %c = icmp eq i32 %before, 1
      %w = zext i1 %c to i32
      store i32 %w, ptr addrspace(3) @last, align 4
      br label %wait
    wait:
      )" +
         All(0) +
         R"(
      %l = load i32, ptr addrspace(3) @last, align 4
      %is_last = icmp eq i32 %l, 1
      br i1 %is_last, label %stores, label %done
    stores:
      )" +
         fence +
         R"(
      %s1 = getelementptr i32, ptr addrspace(1) @scratch, i32 %t
      %y1 = load i32, ptr addrspace(1) %s1, align 4
      %p1 = getelementptr i32, ptr %r, i32 %t
      store i32 %y1, ptr %p1, align 4
      %u = add i32 %t, 32
      %s2 = getelementptr i32, ptr addrspace(1) @scratch, i32 %u
      %y2 = load i32, ptr addrspace(1) %s2, align 4
      %p2 = getelementptr i32, ptr %r, i32 %u
      store i32 %y2, ptr %p2, align 4
      br label %done
    done:
      ret void
    )";
}

// The largest x of the block by compare-and-swap, in shared memory that the block before has used.
std::string LargestBySwaps(const std::string& between) {
  return R"(
      %first = icmp eq i32 %t, 0
      br i1 %first, label %init, label %go
    init:
      store i32 %x, ptr addrspace(3) @flag, align 4
      br label %go
    go:
      )" +
         between +
         R"(
      %o = load atomic i32, ptr addrspace(3) @flag monotonic, align 4
      br label %try
    try:
      %e = phi i32 [ %o, %go ], [ %f, %swap ]
      %less = icmp slt i32 %e, %x
      br i1 %less, label %swap, label %done
    swap:
      %pair = cmpxchg ptr addrspace(3) @flag, i32 %e, i32 %x monotonic monotonic, align 4
      %f = extractvalue {i32, i1} %pair, 0
      %ok = extractvalue {i32, i1} %pair, 1
      br i1 %ok, label %done, label %try
    done:
      )" +
         All(0) + R"(
      %m = load i32, ptr addrspace(3) @flag, align 4
      %ge = icmp sge i32 %m, %x
      %v = select i1 %ge, i32 %x, i32 0
      store i32 %v, ptr %pr, align 4
      ret void
    )";
}

std::vector<Kernel> Kernels() {
  const auto kRight = Expected::kRight, kRefuted = Expected::kRefuted,
             kUnknown = Expected::kUnknown;
  const std::string fence = "fence syncscope(\"device\") seq_cst\n";
  const std::string membar = "call void @llvm.nvvm.membar.gl()\n";
  const std::string cas = R"(%pair = cmpxchg ptr addrspace(1) @lock, i32 0, i32 1 ORDER, align 4
                             %taken = extractvalue {i32, i1} %pair, 1)";
  auto flag = [](const std::string& store, const std::string& load) {
    return "store " + Replaced(store, "VALUE", "i32 %t, ptr addrspace(3) @flag") + "\n%f = load " +
           Replaced(load, "VALUE", "i32, ptr addrspace(3) @flag") + "\n" + kStore;
  };
  const std::string strong = "atomic VALUE monotonic, align 4", weak = "VALUE, align 4";
  return {
      // Atomic and volatile accesses of shared memory.
      {"atomic_flag", flag(strong, strong), 64, 2, kRight},
      {"atomic_flag_of_block",
       flag("atomic VALUE syncscope(\"block\") monotonic, align 4",
            "atomic VALUE syncscope(\"block\") monotonic, align 4"),
       64, 2, kRight},
      {"volatile_flag", flag("volatile VALUE, align 4", "volatile VALUE, align 4"), 64, 2, kRight},
      {"plain_store_of_flag", flag(weak, strong), 64, 2, kRefuted},
      {"plain_load_of_flag", flag(strong, weak), 64, 2, kRefuted},
      {"hand_by_release",
       HandByFlag("atomic VALUE release, align 4", "atomic VALUE acquire, align 4"), 64, 1, kRight},
      {"hand_by_fence", HandByFlag(strong, strong, fence), 64, 1, kRight},
      {"hand_by_volatile", HandByFlag("volatile VALUE, align 4", "volatile VALUE, align 4", membar),
       64, 1, kRight},
      {"hand_without_order", HandByFlag(strong, strong), 64, 1, kRefuted},
      {"hand_by_relaxed_store", HandByFlag(strong, "atomic VALUE acquire, align 4"), 64, 1,
       kRefuted},
      {"largest_by_swaps", LargestBySwaps(All(0)), 64, 4, kRight},
      {"largest_without_barrier", LargestBySwaps(""), 64, 4, kRefuted},
      // Barriers of some threads.
      {"named_barrier", ReverseBelow(64, Count(1, 64)), 128, 2, kRight},
      {"barrier_of_three_warps", ReverseBelow(96, Count(15, 96)), 128, 1, kRight},
      {"no_barrier", ReverseBelow(64, ""), 128, 2, kRefuted},
      {"barrier_of_too_many", ReverseBelow(64, Count(1, 96)), 128, 1, kRefuted},
      {"barrier_of_too_few", ReverseBelow(64, Count(1, 32)), 128, 1, kRefuted},
      {"barrier_of_no_warps", ReverseBelow(64, Count(1, 48)), 128, 1, kRefuted},
      {"barrier_sixteen", ReverseBelow(64, Count(16, 64)), 128, 1, kRefuted},
      {"producer", Hand("", Count(1, 64, "arrive"), Count(1, 64)), 64, 2, kRight},
      {"producer_that_waits", Hand("", Count(1, 64), Count(1, 64)), 64, 2, kRight},
      {"producer_that_never_arrives", Hand("", "", Count(1, 64)), 64, 1, kRefuted},
      {"consumer_that_does_not_wait", Hand("", Count(1, 64, "arrive"), Count(1, 64, "arrive")), 64,
       1, kRefuted},
      {"half_warp", ReverseBelow(16, WarpSync("65535")), 32, 2, kRight},
      {"half_warp_without_barrier", ReverseBelow(16, ""), 32, 1, kRefuted},
      {"half_warp_in_quarters",
       ReverseBelow(
           16, "%q = icmp ult i32 %t, 8\n%m = select i1 %q, i32 255, i32 65280\n" + WarpSync("%m")),
       32, 1, kRefuted},
      {"lane_not_in_its_mask", ReverseBelow(16, WarpSync("255")), 32, 1, kRefuted},
      // Lanes, warps and threads that have ended.
      {"shuffle_after_some_ended", ShuffleBelow(20, 1), 32, 2, kRight},
      {"shuffle_from_an_ended_lane", ShuffleBelow(20, 4), 32, 1, kRefuted},
      {"barrier_after_some_ended", ReverseBelow(48, All(0)), 64, 2, kRight},
      {"barrier_after_a_warp_ended", ReverseBelow(32, All(0)), 64, 2, kRight},
      {"counted_barrier_after_lanes_ended", ReverseBelow(48, Count(2, 64)), 64, 2, kRight},
      {"counted_barrier_after_a_warp_ended", ReverseBelow(32, Count(2, 64)), 64, 1, kRefuted},
      // One barrier at two places.
      {"two_places", AtTwoPlaces("%c = icmp ult i32 %t, 32", All(0), All(0)), 64, 2, kRight},
      {"two_places_of_lanes",
       AtTwoPlaces("%d = and i32 %t, 1\n%c = icmp eq i32 %d, 0", All(0), All(0)), 64, 2, kUnknown},
      {"two_places_of_lanes_unaligned",
       AtTwoPlaces("%d = and i32 %t, 1\n%c = icmp eq i32 %d, 0", All(0, ""), All(0, "")), 64, 2,
       kRight},
      {"two_barriers", AtTwoPlaces("%c = icmp ult i32 %t, 32", All(0), All(1)), 64, 1, kRefuted},
      {"one_place_of_two", AtTwoPlaces("%c = icmp ult i32 %t, 32", All(0), ""), 64, 1, kRefuted},
      // Loops and calls.
      {"long_loop", CountTo("300000"), 2, 1, kRight},
      {"very_long_loop", CountTo("20000000"), 1, 1, kRight},
      {"loop_without_end", CountTo("5", 0), 2, 1, kRefuted},
      {"recursion", Recursion(20, "%x"), 4, 2, kRight},
      {"deep_recursion", Recursion(300, "%x"), 4, 2, kRight},
      {"too_deep_recursion", Recursion(100000, "%x"), 1, 1, kUnknown},
      {"recursion_to_another_value", Recursion(20, "%t"), 4, 2, kRefuted},
      // Several blocks.
      {"spin_lock",
       SpinLock(Replaced(cas, "ORDER", "acquire monotonic"),
                "store atomic i32 0, ptr addrspace(1) @lock release, align 4\n"),
       4, 2, kRight},
      {"spin_lock_by_fences",
       SpinLock(Replaced(cas, "ORDER", "monotonic monotonic") + "\n" + fence,
                fence + "%u = atomicrmw xchg ptr addrspace(1) @lock, i32 0 monotonic, align 4\n"),
       4, 2, kRight},
      {"lock_that_orders_nothing",
       SpinLock(Replaced(cas, "ORDER", "monotonic monotonic"),
                "store atomic i32 0, ptr addrspace(1) @lock monotonic, align 4\n"),
       4, 2, kRefuted},
      {"no_lock", SpinLock("%taken = icmp eq i32 0, 0", ""), 4, 2, kRefuted},
      {"lock_that_is_kept_by_one_block", SpinLock(Replaced(cas, "ORDER", "acquire monotonic"), ""),
       4, 1, kRefuted},
      {"lock_that_is_kept", SpinLock(Replaced(cas, "ORDER", "acquire monotonic"), ""), 4, 2,
       kUnknown},
      {"last_block", LastBlock(membar), 32, 2, kRight},
      {"last_block_without_fence", LastBlock(""), 32, 2, kRefuted},
      {"last_block_with_fence_of_block", LastBlock("call void @llvm.nvvm.membar.cta()\n"), 32, 2,
       kRefuted},
  };
}

class Synchronization : public testing::TestWithParam<Kernel> {};

TEST_P(Synchronization, IsJudgedAsThePtxIsaSays) {
  const Kernel& kernel = GetParam();
  const Validation validation = Judge(kernel);
  std::string report;
  llvm::raw_string_ostream os(report);
  PrintReport(os, validation);
  switch (kernel.expected) {
    case Expected::kRight:
      EXPECT_NE(validation.verdict, Verdict::kRefuted) << report;
      break;
    case Expected::kRefuted:
      EXPECT_EQ(validation.verdict, Verdict::kRefuted) << report;
      break;
    case Expected::kUnknown:
      EXPECT_EQ(validation.verdict, Verdict::kUnknown) << report;
      break;
  }
  for (const ClaimResult& claim : validation.claims) EXPECT_FALSE(claim.contradicted) << report;
}

INSTANTIATE_TEST_SUITE_P(All, Synchronization, testing::ValuesIn(Kernels()),
                         [](const auto& info) { return std::string(info.param.name); });

// A proof of a right kernel is one for all arguments; the limits above do not take it away.
TEST(Synchronization, IsProvedWhereOneBarrierIsReachedAtTwoPlaces) {
  for (const Kernel& kernel : Kernels()) {
    if (std::string(kernel.name) == "two_places" ||
        std::string(kernel.name) == "shuffle_after_some_ended") {
      EXPECT_EQ(Judge(kernel).verdict, Verdict::kProved) << kernel.name;
    }
  }
}

}  // namespace
}  // namespace affirm::driver
