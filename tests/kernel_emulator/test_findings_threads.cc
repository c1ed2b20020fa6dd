// Each kind of finding about threads together: a kernel that has it, and the one that is repaired.
#include <gtest/gtest.h>

#include "tests/kernel_emulator/run_kernel.h"

namespace affirm::testing {
namespace {

constexpr const char* kTile = "@tile = internal addrspace(3) global [64 x i32] undef, align 16";
constexpr const char* kBarrier = "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\n";
constexpr const char* kWarpSync = "call void @llvm.nvvm.bar.warp.sync(i32 -1)\n";

// Writes in[t] to the tile, does `between`, reads the neighbour's, writes that to out[t].
std::string Exchange(const std::string& between) {
  return R"(
%p = getelementptr i32, ptr %in, i32 %t
%v = load i32, ptr %p, align 4
%a = getelementptr i32, ptr addrspace(3) @tile, i32 %t
store i32 %v, ptr addrspace(3) %a, align 4
)" + between +
         R"(
%i = xor i32 %t, 1
%b = getelementptr i32, ptr addrspace(3) @tile, i32 %i
%w = load i32, ptr addrspace(3) %b, align 4
%q = getelementptr i32, ptr %out, i32 %t
store i32 %w, ptr %q, align 4
ret void)";
}

TEST(Threads, ExchangeNeedsABarrier) {
  EXPECT_NE(RunKernel({.body = Exchange(""), .around = kTile}).Claims().find("races"),
            std::string::npos);
  for (const char* between : {kBarrier, kWarpSync}) {
    TestRun run = RunKernel({.body = Exchange(between), .around = kTile});
    EXPECT_EQ(run.Claims(), "");
    EXPECT_EQ(run.output, (std::vector<int32_t>{20, 10, 40, 30}));
  }
}

TEST(Threads, RacesDoNotDependOnTheOrder) {
  for (uint64_t seed = 0; seed < 8; ++seed) {
    EXPECT_NE(
        RunKernel({.body = Exchange(""), .around = kTile, .seed = seed}).Claims().find("races"),
        std::string::npos);
    EXPECT_EQ(RunKernel({.body = Exchange(kBarrier), .around = kTile, .seed = seed}).Claims(), "");
  }
}

TEST(Threads, SynchronisingAWarpDoesNotSynchroniseTheBlock) {
  std::vector<int32_t> input(64, 5);
  std::string body = Exchange(kWarpSync);
  body.replace(body.find("xor i32 %t, 1"), 13, "xor i32 %t, 32");
  EXPECT_NE(RunKernel({.body = body, .around = kTile, .threads = 64, .input = input, .outputs = 64})
                .Claims()
                .find("races"),
            std::string::npos);
  body.replace(body.find(kWarpSync), std::string(kWarpSync).size(), kBarrier);
  EXPECT_EQ(RunKernel({.body = body, .around = kTile, .threads = 64, .input = input, .outputs = 64})
                .Claims(),
            "");
}

TEST(Threads, EqualValuesStoredTwiceInSharedMemoryAreNoRace) {
  auto body = [](const char* value) {
    return std::string("store i32 ") + value + ", ptr addrspace(3) @tile, align 4\n" + kBarrier +
           "%w = load i32, ptr addrspace(3) @tile, align 4\n"
           "%q = getelementptr i32, ptr %out, i32 %t\nstore i32 %w, ptr %q, align 4\nret void";
  };
  EXPECT_EQ(RunKernel({.body = body("3"), .around = kTile}).Claims(), "");
  EXPECT_EQ(RunKernel({.body = body("%t"), .around = kTile}).Claims(), "races");
}

