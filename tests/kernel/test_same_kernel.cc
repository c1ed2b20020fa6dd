// A change of a kernel is seen to change nothing, and one that changes something is not.
#include <gtest/gtest.h>

#include "verify/kernel/proof/same_kernel.h"

namespace affirm::kernel {
namespace {

constexpr char kLaunch[] = R"({"kernel": "k", "grid": [3, 1, 1], "threads": [32, 1, 1], "params": [
  {"name": "p", "shape": "s32[90]{0}", "bytes": 360, "role": "input", "memory": 0},
  {"name": "r", "shape": "s32[90]{0}", "bytes": 360, "role": "output", "memory": 1}]})";

// Thread i of all, which may write an element or not.
const std::string kStart = R"(target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @k(ptr noalias align 16 dereferenceable(360) %p,
                          ptr noalias align 16 dereferenceable(360) %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %row = mul i32 %b, 32
  %i = add i32 %row, %t
)";
const std::string kEnd = R"(  br label %done
done:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
@tile = internal addrspace(3) global [32 x i32] undef
)";

// A kernel whose element is p[i] + p[j] through shared memory: each thread reads what its neighbor
// has stored there.
const std::string kKernel = kStart + R"(  %inside = icmp slt i32 %i, 90
  %last = select i1 %inside, i32 %i, i32 89
  %at = getelementptr i32, ptr %p, i32 %last
  %x = load i32, ptr %at, align 4
  %slot = getelementptr [32 x i32], ptr addrspace(3) @tile, i32 0, i32 %t
  store i32 %x, ptr addrspace(3) %slot, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %other = xor i32 %t, 1
  %from = getelementptr [32 x i32], ptr addrspace(3) @tile, i32 0, i32 %other
  %y = load i32, ptr addrspace(3) %from, align 4
  %half = lshr i32 %y, 16
  %low = and i32 %half, 255
  %sum = add i32 %x, %low
  br i1 %inside, label %write, label %done
write:
  %to = getelementptr i32, ptr %r, i32 %i
  store i32 %sum, ptr %to, align 4
)" + kEnd;

SameKernelProof Compare(const std::string& before, const std::string& after,
                        const char* json = kLaunch) {
  auto launch = ParseLaunch(json, "launch.json");
  auto a = ReadKernelIr(before, "before.ll", "k"), b = ReadKernelIr(after, "after.ll", "k");
  if (!launch || !a || !b) {
    ADD_FAILURE() << llvm::toString(launch.takeError()) << llvm::toString(a.takeError())
                  << llvm::toString(b.takeError());
    return {};
  }
  return ProveSameKernel(*a, *b, *launch, {});
}

std::string With(const std::string& from, const std::string& to) {
  std::string text = kKernel;
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(SameKernel, SeesWhatChangesNothing) {
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"ret void", "ret void"},
           {"icmp slt", "icmp ult"},  // the index is not negative
           {"icmp slt i32 %i, 90", "icmp sle i32 %i, 89"},
           {"lshr i32 %y", "ashr i32 %y"},  // of which the mask takes what is the same
           {"add i32 %row, %t", "add i32 %t, %row"},
           {"add i32 %x, %low", "add i32 %low, %x"},
           {"mul i32 %b, 32", "shl i32 %b, 5"},
           {"i32 %i, i32 89", "i32 %i, i32 88"},  // no thread that writes has such a neighbor
           {"xor i32 %t, 1", "xor i32 1, %t"}}) {
    SameKernelProof proof = Compare(kKernel, With(from, to));
    EXPECT_TRUE(proof.same) << from << " -> " << to << ": " << proof.reason;
  }
}

