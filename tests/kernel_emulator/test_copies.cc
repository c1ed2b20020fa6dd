// cp.async: what is copied, and who may not touch it before it is there. Kernels that wait too
// little are in tests/kernel/wrong.
#include <gtest/gtest.h>

#include "tests/kernel_emulator/run_kernel.h"

namespace affirm::testing {
namespace {

constexpr const char* kTile = "@tile = internal addrspace(3) global [64 x i32] undef, align 16\n";

// Each of four threads copies 16 bytes to shared memory, and stores all four words of them.
TestKernel CopyOf(const std::string& copy, const std::string& wait) {
  std::string body =
      "%first = mul i32 %t, 4\n%p = getelementptr i32, ptr %in, i32 %first\n"
      "%from = addrspacecast ptr %p to ptr addrspace(1)\n"
      "%to = getelementptr i32, ptr addrspace(3) @tile, i32 %first\n" +
      copy + "\n" + wait + "\n";
  for (int k = 0; k < 4; ++k) {
    const std::string n = std::to_string(k);
    body += "%at" + n + " = getelementptr i32, ptr addrspace(3) %to, i32 " + n + "\n%x" + n +
            " = load i32, ptr addrspace(3) %at" + n + "\n%i" + n + " = add i32 %first, " + n +
            "\n%q" + n + " = getelementptr i32, ptr %out, i32 %i" + n + "\nstore i32 %x" + n +
            ", ptr %q" + n + "\n";
  }
  std::vector<int32_t> input;
  for (int k = 0; k < 16; ++k) input.push_back(100 + k);
  return {.body = body + "ret void", .around = kTile, .input = input, .outputs = 16};
}

constexpr const char* kAll =
    "call void asm sideeffect \"cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, 0x10;\", "
    "\"r,l\"(ptr addrspace(3) %to, ptr addrspace(1) %from)";
constexpr const char* kCommit = "call void @llvm.nvvm.cp.async.commit.group()\n";
constexpr const char* kWaitAll = "call void @llvm.nvvm.cp.async.wait.all()\n";

TEST(Copies, BringAllBytes) {
  const TestKernel kernel = CopyOf(kAll, kWaitAll);
  const TestRun run = RunKernel(kernel);
  EXPECT_EQ(run.Claims(), "");
  EXPECT_EQ(run.output, kernel.input);
}

TEST(Copies, FillWithZerosBehindTheirSize) {
  const TestRun run = RunKernel(
      CopyOf("%size = shl i32 %t, 2\ncall void asm sideeffect \"cp.async.cg.shared.global [ $0 + 0 "
             "], [ $1 + "
             "0 ], 0x10, $2;\", \"r,l,r\"(ptr addrspace(3) %to, ptr addrspace(1) %from, i32 %size)",
             kWaitAll));
  EXPECT_EQ(run.Claims(), "");
  EXPECT_EQ(run.output,
            (std::vector<int32_t>{0, 0, 0, 0, 104, 0, 0, 0, 108, 109, 0, 0, 112, 113, 114, 0}));
}

// PTX ISA, "cp.async": a predicate as the fourth operand is ignore-src, and a size has 32 bits.
TEST(Copies, HaveSizesOf32Bits) {
  for (const auto& [constraint, size] :
       {std::pair("b", "i1 %no"), {"l", "i64 16"}, {"h", "i16 16"}}) {
    const TestRun run = RunKernel(
        CopyOf("%no = icmp ugt i32 %t, 1000\ncall void asm sideeffect \"cp.async.cg.shared.global "
               "[ $0 + 0 ], [ $1 + 0 ], 0x10, $2;\", \"r,l," +
                   std::string(constraint) + "\"(ptr addrspace(3) %to, ptr addrspace(1) %from, " +
                   size + ")",
               kWaitAll));
    EXPECT_NE(run.Claims(), "") << size;
  }
}

TEST(Copies, OfMoreThanTheyWriteAreOutside) {
  EXPECT_EQ(
      RunKernel(CopyOf("call void asm sideeffect \"cp.async.cg.shared.global [ $0 + 0 ], [ $1 + "
                       "0 ], 0x10, $2;\", \"r,l,r\"(ptr addrspace(3) %to, ptr "
                       "addrspace(1) %from, i32 17)",
                       kWaitAll))
          .Claims()
          .substr(0, 6),
      "bounds");
}

// A group that is waited for, one that may be open, and copies in no group.
TEST(Copies, EndWhenTheirGroupIsWaitedFor) {
  auto waits = [&](const std::string& wait) { return RunKernel(CopyOf(kAll, wait)).Claims(); };
  const std::string none = "call void @llvm.nvvm.cp.async.wait.group(i32 0)\n";
  const std::string but_one = "call void @llvm.nvvm.cp.async.wait.group(i32 1)\n";
  EXPECT_EQ(waits(kCommit + none), "");
  EXPECT_EQ(waits(std::string(kCommit) + kCommit + but_one), "");
  EXPECT_NE(waits(kCommit + but_one), "");
  EXPECT_NE(waits(none), "");
  EXPECT_NE(waits(""), "");
}

TEST(Copies, OfOtherKindsAreNotGuessed) {
  for (const char* other : {
           "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x8, 0x8;",
           "cp.async.ca.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x2, 0x2;",
           "cp.async.cg.global.shared [ $0 + 0 ], [ $1 + 0 ], 0x10, 0x10;",
           "cp.async.bulk.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, 0x10;",
           "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ];",
       }) {
    const std::string error =
        RunKernel(CopyOf(std::string("call void asm sideeffect \"") + other +
                             "\", \"r,l\"(ptr addrspace(3) %to, ptr addrspace(1) %from)",
                         kWaitAll))
            .error;
    EXPECT_NE(error.find("inline PTX is not executed"), std::string::npos)
        << other << ": " << error;
  }
}

}  // namespace
}  // namespace affirm::testing