// Elements that all lanes have loaded before they exchange values may be written after it. Lanes
// that load after the exchange may race with such a write.
TEST(Threads, ShufflesOrderLoadsBeforeStores) {
  auto body = [](const char* between, const char* after) {
    return std::string("store i32 7, ptr addrspace(3) @tile\n") + kBarrier +
           "%v = load i32, ptr addrspace(3) @tile\n" + between + R"(
             %first = icmp eq i32 %t, 0
             br i1 %first, label %one, label %all
           one:
             store i32 9, ptr addrspace(3) @tile
             br label %all
           all:
           )" +
           after +
           R"(%q = getelementptr i32, ptr %out, i32 %t
             store i32 %v, ptr %q, align 4
             ret void)";
  };
  const std::string shuffle =
      "%s = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %v, i32 1, i32 31)\n";
  const std::string again =
      "%u = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %v, i32 1, i32 31)\n"
      "%w = load i32, ptr addrspace(3) @tile\n";
  auto claims = [&](const std::string& between, const std::string& after) {
    return RunKernel({.body = body(between.c_str(), after.c_str()),
                      .around = kTile,
                      .threads = 32,
                      .input = std::vector<int32_t>(32, 0),
                      .outputs = 32})
        .Claims();
  };
  EXPECT_EQ(claims(shuffle, ""), "");
  EXPECT_EQ(claims("", ""), "races");
  EXPECT_EQ(claims(shuffle, again), "races");
}

// A word is exchanged to write one of its bytes: a read of another byte of the
// word gives the old value.
TEST(Threads, ExchangesOfAWordKeepItsOtherBytes) {
  auto body = [](const char* read) {
    return std::string("%mine = getelementptr i8, ptr addrspace(3) @tile, i32 %t\n") +
           "%b = trunc i32 %t to i8\nstore i8 %b, ptr addrspace(3) %mine\n" + kBarrier +
           "%o = xor i32 %t, 1\n%r = getelementptr i8, ptr addrspace(3) @tile, i32 " + read +
           R"(
             %x = load i8, ptr addrspace(3) %r
             %y = add i8 %x, 16
             %wide = zext i8 %y to i32
             %by = mul i32 %t, 8
             %put = shl i32 %wide, %by
             %mask = shl i32 255, %by
             %others = xor i32 %mask, -1
             %first = load i32, ptr addrspace(3) @tile, align 4
             br label %before
           before:
             br label %loop
           loop:
             %e = phi i32 [ %first, %before ], [ %found, %loop ]
             %keep = and i32 %e, %others
             %new = or i32 %keep, %put
             %pair = cmpxchg ptr addrspace(3) @tile, i32 %e, i32 %new monotonic monotonic, align 4
             %found = extractvalue { i32, i1 } %pair, 0
             %done = extractvalue { i32, i1 } %pair, 1
             br i1 %done, label %end, label %loop
           end:
           )" +
           kBarrier +
           R"(%z = load i8, ptr addrspace(3) %mine
             %w = zext i8 %z to i32
             %q = getelementptr i32, ptr %out, i32 %t
             store i32 %w, ptr %q, align 4
             ret void)";
  };
  const TestRun own = RunKernel({.body = body("%t"), .around = kTile});
  EXPECT_EQ(own.Claims(), "");
  EXPECT_EQ(own.output, (std::vector<int32_t>{16, 17, 18, 19}));
  EXPECT_NE(RunKernel({.body = body("%o"), .around = kTile}).Claims().find("races"),
            std::string::npos);
}

TEST(Threads, UninitialisedSharedMemoryMayBeReadAndDropped) {
  auto body = [](const char* condition) {
    return std::string("%w = load i32, ptr addrspace(3) @tile, align 4\n%x = select i1 ") +
           condition +
           ", i32 %w, i32 4\n%q = getelementptr i32, ptr %out, i32 %t\n"
           "store i32 %x, ptr %q, align 4\nret void";
  };
  EXPECT_EQ(RunKernel({.body = body("false"), .around = kTile}).Claims(), "");
  EXPECT_EQ(RunKernel({.body = body("true"), .around = kTile}).Claims(), "values");
}

// Threads that end are not waited for, threads that wait elsewhere are.
TEST(Threads, BarrierThatSomeNeverReach) {
  auto body = [](int limit, const std::string& others) {
    return "%c = icmp slt i32 %t, " + std::to_string(limit) +
           "\nbr i1 %c, label %do, label %other\ndo:\n" + kBarrier + "br label %end\nother:\n" +
           others +
           "br label %end\nend:\n%q = getelementptr i32, ptr %out, i32 %t\n"
           "store i32 1, ptr %q, align 4\nret void";
  };
  const std::string another = "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 1)\n";
  EXPECT_EQ(RunKernel({.body = body(2, another)}).Claims(), "barriers");
  EXPECT_EQ(RunKernel({.body = body(4, another)}).Claims(), "");
  EXPECT_EQ(RunKernel({.body = body(2, "")}).Claims(), "");
}