TEST(SameKernel, DoesNotProveWhatIsDifferent) {
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"icmp slt i32 %i, 90", "icmp slt i32 %i, 91"},
           {"icmp slt i32 %i, 90", "icmp slt i32 %i, 89"},
           {"i32 %i, i32 89", "i32 %i, i32 90"},
           {"xor i32 %t, 1", "xor i32 %t, 2"},
           {"xor i32 %t, 1", "xor i32 %t, 0"},
           {"lshr i32 %y, 16", "lshr i32 %y, 17"},
           {"lshr i32 %y, 16", "ashr i32 %y, 25"},
           {"and i32 %half, 255", "and i32 %half, 511"},
           {"add i32 %x, %low", "sub i32 %x, %low"},
           {"add i32 %x, %low", "add nsw i32 %x, %low"},  // a promise that no one keeps
           {"store i32 %sum", "store i32 %x"},
           {"i32 %t\n  store", "i32 %other0\n  store"},
           {"br i1 %inside", "br i1 true"},
           {"  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\n", ""},
           {"i32, ptr %r, i32 %i", "i32, ptr %p, i32 %i"},
           {"i32 %sum, ptr %to", "i32 undef, ptr %to"},
           {"store i32 %sum, ptr %to, align 4",
            "store i32 %x, ptr %to, align 4\n  store i32 %sum, ptr %to, align 4"}}) {
    std::string after = With(from, to);
    if (to.find("%other0") != std::string::npos)
      after.replace(after.find("  %slot"), 0, "  %other0 = xor i32 %t, 1\n");
    EXPECT_FALSE(Compare(kKernel, after).same) << from << " -> " << to;
  }
  // Equality on two targets has no definition.
  std::string amdgpu = kKernel;
  EXPECT_FALSE(
      Compare(kKernel, amdgpu.replace(amdgpu.find("nvptx64-nvidia-cuda"), 19, "amdgcn-amd-amdhsa"))
          .same);
  // An unspecified value is not equal to itself.
  const std::string undef = With("i32 %sum, ptr %to", "i32 undef, ptr %to");
  EXPECT_FALSE(Compare(undef, undef).same);
}

// An exchange of values depends on how many lanes a wave has.
TEST(SameKernel, HasWavesOfOneSize) {
  auto kernel = [](const std::string& device) {
    return R"(target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @k(ptr %p, ptr %r) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %b = call i32 @llvm.amdgcn.workgroup.id.x()
  %row = mul i32 %b, 32
  %i = add i32 %row, %t
  %inside = icmp slt i32 %i, 90
  %last = select i1 %inside, i32 %i, i32 89
  %at = getelementptr i32, ptr %p, i32 %last
  %x = load i32, ptr %at, align 4
  %y = call i32 @llvm.amdgcn.readlane.i32(i32 %x, i32 3)
  br i1 %inside, label %write, label %done
write:
  %to = getelementptr i32, ptr %r, i32 %i
  store i32 %y, ptr %to, align 4
  br label %done
done:
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.readlane.i32(i32, i32)
attributes #0 = { "target-cpu"=")" +
           device + "\" }\n";
  };
  EXPECT_TRUE(Compare(kernel("gfx942"), kernel("gfx90a")).same);
  EXPECT_FALSE(Compare(kernel("gfx942"), kernel("gfx1100")).same);
}

// Threads that do not cooperate, which are executed as one.
const std::string kByThread = kStart + R"(  %inside = icmp slt i32 %i, END
  br i1 %inside, label %write, label %done
write:
  %at = getelementptr i32, ptr %p, i32 %i
  %x = load i32, ptr %at, align 4
  %to = getelementptr i32, ptr %r, i32 %i
  store i32 %x, ptr %to, align 4
)" + kEnd;

TEST(SameKernel, UnderTheSameCondition) {
  auto until = [](const std::string& end) {
    std::string text = kByThread;
    return text.replace(text.find("END"), 3, end);
  };
  EXPECT_TRUE(Compare(until("90"), until("90")).same);
  EXPECT_FALSE(Compare(until("90"), until("89")).same);
  EXPECT_FALSE(Compare(until("89"), until("90")).same);
}

// The element is stored under a condition, and read before and after.
TEST(SameKernel, ReadsOfWhatIsWrittenAreNotCompared) {
  auto stores = [](const std::string& value) {
    std::string text = kByThread;
    const std::string load = "%x = load i32, ptr %at, align 4\n";
    text.replace(text.find(load), load.size(), load + R"(  %q = getelementptr i32, ptr %r, i32 %i
  %first = load i32, ptr %q, align 4
  %is = icmp eq i32 %x, 7
  br i1 %is, label %store, label %after
store:
  store i32 %x, ptr %q, align 4
  br label %after
after:
  %second = load i32, ptr %q, align 4
)");
    text.replace(text.find("store i32 %x, ptr %to"), 12, "store i32 %" + value);
    return text.replace(text.find("END"), 3, "90");
  };
  EXPECT_FALSE(Compare(stores("first"), stores("second")).same);
  EXPECT_FALSE(Compare(stores("second"), stores("first")).same);
}

