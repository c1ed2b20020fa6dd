// Promises of LLVM IR, kept and broken, at each place where they can stand.
#include "gtest/gtest.h"
#include "lift_text.h"
#include "verify/kernel/promises.h"

namespace affirm::kernel {
namespace {

struct Case {
  const char* name;
  std::string outside, compute;  // of Elementwise()
};

// The claims that are not proved, or an error; empty where all are.
std::string OpenOf(const Case& of) {
  auto lifted = LiftBody(Elementwise(of.compute), 2, 128, "f32", 256, of.outside);
  return lifted->error + lifted->unproved();
}

std::string Function(const std::string& attributes, const std::string& parameter = "",
                     const std::string& body = "store float %s, ptr %p, align 4") {
  return "define internal void @f(ptr " + parameter + " %p, float %s) " + attributes + " {\n  " +
         body + "\n  ret void\n}\n";
}
constexpr const char* kCall = "%y = fneg float %x\n  call void @f(ptr %q, float %x)";
// Uses an alloca, so that nothing but the promise is at stake.
std::string CallOnOwn(const std::string& attributes = "", const std::string& parameter = "") {
  return "%own = alloca float, align 4\n  store float %x, ptr %own, align 4\n  call void @f(ptr " +
         parameter + " %own, float %x) " + attributes + "\n  %y = load float, ptr %own, align 4";
}

class BrokenPromise : public testing::TestWithParam<Case> {};
TEST_P(BrokenPromise, IsNotProved) { EXPECT_NE(OpenOf(GetParam()), ""); }

class KeptPromise : public testing::TestWithParam<Case> {};
TEST_P(KeptPromise, IsProved) { EXPECT_EQ(OpenOf(GetParam()), ""); }

std::string NameOf(const testing::TestParamInfo<Case>& info) { return info.param.name; }

const Case kBroken[] = {
    {"MemoryNone", Function("memory(none)"), CallOnOwn()},
    {"MemoryRead", Function("memory(read)"), CallOnOwn()},
    {"MemoryOfArgumentsRead", Function("memory(argmem: read)"), CallOnOwn()},
    {"MemoryInaccessible", Function("memory(inaccessiblemem: readwrite)"), CallOnOwn()},
    {"MemoryAtCall", Function(""), CallOnOwn("memory(none)")},
    {"MemoryOfSecondLevel",
     Function("") +
         "define internal void @g(ptr %p, float %s) memory(none) {\n  call void @f(ptr %p, float "
         "%s)\n  ret void\n}",
     "%own = alloca float, align 4\n  store float %x, ptr %own, align 4\n  call void @g(ptr %own, "
     "float %x)\n  %y = load float, ptr %own, align 4"},
    {"MemoryOfCopy",
     "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)\n" +
         Function("memory(read)", "",
                  "%l = alloca float\n  store float %s, ptr %l\n  call void "
                  "@llvm.memcpy.p0.p0.i64(ptr %p, ptr %l, i64 4, i1 false)"),
     CallOnOwn()},
    {"MemoryOfInlinePtx", "",
     "%y = call float asm \"ld.global.b32 $0, [$1];\", \"=f,l\"(ptr %in) memory(none)"},
    {"InlinePtxWithoutSideEffect", "",
     "%y = call float asm \"ld.global.b32 $0, [$1];\", \"=f,l\"(ptr %in)"},
    {"ReadOnly", Function("", "readonly"), CallOnOwn()},
    {"ReadNone", Function("", "readnone"), CallOnOwn()},
    {"ReadOnlyThroughPhi",
     Function("", "readonly",
              "%c = fcmp olt float %s, 0.0\n  %a = getelementptr i8, ptr %p, i64 0\n  %r = select "
              "i1 %c, ptr %a, ptr %p\n  store float %s, ptr %r, align 4"),
     CallOnOwn()},
    {"ReadOnlyAtCall", Function(""), CallOnOwn("", "readonly")},
    {"WriteOnly", Function("", "writeonly", "%l = load float, ptr %p, align 4"), CallOnOwn()},
    {"CapturesNone", Function("", "captures(none)", "%n = icmp eq ptr %p, null"), CallOnOwn()},
    {"Returned", "define internal float @f(float returned %u, float %v) {\n  ret float %v\n}",
     "%z = fneg float %x\n  %y = call float @f(float %z, float %x)"},
    {"ReturnedAtCall", "define internal float @f(float %u, float %v) {\n  ret float %v\n}",
     "%z = fneg float %x\n  %y = call float @f(float returned %z, float %x)"},
    {"NoRecurseAndMore",
     "define internal float @f(float %u) nosync {\n  call void "
     "@llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\n  ret float %u\n}",
     "%y = call float @f(float %x) convergent"},
    {"BarrierInFunctionThatIsNotConvergent",
     "define internal float @f(float %u) {\n  call void "
     "@llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\n  ret float %u\n}",
     "%y = call float @f(float %x)"},
    {"Speculatable", "define internal float @f(float %u) speculatable {\n  ret float %u\n}",
     "%y = call float @f(float %x)"},
    {"NoCallback",
     "define internal float @g(float %u) {\n  ret float %u\n}\ndefine internal float @f(float %u) "
     "nocallback {\n  %r = call float @g(float %u)\n  ret float %r\n}",
     "%y = call float @f(float %x)"},
    {"CallingConvention", "define internal float @f(float %u) {\n  ret float %u\n}",
     "%y = call fastcc float @f(float %x)"},
    {"UnknownConvention", "define internal ghccc float @f(float %u) {\n  ret float %u\n}",
     "%y = call ghccc float @f(float %x)"},
    {"Linkage", "define weak float @f(float %u) {\n  ret float %u\n}",
     "%y = call float @f(float %x)"},
    {"NameOfLibrary", "define float @__nv_sinf(float %u) {\n  ret float %u\n}",
     "%y = call float @__nv_sinf(float %x)"},
    {"Extension", "define internal float @f(float %u, i8 signext %n) {\n  ret float %u\n}",
     "%y = call float @f(float %x, i8 1)"},
    {"NoNans",
     "define internal float @f(float %u) \"no-nans-fp-math\"=\"true\" {\n  ret float "
     "%u\n}",
     "%y = call float @f(float %x)"},
    {"Denormals",
     "define internal float @f(float %u) \"denormal-fp-math\"=\"preserve-sign\" {\n  %r = fadd "
     "float %u, 1.0\n  ret float %r\n}",
     "%y = call float @f(float %x)"},
    {"UnknownString", "define internal float @f(float %u) \"somebody-says\" {\n  ret float %u\n}",
     "%y = call float @f(float %x)"},
    {"OfArgumentUnknownString",
     "define internal float @f(float \"somebody-says\" %u) {\n  ret float %u\n}",
     "%y = call float @f(float %x)"},
    {"RequiredThreads",
     "define internal float @f(float %u) \"nvvm.reqntid\"=\"64\" {\n  ret float %u\n}",
     "%y = call float @f(float %x)"},
    {"Initializes", Function("", "initializes((0, 4))"), CallOnOwn()},
    {"FlushingLibrary", "!llvm.module.flags = !{!9}\n!9 = !{i32 4, !\"nvvm-reflect-ftz\", i32 1}",
     "%y = fneg float %x"},
    {"AccessGroup", "!8 = distinct !{}",
     "%y = load float, ptr %in, align 4, !llvm.access.group !8"},
    {"UnknownMetadata", "!8 = !{}", "%y = load float, ptr %in, align 4, !somebody.says !8"},
    {"Relaxed", "!8 = !{!\"a\", !\"b\"}", "%y = load float, ptr %in, align 4, !mmra !8"},
    {"OperandBundle", "define internal float @f(float %u) {\n  ret float %u\n}",
     "%y = call float @f(float %x) [ \"deopt\"() ]"},
    {"VectorizedLoop", "!8 = distinct !{!8, !7}\n!7 = !{!\"llvm.loop.vectorize.enable\", i1 true}",
     "br label %loop\nloop:\n  %j = phi i32 [ 0, %0 ], [ %n, %loop ]\n  %n = add i32 %j, 1\n  %m = "
     "icmp slt i32 %n, 3\n  br i1 %m, label %loop, label %done, !llvm.loop !8\ndone:\n  %y = fneg "
     "float %x"},
};
INSTANTIATE_TEST_SUITE_P(Promises, BrokenPromise, testing::ValuesIn(kBroken), NameOf);

const Case kKept[] = {
    {"TagOfErrno",
     "!llvm.errno.tbaa = !{!0}\n!0 = !{!1, !1, i64 0}\n!1 = !{!\"int\", !2, i64 0}\n"
     "!2 = !{!\"C\"}\n",
     "%y = fneg float %x"},
    {"MemoryOfArguments", Function("memory(argmem: write) nounwind willreturn nosync norecurse"),
     CallOnOwn()},
    {"MemoryOfArgumentsAtCall", Function(""), CallOnOwn("memory(argmem: write)")},
    {"MemoryNone",
     "define internal float @f(float %u) memory(none) {\n  %l = alloca float, align 4\n  store "
     "float %u, ptr %l, align 4\n  %r = load float, ptr %l, align 4\n  ret float %r\n}",
     "%y = call float @f(float %x)"},
    {"MemoryOfMath", "",
     "%y = call float @__nv_expf(float %x) memory(none) nounwind willreturn nosync"},
    {"MemoryOfInlinePtx", "",
     "%y = call float asm sideeffect \"ld.global.b32 $0, [$1];\", \"=f,l\"(ptr %in) memory(read)"},
    {"WriteOnly", Function("", "writeonly captures(none) nofree"), CallOnOwn()},
    {"ReadOnly",
     "define internal float @f(ptr readonly captures(none) %p) memory(argmem: read) {\n  %r = load "
     "float, ptr %p, align 4\n  ret float %r\n}",
     "%y = call float @f(ptr readonly %in)"},
    {"Returned", "define internal float @f(float returned %u) {\n  ret float %u\n}",
     "%y = call float @f(float returned %x)"},
    {"Convention", "define internal fastcc float @f(float %u) alwaysinline {\n  ret float %u\n}",
     "%y = call fastcc float @f(float %x)"},
    {"Denormals",
     "define internal float @f(float %u) \"denormal-fp-math\"=\"ieee,ieee\" {\n  ret float %u\n}",
     "%y = call float @f(float %x)"},
    {"DenormalsOfMoves",
     "define internal float @f(float %u) \"denormal-fp-math\"=\"preserve-sign\" {\n  ret float "
     "%u\n}",
     "%y = call float @f(float %x)"},
    {"NoNans",
     "define internal float @f(float %u) \"no-nans-fp-math\"=\"false\" {\n  ret float %u\n}",
     "%y = call float @f(float %x)"},
    {"RequiredThreads",
     "define internal float @f(float %u) \"nvvm.reqntid\"=\"128\" \"nvvm.maxntid\"=\"1024\" "
     "\"nvvm.cluster_dim\"=\"2,1,1\" {\n  ret float %u\n}",
     "%y = call float @f(float %x)"},
    {"Loop", "!8 = distinct !{!8, !7}\n!7 = !{!\"llvm.loop.unroll.disable\"}",
     "br label %loop\nloop:\n  %j = phi i32 [ 0, %0 ], [ %n, %loop ]\n  %n = add i32 %j, 1\n  %m = "
     "icmp slt i32 %n, 3\n  br i1 %m, label %loop, label %done, !llvm.loop !8\ndone:\n  %y = fneg "
     "float %x"},
};
INSTANTIATE_TEST_SUITE_P(Promises, KeptPromise, testing::ValuesIn(kKept), NameOf);

// ---- of values and accesses

std::string Add(const std::string& result, const std::string& parameter = "") {
  return "define internal " + result + " float @f(float " + parameter +
         " %u) {\n  %w = fadd float %u, 1.0\n  ret float %w\n}\n";
}
// Stores 0 to one place and %s to another, then loads the first.
std::string StoreTwice(const std::string& first, const std::string& second) {
  return "define internal float @f(ptr " + first + " %p, ptr " + second +
         " %r, float %s) {\n  store float 0.0, ptr %p, align 4\n  store float %s, ptr %r, align "
         "4\n  %l = load float, ptr %p, align 4\n  ret float %l\n}\n";
}
std::string CallTwice(const std::string& first, const std::string& second) {
  return "%own = alloca float, align 4\n  %two = alloca float, align 4\n  %y = call float @f(ptr " +
         first + ", ptr " + second + ", float %x)";
}
// Stores to variables of the thread and a load, with metadata.
std::string StoreAndLoad(const std::string& store, const std::string& load) {
  return "%own = alloca float, align 4\n  %two = alloca float, align 4\n  store float 0.0, ptr "
         "%two, align 4\n  store float %x, ptr %own, align 4" +
         store + "\n  %y = load float, ptr %own, align 4" + load;
}
constexpr const char* kScopes =
    "!0 = distinct !{!0}\n!1 = distinct !{!1, !0}\n!2 = !{!1}\n!3 = distinct !{!3, !0}\n!4 = !{!3}";
constexpr const char* kTypes =
    "!0 = !{!\"root\"}\n!1 = !{!\"int\", !0}\n!2 = !{!\"float\", !0}\n!3 = !{!1, !1, i64 0}\n!4 = "
    "!{!2, !2, i64 0}\n!5 = !{!2, !2, i64 0, i64 1}";
constexpr const char* kCopy = "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)\n";
constexpr const char* kShared = "@s = internal addrspace(3) global [128 x float] undef, align 4\n";

const Case kBrokenByValues[] = {
    {"NoReturn", "define internal float @f(float %u) noreturn {\n  ret float %u\n}",
     "%y = call float @f(float %x)"},
    {"NoReturnAtCall", Add(""), "%y = call float @f(float %x) noreturn"},
    {"NoUndefOfArgument", Add("", "noundef"),
     "%y = fneg float %x\n  %z = call float @f(float undef)"},
    {"NoUndefOfMath", "", "%y = fneg float %x\n  %z = call float @__nv_expf(float noundef undef)"},
    {"NoUndefOfResult", "define internal noundef float @f() {\n  ret float undef\n}",
     "%y = fneg float %x\n  %z = call float @f()"},
    {"NoUndefOfLoad", "!8 = !{}",
     "%own = alloca float, align 4\n  %z = load float, ptr %own, align 4, !noundef !8\n  %y = fneg "
     "float %x"},
    {"ClassOfArgument", "", "%y = call float @__nv_expf(float nofpclass(nan) %x)"},
    {"ClassOfResult", Add("nofpclass(inf)"), "%y = call float @f(float %x)"},
    {"AlignOfArgument", Function("", "align 16"), CallOnOwn()},
    {"AlignAtCall", Function(""), CallOnOwn("", "align 16")},
    {"AlignOfOffset", Function("", "align 8"),
     "%own = alloca [4 x float], align 16\n  %a = getelementptr float, ptr %own, i32 1\n  call "
     "void "
     "@f(ptr %a, float %x)\n  %y = load float, ptr %a, align 4"},
    {"AlignOfCopy", kCopy,
     "%own = alloca float, align 4\n  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %own, ptr "
     "align 4 "
     "%in, i64 4, i1 false)\n  %y = fneg float %x"},
    {"AlignOfInlinePtx", "",
     "%y = call float asm sideeffect \"ld.global.b32 $0, [$1];\", \"=f,l\"(ptr align 16 %in)"},
    {"AlignOfResult", "define internal align 16 ptr @f(ptr %u) {\n  ret ptr %u\n}",
     "%y = fneg float %x\n  %z = call ptr @f(ptr %in)"},
    {"Dereferenceable", Function("", "dereferenceable(8)"), CallOnOwn()},
    {"DereferenceableOrNull", Function("", "dereferenceable_or_null(8)"), CallOnOwn()},
    {"DereferenceableBehindTheEnd", Function("", "dereferenceable(512)"),
     "call void @f(ptr %q, float %x)\n  %a = getelementptr float, ptr %q, i32 %i\n  call void "
     "@f(ptr "
     "%a, float %x)\n  %y = fneg float %x"},
    {"NonNullOfSharedMemory",
     std::string(kShared) + "define internal void @f(ptr addrspace(3) nonnull %p) {\n  ret void\n}",
     "%y = fneg float %x\n  call void @f(ptr addrspace(3) @s)"},
    {"NoAlias", StoreTwice("noalias", ""), CallTwice("%own", "%own")},
    {"NoAliasOfTheSecond", StoreTwice("", "noalias"), CallTwice("%own", "%own")},
    {"NoAliasAtCall", StoreTwice("", ""), CallTwice("noalias %own", "%own")},
    {"NoAliasOfVariable",
     std::string(kShared) +
         "define internal float @f(ptr noalias %p, i32 %t) {\n  %g = getelementptr float, ptr "
         "addrspace(3) @s, i32 %t\n  store float 0.0, ptr addrspace(3) %g, align 4\n  %l = load "
         "float, ptr %p, align 4\n  ret float %l\n}",
     "%g = getelementptr float, ptr addrspace(3) @s, i32 %t\n  store float %x, ptr addrspace(3) "
     "%g, "
     "align 4\n  %a = addrspacecast ptr addrspace(3) %g to ptr\n  %y = call float @f(ptr %a, i32 "
     "%t)"},
    {"InvariantOfSharedMemory", std::string(kShared) + "!8 = !{}",
     "%g = getelementptr float, ptr addrspace(3) @s, i32 %t\n  store float %x, ptr addrspace(3) "
     "%g, "
     "align 4\n  %y = load float, ptr addrspace(3) %g, align 4, !invariant.load !8"},
    {"InvariantOfOwnMemory", "!8 = !{}", StoreAndLoad("", ", !invariant.load !8")},
    {"NoClobberOfOwnMemory", "!8 = !{}", StoreAndLoad("", ", !amdgpu.noclobber !8")},
    {"ConstantByType", kTypes, StoreAndLoad("", ", !tbaa !5")},
    {"OtherType", kTypes, StoreAndLoad(", !tbaa !3", ", !tbaa !4")},
    {"OtherScope", kScopes, StoreAndLoad(", !alias.scope !2", ", !noalias !2")},
    {"OtherScopeOfTheLoad", kScopes, StoreAndLoad(", !noalias !2", ", !alias.scope !2")},
    {"OtherScopeOfCopy", std::string(kCopy) + kScopes,
     "%own = alloca float, align 4\n  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %own, ptr align "
     "4 "
     "%in, i64 4, i1 false), !alias.scope !2\n  %y = load float, ptr %own, align 4, !noalias !2"},
    {"ScopeOfCall", std::string(kScopes) + "\n" + Function(""), CallOnOwn(", !noalias !2")},
    {"Tail", Function(""),
     "%own = alloca float, align 4\n  tail call void @f(ptr %own, float %x)\n  %y = load float, "
     "ptr "
     "%own, align 4"},
    {"TailOfCopy", kCopy,
     "%own = alloca float, align 4\n  tail call void @llvm.memcpy.p0.p0.i64(ptr align 4 %own, ptr "
     "align 4 %in, i64 4, i1 false)\n  %y = load float, ptr %own, align 4"},
    {"NoNansOfCall", Add(""), "%y = call nnan float @f(float %x)"},
    {"NoInfinitiesOfCall", Add(""), "%y = call ninf float @f(float %x)"},
    {"NoNansOfComparison", "",
     "%c = fcmp nnan uno float %x, %x\n  %y = select i1 %c, float %x, float %x"},
};
INSTANTIATE_TEST_SUITE_P(PromisesOfValues, BrokenPromise, testing::ValuesIn(kBrokenByValues),
                         NameOf);

const Case kKeptByValues[] = {
    {"NoUndef", Add("noundef", "noundef"), "%y = call noundef float @f(float noundef %x)"},
    {"NoUndefOfFrozen", Add("noundef"),
     "%u = freeze float undef\n  %z = call float @f(float noundef %u)\n  %y = fneg float %x"},
    {"NoUndefOfLoad", "!7 = !{i32 1}\n!8 = !{}",
     "%y = load float, ptr %in, align 4, !noundef !8, !nontemporal !7"},
    {"Pointers", Function("", "noalias align 4 dereferenceable(4) nonnull noundef"), CallOnOwn()},
    {"AlignOfOffset", Function("", "align 8"),
     "%own = alloca [4 x float], align 16\n  %a = getelementptr float, ptr %own, i32 2\n  call "
     "void "
     "@f(ptr %a, float %x)\n  %y = load float, ptr %a, align 4"},
    {"NoAlias", StoreTwice("noalias", "noalias"), CallTwice("%own", "%two")},
    {"NoAliasOfWhatIsRead",
     "define internal float @f(ptr noalias %p, ptr noalias %r) {\n  %u = load float, ptr %p, align "
     "4\n  %v = load float, ptr %r, align 4\n  %w = fadd float %u, %v\n  ret float %w\n}",
     "%y = call float @f(ptr %in, ptr %in)"},
    {"InvariantOfOperand", "!8 = !{}", "%y = load float, ptr %in, align 4, !invariant.load !8"},
    {"NoClobberOfOperand", "!8 = !{}", "%y = load float, ptr %in, align 4, !amdgpu.noclobber !8"},
    {"SameType", kTypes, StoreAndLoad(", !tbaa !4", ", !tbaa !4")},
    {"SameScope", kScopes, StoreAndLoad(", !alias.scope !2, !noalias !4", ", !alias.scope !2")},
    {"OtherScopeOfOtherMemory", kScopes,
     "%own = alloca float, align 4\n  %two = alloca float, align 4\n  store float 0.0, ptr %two, "
     "align 4, !alias.scope !2, !noalias !4\n  store float %x, ptr %own, align 4, !alias.scope !4, "
     "!noalias !2\n  %y = load float, ptr %own, align 4, !alias.scope !4, !noalias !2"},
    {"Tail", Function(""), "tail call void @f(ptr %q, float %x)\n  %y = fneg float %x"},
    {"NoTail", Function(""),
     "%own = alloca float, align 4\n  notail call void @f(ptr %own, float %x)\n  %y = load float, "
     "ptr "
     "%own, align 4"},
};
INSTANTIATE_TEST_SUITE_P(PromisesOfValues, KeptPromise, testing::ValuesIn(kKeptByValues), NameOf);

// The last operation of the value that the kernel stores.
std::string OperationOf(const std::string& compute, const std::string& outside = "") {
  auto lifted = LiftBody(Elementwise(compute), 2, 128, "f32", 256, outside);
  if (!lifted->error.empty()) return lifted->error;
  return ToString(lifted->effect(0).value->operation);
}

// A licence that may change the result makes it an operation that no rule about floats applies to.
TEST(Licences, MakeTheResultOpaque) {
  EXPECT_EQ(OperationOf("%y = fadd float %x, 1.0"), "add");
  EXPECT_EQ(OperationOf("%y = fadd arcp afn contract float %x, 1.0"), "add");
  EXPECT_EQ(OperationOf("%y = fadd reassoc float %x, 1.0"), "in-some-order");
  EXPECT_EQ(OperationOf("%y = fmul nsz float %x, 3.0"), "open-zero-sign");
  EXPECT_EQ(OperationOf("%y = fadd reassoc nsz float %x, 1.0"), "approximate");
  EXPECT_EQ(OperationOf("%y = fsub reassoc float %x, 1.0"), "approximate");
  EXPECT_EQ(OperationOf("%y = fdiv arcp float %x, 3.0"), "approximate");
  EXPECT_EQ(OperationOf("%y = fneg nsz float %x"), "approximate");
  EXPECT_EQ(OperationOf("%z = fmul contract float %x, 3.0\n  %y = fadd contract float %z, 1.0"),
            "approximate");
  EXPECT_EQ(OperationOf("%z = fmul contract float %x, 3.0\n  %y = fmul contract float %z, 5.0"),
            "multiply");
  EXPECT_EQ(OperationOf("%z = fmul float %x, 3.0\n  %y = fadd contract float %z, 1.0"), "add");
  EXPECT_EQ(OperationOf("%y = call float @llvm.fmuladd.f32(float %x, float %x, float 1.0)",
                        "declare float @llvm.fmuladd.f32(float, float, float)"),
            "approximate");
  EXPECT_EQ(OperationOf("%y = fadd float %x, 1.0, !fpmath !8", "!8 = !{float 2.5}"), "approximate");
  EXPECT_EQ(OperationOf("%y = call afn float @__nv_expf(float %x)"), "approximate");
  EXPECT_EQ(OperationOf("%y = call float @__nv_expf(float %x)"), "exponential");
  EXPECT_EQ(OperationOf("%y = call float @__nv_fast_expf(float %x)",
                        "declare float @__nv_fast_expf(float)"),
            "within-error");
  EXPECT_EQ(OperationOf("%y = call nsz float @f(float %x)", Add("")), "approximate");
  EXPECT_EQ(OperationOf("%y = call reassoc float @f(float %x)", Add("")), "add");
}

// LLVM may fuse a product and a sum, however the product reaches the sum.
TEST(Licences, AProductIsFusedAlongItsUses) {
  const std::string product = "%product = fmul contract float %x, 3.0\n  ";
  EXPECT_EQ(
      OperationOf(product +
                  "%negative = fneg float %product\n  %y = fadd contract float %x, %negative"),
      "approximate");
  EXPECT_EQ(OperationOf(product + "%y = fsub contract float %x, %product"), "approximate");
  EXPECT_EQ(OperationOf(product +
                        "%less = fcmp olt float %x, 2.0\n  %way = select i1 %less, float %product, "
                        "float %x\n  %y = fadd contract float %way, %x"),
            "approximate");
  EXPECT_EQ(
      OperationOf(product + "%own = alloca float\n  store float %product, ptr %own\n  %way = load "
                            "float, ptr %own\n  %y = fadd contract float %way, %x"),
      "approximate");
  EXPECT_EQ(
      OperationOf(
          "%pair = insertelement <2 x float> zeroinitializer, float %x, i32 0\n  %product = "
          "fmul contract <2 x float> %pair, %pair\n  %way = extractelement <2 x float> %product, "
          "i32 0\n  %y = fadd contract float %way, %x"),
      "approximate");
  EXPECT_EQ(
      OperationOf("%product = call float @f(float %x)\n  %y = fadd contract float %product, %x",
                  "define internal float @f(float %x) {\n  %product = fmul contract float %x, "
                  "3.0\n  ret float %product\n}"),
      "approximate");
  EXPECT_EQ(OperationOf(
                product + "%y = call float @f(float %product)",
                "define internal float @f(float %product) {\n  %y = fadd contract float %product, "
                "1.0\n  ret float %y\n}"),
            "approximate");
  EXPECT_EQ(
      OperationOf(product + "%way = fdiv float %product, %x\n  %y = fadd contract float %way, %x"),
      "add");
}

// A fast function stays approximate in any type: its 16-bit results are those of HLO's exponential
// only if all results are (compare/correspondences.h).
TEST(Licences, FastFunctionsAreValuesOfTheirOwn) {
  const std::string declared =
      "declare float @__nv_fast_expf(float)\ndeclare float @__nv_fast_logf(float)\n";
  auto stored = [&](const std::string& value) {
    auto lifted =
        LiftBody(Elementwise(value + "\n  %h = fptrunc float %z to half\n  %y = fpext half "
                                     "%h to float"),
                 2, 128, "f32", 256, declared);
    std::string text = lifted->error;
    if (text.empty()) text = terms::ToString(lifted->effect(0).value);
    return text;
  };
  EXPECT_NE(stored("%z = call float @__nv_fast_expf(float %x)").find("within-error"),
            std::string::npos);
  EXPECT_NE(stored("%z = call float @__nv_fast_logf(float %x)").find("within-error"),
            std::string::npos);
  EXPECT_NE(stored("%z = call afn float @__nv_expf(float %x)").find("approximate"),
            std::string::npos);
}

std::vector<std::string> RequirementsOf(const std::string& attributes, const std::string& launch,
                                        const std::string& outside = "") {
  auto ir = ReadKernelIr(
      "define ptx_kernel void @k(ptr %p) " + attributes + " {\n  ret void\n}\n" + outside, "k.ll");
  auto read = ParseLaunch("{" + launch +
                              ", \"params\": [{\"shape\": \"f32[4]\", \"bytes\": 16, \"role\": "
                              "\"output\", \"memory\": 0}]}",
                          "l.json");
  if (!ir || !read) {
    ADD_FAILURE() << llvm::toString(ir.takeError()) << llvm::toString(read.takeError());
    return {};
  }
  return BrokenRequirements(*ir, *read);
}

TEST(Requirements, AreHeldAgainstTheLaunch) {
  const std::string launch = "\"grid\": [6, 1, 1], \"threads\": [64, 2, 1]";
  EXPECT_TRUE(RequirementsOf("\"nvvm.reqntid\"=\"64,2,1\"", launch).empty());
  EXPECT_FALSE(RequirementsOf("\"nvvm.reqntid\"=\"128,1,1\"", launch).empty());
  EXPECT_FALSE(RequirementsOf("\"nvvm.reqntid\"=\"64,2,1,1\"", launch).empty());
  EXPECT_FALSE(RequirementsOf("\"nvvm.reqntid\"=\"many\"", launch).empty());
  EXPECT_TRUE(RequirementsOf("\"nvvm.maxntid\"=\"128\"", launch).empty());
  EXPECT_TRUE(RequirementsOf("\"nvvm.maxntid\"=\"16,8\"", launch).empty());
  EXPECT_FALSE(RequirementsOf("\"nvvm.maxntid\"=\"16,7\"", launch).empty());
  EXPECT_TRUE(RequirementsOf("\"nvvm.cluster_dim\"=\"3,1,1\"", launch).empty());
  EXPECT_FALSE(RequirementsOf("\"nvvm.cluster_dim\"=\"4,1,1\"", launch).empty());
  EXPECT_TRUE(RequirementsOf("\"nvvm.maxnreg\"=\"32\"", launch).empty());
  EXPECT_TRUE(RequirementsOf("\"amdgpu-flat-work-group-size\"=\"1,128\"", launch).empty());
  EXPECT_FALSE(RequirementsOf("\"amdgpu-flat-work-group-size\"=\"1,64\"", launch).empty());
  EXPECT_FALSE(
      RequirementsOf("!reqd_work_group_size !0", launch, "!0 = !{i32 64, i32 1, i32 1}\n").empty());
  EXPECT_TRUE(
      RequirementsOf("!reqd_work_group_size !0", launch, "!0 = !{i32 64, i32 2, i32 1}\n").empty());
}

TEST(Requirements, OfOldAnnotationsAreHeldAgainstTheLaunch) {
  const std::string launch = "\"grid\": [6, 1, 1], \"threads\": [128, 1, 1]";
  for (const auto& [key, size, holds] :
       {std::tuple("reqntidx", 128, true), std::tuple("reqntidx", 64, false),
        std::tuple("maxntidx", 256, true), std::tuple("maxntidx", 64, false),
        std::tuple("cluster_dim_x", 2, true), std::tuple("cluster_dim_x", 4, false)}) {
    const std::string text = "!nvvm.annotations = !{!0}\n!0 = !{ptr @k, !\"" + std::string(key) +
                             "\", i32 " + std::to_string(size) + "}\n";
    EXPECT_EQ(RequirementsOf("", launch, text).empty(), holds) << key << " " << size;
  }
}

}  // namespace
}  // namespace affirm::kernel