std::string Shuffle(const std::string& distance, const std::string& mask = "-1") {
  return "%p = getelementptr i32, ptr %in, i32 %t\n%v = load i32, ptr %p, align 4\n"
         "%w = call i32 @llvm.nvvm.shfl.sync.down.i32(i32 " +
         mask + ", i32 %v, i32 " + distance +
         ", i32 31)\n%q = getelementptr i32, ptr %out, i32 %t\n";
}

TEST(Threads, ShuffleFromALaneThatDoesNotExist) {
  std::string store = "store i32 %w, ptr %q, align 4\nret void";
  EXPECT_EQ(RunKernel({.body = Shuffle("1") + store}).Claims(), "values");
  std::string guarded =
      "%c = icmp eq i32 %t, 3\n%x = select i1 %c, i32 0, i32 %w\n"
      "store i32 %x, ptr %q, align 4\nret void";
  TestRun run = RunKernel({.body = Shuffle("1") + guarded});
  EXPECT_EQ(run.Claims(), "");
  EXPECT_EQ(run.output, (std::vector<int32_t>{20, 30, 40, 0}));
}

TEST(Threads, ShuffleThatALaneNeverReaches) {
  auto body = [](const char* mask) {
    return std::string("%c = icmp slt i32 %t, 2\nbr i1 %c, label %do, label %other\nother:\n") +
           kWarpSync +
           std::string(
               "br label %end\ndo:\n"
               "%s = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 ") +
           mask +
           ", i32 %t, i32 1, i32 31)\nbr label %end\nend:\n"
           "%x = phi i32 [%s, %do], [9, %other]\n"
           "%q = getelementptr i32, ptr %out, i32 %t\nstore i32 %x, ptr %q, align 4\nret void";
  };
  EXPECT_NE(RunKernel({.body = body("15")}).Claims().find("barriers"), std::string::npos);
  TestRun run = RunKernel({.body = body("3")});
  EXPECT_EQ(run.Claims(), "");
  EXPECT_EQ(run.output, (std::vector<int32_t>{1, 0, 9, 9}));
}

TEST(Threads, ShuffleUpWithItsPredicate) {
  const char* body =
      "%r = call {i32, i1} @llvm.nvvm.shfl.sync.up.i32p(i32 -1, i32 %t, i32 1, i32 0)\n"
      "%v = extractvalue {i32, i1} %r, 0\n%c = extractvalue {i32, i1} %r, 1\n"
      "%x = select i1 %c, i32 %v, i32 -5\n"
      "%q = getelementptr i32, ptr %out, i32 %t\nstore i32 %x, ptr %q, align 4\nret void";
  TestRun run = RunKernel({.body = body});
  EXPECT_EQ(run.Claims(), "");
  EXPECT_EQ(run.output, (std::vector<int32_t>{-5, 0, 1, 2}));
}

TEST(Threads, TwoThreadsWriteOneElementOfAResult) {
  const char* both =
      "%h = lshr i32 %t, 1\n%q = getelementptr i32, ptr %out, i32 %h\n"
      "store i32 3, ptr %q, align 4\nret void";
  EXPECT_EQ(RunKernel({.body = both, .outputs = 2}).Claims(), "races");
  // An order makes it no race, but still two writes.
  const std::string ordered = std::string("store i32 1, ptr %out, align 4\n") + "ret void";
  EXPECT_EQ(RunKernel({.body = ordered, .threads = 1, .outputs = 1}).Claims(), "");
  const std::string in_turn =
      "%c = icmp eq i32 %t, 0\nbr i1 %c, label %do, label %wait\ndo:\n"
      "store i32 1, ptr %out, align 4\nbr label %wait\nwait:\n" +
      std::string(kBarrier) +
      "%d = icmp eq i32 %t, 1\nbr i1 %d, label %again, label %end\nagain:\n"
      "store i32 2, ptr %out, align 4\nbr label %end\nend:\nret void";
  const TestRun run = RunKernel({.body = in_turn, .outputs = 1});
  ASSERT_EQ(run.Claims(), "writes");
  EXPECT_EQ(run.findings[0].kind, kernel::Finding::Kind::kNotModelled);
}