// Floats in memory of the kernel itself, which are read as integers: which NaN it is would show.
TEST(SameKernel, BitsOfFloatsThatShowElsewhereAreNotCompared) {
  constexpr char kBits[] = R"({"kernel": "k", "grid": [1, 1, 1], "threads": [32, 1, 1], "params": [
    {"name": "p", "shape": "f32[32]{0}", "bytes": 128, "role": "input", "memory": 0},
    {"name": "r", "shape": "u32[32]{0}", "bytes": 128, "role": "output", "memory": 1}]})";
  auto kernel = [](const std::string& value, const std::string& stored, const std::string& read) {
    return R"(target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @k(ptr addrspace(1) noalias align 16 dereferenceable(128) %p,
                          ptr addrspace(1) noalias align 16 dereferenceable(128) %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr float, ptr addrspace(1) %p, i32 %t
  %x = load float, ptr addrspace(1) %at, align 4
  %y = )" + value +
           R"(
  %is = icmp eq i32 %t, 7
  %one = getelementptr float, ptr addrspace(3) @s, i32 %t
  %two = getelementptr float, ptr addrspace(3) @s, i32 %t
  %some = select i1 %is, ptr addrspace(3) %one, ptr addrspace(3) %two
)" + stored +
           read +
           R"(
  %to = getelementptr i32, ptr addrspace(1) %r, i32 %t
  store i32 %b, ptr addrspace(1) %to, align 4
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
@s = internal addrspace(3) global [32 x float] undef, align 16
declare float @llvm.maximum.f32(float, float)
)";
  };
  const std::string stores[] = {"  store float %y, ptr addrspace(3) %one, align 4\n",
                                "  store float %y, ptr addrspace(3) %some, align 4\n",
                                "  %l = insertvalue {float} poison, float %y, 0\n"
                                "  store {float} %l, ptr addrspace(3) %some, align 4\n"};
  const std::string reads[] = {
      "  %b = load i32, ptr addrspace(3) %one, align 4",
      "  %b = call i32 asm sideeffect \"ld.shared.b32 $0, [$1];\", "
      "\"=r,r,~{memory}\"(ptr addrspace(3) %one)",
      "  %f = load float, ptr addrspace(3) %one, align 4\n  %b = bitcast float %f to i32",
  };
  for (const std::string& stored : stores) {
    for (const std::string& read : reads) {
      // Bits that are seen twice are the same, if they are computed once.
      const std::string sum = kernel("fadd float %x, 1.0", stored, read);
      EXPECT_FALSE(Compare(sum, sum, kBits).same) << stored << read;
      for (const char* value :
           {"fmul float %x, 1.0", "fdiv float %x, 1.0", "fsub float %x, 0.0", "fadd float %x, -0.0",
            "call float @llvm.maximum.f32(float %x, float %x)"}) {
        EXPECT_FALSE(Compare(kernel("select i1 true, float %x, float %x", stored, read),
                             kernel(value, stored, read), kBits)
                         .same)
            << stored << read << value;
      }
    }
  }
}