TEST(Threads, TwoBlocksWriteOneElement) {
  EXPECT_EQ(RunKernel({.body = "%q = getelementptr i32, ptr %out, i32 %t\n"
                               "store i32 3, ptr %q, align 4\nret void",
                       .blocks = 2})
                .Claims(),
            "races");
}

TEST(Threads, ReadsWhatAnotherThreadWrites) {
  const char* body =
      "%i = xor i32 %t, 1\n%p = getelementptr i32, ptr %in, i32 %i\n"
      "%v = load i32, ptr %p, align 4\n%q = getelementptr i32, ptr %out, i32 %t\n"
      "store i32 %v, ptr %q, align 4\nret void";
  EXPECT_EQ(RunKernel({.body = body}).Claims(), "");
  EXPECT_EQ(RunKernel({.body = body, .in_place = true}).Claims(), "races races");
}

TEST(Threads, AtomicUpdatesOfOneElement) {
  auto body = [](const char* update) {
    return std::string("%p = getelementptr i32, ptr %in, i32 0\n") + update + "\nret void";
  };
  TestRun run = RunKernel({.body = body("%o = atomicrmw add ptr %p, i32 1 monotonic, align 4"),
                           .blocks = 3,
                           .in_place = true});
  EXPECT_EQ(run.Claims(), "");
  EXPECT_EQ(run.output[0], 10 + 12);
  EXPECT_EQ(RunKernel({.body = body("%o = load i32, ptr %p, align 4\n%n = add i32 %o, 1\n"
                                    "store i32 %n, ptr %p, align 4"),
                       .in_place = true})
                .Claims(),
            "races races");
}

TEST(Threads, CompareAndSwapLoopMayBeginWithAPlainLoad) {
  const char* body =
      "%first = load i32, ptr %in, align 4\nbr label %loop\nloop:\n"
      "%old = phi i32 [%first, %entry], [%seen, %loop]\n%new = add i32 %old, 1\n"
      "%r = cmpxchg ptr %in, i32 %old, i32 %new monotonic monotonic, align 4\n"
      "%seen = extractvalue {i32, i1} %r, 0\n%ok = extractvalue {i32, i1} %r, 1\n"
      "br i1 %ok, label %end, label %loop\nend:\nret void";
  TestRun run = RunKernel({.body = body, .in_place = true});
  EXPECT_EQ(run.Claims(), "");
  EXPECT_EQ(run.output[0], 14);
}

// An old value may say that no maximum is needed, for the element only grows. What is added to it,
// stored beside it, or computed from it has to be the new one.
TEST(Threads, AtomicMaximumMayBeSparedByAPlainLoad) {
  auto body = [](const char* compared, const char* update) {
    return std::string("%x = add i32 %t, 20\n%old = load i32, ptr %in, align 4\n") + compared +
           "\nbr i1 %less, label %then, label %end\nthen:\n" + update +
           "\nbr label %end\nend:\nret void";
  };
  const char* compare = "%less = icmp slt i32 %old, %x";
  TestRun run =
      RunKernel({.body = body(compare, "%o = atomicrmw max ptr %in, i32 %x monotonic, align 4"),
                 .in_place = true});
  EXPECT_EQ(run.Claims(), "");
  EXPECT_EQ(run.output[0], 23);
  const char* wrong[] = {"%o = atomicrmw add ptr %in, i32 %x monotonic, align 4",
                         "store i32 %x, ptr %in, align 4"};
  for (const char* update : wrong)
    EXPECT_NE(RunKernel({.body = body(compare, update), .in_place = true}).Claims(), "") << update;
  EXPECT_NE(RunKernel({.body = body(compare,
                                    "%o = atomicrmw max ptr %in, i32 %x monotonic, align 4\n"
                                    "%q = getelementptr i32, ptr %out, i32 %t\n"
                                    "store i32 1, ptr %q, align 4"),
                       .in_place = true})
                .Claims(),
            "");
  EXPECT_NE(RunKernel({.body = "%x = add i32 %t, 20\n%old = load i32, ptr %in, align 4\n"
                               "%less = icmp slt i32 %old, %x\n"
                               "%y = select i1 %less, i32 %x, i32 99\n"
                               "%o = atomicrmw max ptr %in, i32 %y monotonic, align 4\nret void",
                       .in_place = true})
                .Claims(),
            "");
  EXPECT_NE(RunKernel({.body = body("%s = sub i32 %old, %x\n%less = icmp slt i32 %s, 0",
                                    "%o = atomicrmw max ptr %in, i32 %x monotonic, align 4"),
                       .in_place = true})
                .Claims(),
            "");
}

// Under a seed the plain load gives what was there before another thread's swap: who does not try
// again loses an update.
TEST(Threads, CompareAndSwapFindsAnotherThreadsUpdate) {
  auto body = [](const char* tries_again) {
    return std::string(
               "%first = load i32, ptr %in, align 4\nbr label %loop\nloop:\n"
               "%old = phi i32 [%first, %entry], [%seen, %again]\n%new = add i32 %old, 1\n"
               "%r = cmpxchg ptr %in, i32 %old, i32 %new monotonic monotonic, align 4\n"
               "%seen = extractvalue {i32, i1} %r, 0\n%ok = extractvalue {i32, i1} %r, 1\n"
               "br i1 %ok, label %end, label %again\nagain:\nbr i1 ") +
           tries_again + ", label %loop, label %end\nend:\nret void";
  };
  EXPECT_EQ(RunKernel({.body = body("true"), .in_place = true, .seed = 1}).output[0], 14);
  EXPECT_LT(RunKernel({.body = body("false"), .in_place = true, .seed = 1}).output[0], 14);
}

TEST(Threads, CompareAndSwapOfTheLastWordPutsThePaddingBack) {
  // The last element of 16 bits stands in a word of which the other half is padding.
  auto body = [](const char* keep) {
    return std::string(
               "%p = getelementptr i8, ptr %in, i32 16\n"
               "%o = load i32, ptr %p, align 4\n%k = and i32 %o, ") +
           keep + "\n%r = cmpxchg ptr %p, i32 %o, i32 %k monotonic monotonic, align 4\nret void";
  };
  // Five elements of 4 bytes end at 20; the word at 20 lies in the padding.
  std::string beyond = body("-1");
  beyond.replace(beyond.find("i32 16"), 6, "i32 20");
  EXPECT_EQ(
      RunKernel({.body = body("-1"), .threads = 1, .input = {1, 2, 3, 4, 5}, .in_place = true})
          .Claims(),
      "");
  EXPECT_NE(RunKernel({.body = beyond, .threads = 1, .input = {1, 2, 3, 4, 5}, .in_place = true})
                .Claims()
                .find("bounds"),
            std::string::npos);
}

TEST(Threads, LoopWithoutEnd) {
  const TestRun run = RunKernel({.body = "br label %l\nl:\nbr label %l", .outputs = 0});
  ASSERT_EQ(run.Claims(), "barriers");
  EXPECT_EQ(run.findings[0].kind, kernel::Finding::Kind::kWrong);
}

TEST(Threads, DynamicSharedMemoryHasTheBytesOfTheLaunch) {
  const char* around = "@dynamic = external addrspace(3) global [0 x i8], align 16";
  const char* body =
      "%a = getelementptr i32, ptr addrspace(3) @dynamic, i32 %t\n"
      "store i32 1, ptr addrspace(3) %a, align 4\nret void";
  EXPECT_EQ(RunKernel({.body = body, .around = around, .outputs = 0, .shared_bytes = 16}).Claims(),
            "");
  EXPECT_EQ(RunKernel({.body = body, .around = around, .outputs = 0, .shared_bytes = 12}).Claims(),
            "bounds");
}

}  // namespace
}  // namespace affirm::testing