// A value stored as a float is read as elements of another type by the user of the result.
TEST(SameKernel, BitsOfFloatsInResultsOfOtherTypesAreNotCompared) {
  auto launch = [](const std::string& type, const std::string& size) {
    return R"({"kernel": "k", "grid": [1, 1, 1], "threads": [32, 1, 1], "params": [
      {"name": "p", "shape": "f32[32]{0}", "bytes": 128, "role": "input", "memory": 0},
      {"name": "r", "shape": ")" +
           type + "[" + size + R"(]{0}", "bytes": 128, "role": "output", "memory": 1}]})";
  };
  auto kernel = [](const std::string& value, const std::string& store) {
    return R"(target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @k(ptr noalias align 16 dereferenceable(128) %p,
                          ptr noalias align 16 dereferenceable(128) %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr float, ptr %p, i32 %t
  %x = load float, ptr %at, align 4
  %y = )" + value +
           R"(
  %l = insertvalue {float} poison, float %y, 0
  %to = getelementptr float, ptr %r, i32 %t
  )" + store +
           R"(
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
)";
  };
  const std::string kept = "select i1 true, float %x, float %x", one = "fmul float %x, 1.0";
  for (const std::string store :
       {"store float %y, ptr %to, align 4", "store {float} %l, ptr %to, align 4",
        "%old = atomicrmw xchg ptr %to, float %y monotonic, align 4"}) {
    for (const std::string type : {"u32", "f16"}) {
      const std::string json = launch(type, type == "f16" ? "64" : "32");
      EXPECT_FALSE(Compare(kernel(kept, store), kernel(one, store), json.c_str()).same)
          << store << type;
    }
  }
  // Also of constants, whose bits are numbers to terms.
  const std::string constant = "select i1 true, float 0x7FF8000020000000, float 0.0",
                    product = "fmul float 0x7FF8000020000000, 1.0";
  const std::string as_integers = "store float %y, ptr %to, align 4";
  EXPECT_FALSE(Compare(kernel(constant, as_integers), kernel(product, as_integers),
                       launch("u32", "32").c_str())
                   .same);
  const std::string floats = launch("f32", "32"), store = "store float %y, ptr %to, align 4";
  EXPECT_TRUE(Compare(kernel(kept, store), kernel(one, store), floats.c_str()).same);
}

// A strong store of inline PTX and a weak one (PTX ISA, "Memory consistency model").
TEST(SameKernel, TheStrengthOfPtxIsKept) {
  auto kernel = [](const std::string& store) {
    return R"(target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @k(ptr addrspace(1) noalias align 16 dereferenceable(360) %p,
                          ptr addrspace(1) noalias align 16 dereferenceable(360) %r) {
  call void asm sideeffect ")" +
           store + R"(.b32 [ $0 + 0 ], { $1 };", "l,r"(ptr addrspace(1) %r, i32 7) #0
  ret void
}
attributes #0 = { memory(write) }
)";
  };
  const std::string strong = kernel("st.relaxed.gpu.global");
  EXPECT_TRUE(Compare(strong, strong).same);
  EXPECT_FALSE(Compare(strong, kernel("st.global")).same);
  EXPECT_FALSE(Compare(strong, kernel("st.relaxed.cta.global")).same);
}

// Words of 128 bits: a shift by a word, with or without the sign.
constexpr char kWideLaunch[] =
    R"({"kernel": "k", "grid": [1, 1, 1], "threads": [8, 1, 1], "params": [
  {"name": "p", "shape": "c128[8]{0}", "bytes": 128, "role": "input", "memory": 0},
  {"name": "r", "shape": "c128[8]{0}", "bytes": 128, "role": "output", "memory": 1}]})";
constexpr char kWide[] = R"(target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @k(ptr noalias align 16 dereferenceable(128) %p,
                          ptr noalias align 16 dereferenceable(128) %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i128, ptr %p, i32 %t
  %x = load i128, ptr %at, align 16
  %high = SHIFT i128 %x, 64
  %word = trunc i128 %high to i64
  %wide = zext i64 %word to i128
  %to = getelementptr i128, ptr %r, i32 %t
  store i128 %STORED, ptr %to, align 16
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
)";

TEST(SameKernel, ShiftsOfWideIntegers) {
  auto text = [](const std::string& shift, const std::string& stored) {
    std::string all = kWide;
    all.replace(all.find("SHIFT"), 5, shift);
    return all.replace(all.find("STORED"), 6, stored);
  };
  EXPECT_TRUE(Compare(text("lshr", "wide"), text("ashr", "wide"), kWideLaunch).same);
  EXPECT_TRUE(Compare(text("ashr", "high"), text("ashr", "high"), kWideLaunch).same);
  EXPECT_FALSE(Compare(text("lshr", "high"), text("ashr", "high"), kWideLaunch).same);
  EXPECT_FALSE(Compare(text("lshr", "wide"), text("ashr", "high"), kWideLaunch).same);
}

}  // namespace
}  // namespace affirm::kernel
