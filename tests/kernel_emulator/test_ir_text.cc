// Reading: LLVM IR of newer versions, launch files, inline PTX.
#include <gtest/gtest.h>

#include "verify/kernel/kernel_ir.h"
#include "verify/kernel/launch.h"
#include "verify/kernel/newer_ir_text.h"
#include "verify/kernel/ptx_text.h"

namespace affirm::kernel {
namespace {

std::string ErrorOf(llvm::StringRef text, llvm::StringRef name = "") {
  auto ir = ReadKernelIr(text, "k.ll", name);
  return ir ? "" : llvm::toString(ir.takeError());
}

TEST(NewerIr, FloatLiteralsBecomeReadable) {
  EXPECT_EQ(RewriteNewerText("fadd float %a, f0x3F800000"), "fadd float %a, 0x3FF0000000000000");
  EXPECT_EQ(RewriteNewerText("fadd half %a, f0x3C00"), "fadd half %a, 0xH3C00");
  EXPECT_EQ(RewriteNewerText("store bfloat f0x3F80"), "store bfloat 0xR3F80");
  EXPECT_EQ(RewriteNewerText("double f0x4000000000000000"), "double 0x4000000000000000");
  EXPECT_EQ(RewriteNewerText("float -inf, float +inf"),
            "float 0xFFF0000000000000, float 0x7FF0000000000000");
  EXPECT_EQ(RewriteNewerText("float +qnan"), "float 0x7FF8000000000000");
  // A NaN that signals does so as the double that stands for it.
  EXPECT_EQ(RewriteNewerText("float f0x7F800001"), "float 0x7FF0000020000000");
  EXPECT_EQ(RewriteNewerText("float f0xFFA00000"), "float 0xFFF4000000000000");
  EXPECT_EQ(RewriteNewerText("float f0x7FC00001"), "float 0x7FF8000020000000");
  EXPECT_EQ(RewriteNewerText("float snan(0x1)"), "float 0x7FF0000020000000");
  EXPECT_EQ(RewriteNewerText("float -snan(0x2)"), "float 0xFFF0000040000000");
  EXPECT_EQ(RewriteNewerText("double f0x7FF0000000000001"), "double 0x7FF0000000000001");
  EXPECT_EQ(RewriteNewerText("float 0.1"), "float 0x3FB99999A0000000");
}

TEST(NewerIr, DenormalModesAreTwoAttributes) {
  EXPECT_EQ(RewriteNewerText("{ denormal_fpenv(preservesign) uwtable }"),
            "{ \"denormal-fp-math\"=\"preserve-sign\" uwtable }");
  EXPECT_EQ(RewriteNewerText("{ denormal_fpenv(ieee|dynamic, float: positivezero) }"),
            "{ \"denormal-fp-math\"=\"ieee,dynamic\" \"denormal-fp-math-f32\"=\"positive-zero\" }");
  // Unknown values are refused where the module is verified.
  EXPECT_NE(ErrorOf("define ptx_kernel void @a() denormal_fpenv(other) {\n  ret void\n}"), "");
}

TEST(NewerIr, OtherTextStays) {
  for (const char* text :
       {"@denormal_fpenv(i32 1)", "denormal_fpenv", "denormal_fpenv(", "denormal_fpenv2(a)",
        "float 1.500000e+00", "%inf = fadd float %x, -1.000000e+09", "; float +inf",
        "c\"float +inf\"", "br label %inf", "float 0x3FC6A09E60000000", "i32 -1",
        "@f0x1 = global i32 0", "double 0.5, i64 3", "float nofpclass(nan inf) %a"}) {
    EXPECT_EQ(RewriteNewerText(text), text);
  }
}

// The scopes of each access, and those that it is apart from: the first operand of each scope.
std::string ScopesOf(llvm::StringRef metadata) {
  const std::string text =
      "define ptx_kernel void @k(ptr %p, ptr %q, ptr %r) {\n"
      "  store i32 1, ptr %p, align 4, !alias.scope !10, !noalias !13\n"
      "  store i32 2, ptr %q, align 4, !alias.scope !11\n"
      "  store i32 3, ptr %r, align 4, !alias.scope !12\n  ret void\n}\n"
      "!10 = !{!1}\n!11 = !{!2}\n!12 = !{!2, !3}\n!13 = !{!4}\n"
      "!1 = !{!\"a\", !0}\n!2 = !{!\"b\", !0, !\"about\"}\n!3 = !{!\"c\", !0}\n"
      "!4 = !{!\"d\", !5}\n!5 = distinct !{!5, !\"other\"}\n" +
      metadata.str() + "\n";
  auto ir = ReadKernelIr(text, "k.ll");
  if (!ir) return llvm::toString(ir.takeError());
  std::string found;
  for (const llvm::Instruction& i : ir->kernel->getEntryBlock()) {
    for (unsigned kind : {llvm::LLVMContext::MD_alias_scope, llvm::LLVMContext::MD_noalias}) {
      const llvm::MDNode* list = i.getMetadata(kind);
      if (list == nullptr) continue;
      found += kind == llvm::LLVMContext::MD_noalias ? "-" : "";
      for (const llvm::MDOperand& op : list->operands()) {
        const auto* scope = llvm::cast<llvm::MDNode>(op.get());
        found += llvm::cast<llvm::MDString>(scope->getOperand(0))->getString();
      }
    }
    found += i.isTerminator() ? "" : ";";
  }
  return found;
}

TEST(NewerIr, DomainsOfAliasScopesHaveAFlag) {
  for (const char* domain :
       {"!0 = !{!\"x\"}", "!0 = distinct !{!0, !\"x\"}", "!0 = distinct !{!0, i1 false}",
        "!0 = distinct !{!0, i1 false, !\"x\"}", "!0 = !{!\"x\", i1 false}",
        "!0 = !{!\"x\", i1 false, !\"y\"}"})
    EXPECT_EQ(ScopesOf(domain), "a-d;b;bc;") << domain;
  // Accesses in scopes of a disjoint domain are apart from all others of it.
  for (const char* domain : {"!0 = distinct !{!0, i1 true}", "!0 = distinct !{!0, i1 true, !\"x\"}",
                             "!0 = !{!\"x\", i1 true}"})
    EXPECT_EQ(ScopesOf(domain), "a-dbc;b-ac;bc-a;") << domain;
  // Two domains of one name stay two.
  EXPECT_EQ(ScopesOf("!0 = !{!\"x\", i1 true}\n!6 = !{!\"x\", i1 false}"), "a-dbc;b-ac;bc-a;");
}

TEST(NewerIr, OtherDomainsAreMalformed) {
  for (const char* domain : {"!0 = !{!\"x\", i8 0}", "!0 = !{!\"x\", !6}\n!6 = !{}",
                             "!0 = !{i1 false, i1 false}", "!0 = !{!\"x\", i1 false, i1 false}",
                             "!0 = !{!\"x\", i1 false, !\"y\", !\"z\"}", "!0 = !{}"})
    EXPECT_NE(ScopesOf(domain).find("the LLVM IR is malformed"), std::string::npos) << domain;
  EXPECT_NE(ErrorOf("define ptx_kernel void @a() {\n"
                    "  call void @llvm.experimental.noalias.scope.decl(metadata !\"x\")\n"
                    "  ret void\n}\n"
                    "declare void @llvm.experimental.noalias.scope.decl(metadata)\n"),
            "");
}

TEST(KernelIr, FindsTheKernelAndItsLines) {
  auto ir = ReadKernelIr("define ptx_kernel void @a() {\n  ret void\n}\n", "k.ll");
  ASSERT_TRUE(!!ir) << llvm::toString(ir.takeError());
  EXPECT_EQ(ir->kernel->getName(), "a");
  EXPECT_EQ(ir->LineOf(&ir->kernel->getEntryBlock().front()), 2);
}

TEST(KernelIr, ErrorsNameThePlace) {
  EXPECT_EQ(ErrorOf("define void @a() {\n  bogus\n}").substr(0, 9), "k.ll:2:3:");
  EXPECT_NE(ErrorOf("define void @a() {\n  ret void\n}").find("no kernel"), std::string::npos);
  EXPECT_NE(ErrorOf("define ptx_kernel void @a() {\n  ret void\n}\ndefine ptx_kernel void @b() {\n "
                    " ret void\n}")
                .find("several"),
            std::string::npos);
  EXPECT_NE(ErrorOf("define ptx_kernel void @a() {\n  ret void\n}", "c").find("'c'"),
            std::string::npos);
}

// A kernel of XLA:CPU that does nothing with its array.
std::string FrameKernel(const std::string& head, const std::string& body,
                        const std::string& rest = "") {
  return "%XLA_CPU_KernelCallFrame = type { ptr, ptr, i64, ptr }\ndefine " + head + " {\n" + body +
         "  ret ptr null\n}\n" + rest;
}

TEST(CallFrame, PromisesThatAreNotKeptAreErrors) {
  const std::string arguments =
      "  %g = getelementptr inbounds nuw i8, ptr %0, i64 24\n  %args = load ptr, ptr %g\n"
      "  %a = load ptr, ptr %args\n";
  EXPECT_EQ(ErrorOf(FrameKernel("ptr @k(ptr %0)", arguments)), "");
  EXPECT_EQ(ErrorOf(FrameKernel("ptr @k(ptr dereferenceable(32) %0) memory(readwrite)", arguments)),
            "");
  auto says = [](const std::string& text, const char* what) {
    return ErrorOf(text).find(what) != std::string::npos;
  };
  // Other address spaces are segments of x86.
  EXPECT_TRUE(says(FrameKernel("ptr @k(ptr addrspace(256) %0)", "  %x = icmp eq i32 0, 0\n"),
                   "there is no kernel"));
  for (const char* effects : {"argmem: none", "argmem: write"}) {
    EXPECT_TRUE(says(
        FrameKernel("ptr @k(ptr %0) memory(readwrite, " + std::string(effects) + ")", arguments),
        "may not access all memory"));
  }
  EXPECT_TRUE(says(FrameKernel("dereferenceable(8) ptr @k(ptr %0)", arguments), "the result"));
  EXPECT_TRUE(says(FrameKernel("nonnull ptr @k(ptr %0)", arguments), "the result"));
  EXPECT_TRUE(says(FrameKernel("ptr @k(ptr %0)",
                               "  %g0 = getelementptr inbounds i8, ptr %0, i64 4096\n"
                               "  %g = getelementptr nuw i8, ptr %g0, i64 -4072\n"
                               "  %args = load ptr, ptr %g\n"),
                   "goes back"));
  EXPECT_TRUE(says(FrameKernel("ptr @k(ptr %0)", arguments, "@t = constant [1 x ptr] [ptr @k]\n"),
                   "its module uses"));
  const std::string workgroup =
      "  %g = getelementptr i8, ptr %0, i64 8\n  %w = load ptr, ptr %g\n"
      "  %id = load i64, ptr %w, align 8, !range !0\n";
  EXPECT_EQ(ErrorOf(FrameKernel("ptr @k(ptr %0)", workgroup, "!0 = !{i64 0, i64 4}\n")), "");
  EXPECT_TRUE(says(FrameKernel("ptr @k(ptr %0)", workgroup, "!0 = !{i64 0, i64 1, i64 3, i64 4}\n"),
                   "a promise about the call frame"));
}

std::string LaunchError(llvm::StringRef text) {
  auto launch = ParseLaunch(text, "l.json");
  return launch ? "" : llvm::toString(launch.takeError());
}

TEST(Launch, IsRead) {
  auto launch = ParseLaunch(
      R"({"kernel": "k", "grid": [2, 3], "threads": [4, 1, 1], "shared": 16, "params": [
          {"shape": "f32[4,8]{0,1}", "bytes": 128, "role": "input", "memory": 0},
          {"shape": "f32[4,8]", "bytes": 128, "role": "output", "memory": 0, "starts_as": 0}]})",
      "l.json");
  ASSERT_TRUE(!!launch) << llvm::toString(launch.takeError());
  EXPECT_EQ(launch->NumBlocks(), 6);
  EXPECT_EQ(launch->params[0].shape.MinorToMajor(), (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(launch->params[1].starts_as, 0);
  EXPECT_EQ(launch->NumMemories(), 1);
}

TEST(Launch, IsReadAsItIsWritten) {
  const std::string text =
      R"({"kernel":"k","grid":[2,3,1],"threads":[4,1,1],"shared":16,"params":[)"
      R"({"name":"p","shape":"f32[4,8]{0,1}","bytes":128,"role":"input","memory":0},)"
      R"({"shape":"f32[4,8]","bytes":128,"role":"output","memory":1,"argument":1,"starts_as":0,)"
      R"("alignment":16}]})";
  auto launch = ParseLaunch(text, "l.json");
  ASSERT_TRUE(!!launch) << llvm::toString(launch.takeError());
  std::string written;
  llvm::raw_string_ostream stream(written);
  llvm::json::OStream json(stream);
  WriteJson(json, *launch);
  EXPECT_EQ(written, text);
}

TEST(Launch, ErrorsNameThePlace) {
  EXPECT_EQ(LaunchError("{\n  \"kernel\" }").substr(0, 9), "l.json:2:")
      << LaunchError("{\n  \"kernel\" }");
  for (const char* text :
       {"", "[]", "{}", R"({"params": [{}]})", R"({"params": [{"shape": "f32["}]})",
        R"({"grid": [0], "params": []})", R"({"threads": [2048], "params": []})",
        R"({"grid": [0, 0, 0], "params": []})", R"({"threads": [0, 0, 0], "params": []})",
        R"({"shared": -1, "params": []})", R"({"params": [{"shape": "f32[4]", "role": "in"}]})",
        R"({"params": [{"shape": "f32[4]", "role": "input", "bytes": 15}]})",
        R"({"params": [{"shape": "f32[4]", "role": "input", "memory": -1}]})",
        R"({"params": [{"shape": "f32[4]", "role": "input", "starts_as": 4}]})"}) {
    EXPECT_NE(LaunchError(text).find(": error: "), std::string::npos) << text << LaunchError(text);
  }
}

// A member of another type, or with a letter wrong, would be dropped, and the launch be another
// one.
TEST(Launch, MembersHaveTheirTypesAndNames) {
  auto error_of = [](const std::string& member, const std::string& of_launch = "") {
    return LaunchError("{" + of_launch + "\"params\": [{\"shape\": \"f32[4]\", \"role\": " +
                       "\"input\"},\n{\"shape\": \"f32[4]\", \"role\": \"output\"" +
                       (member.empty() ? "" : ",\n" + member) + "}]}");
  };
  EXPECT_EQ(error_of(""), "");
  for (const char* key : {"bytes", "memory", "argument", "starts_as", "alignment"}) {
    const std::string name = "\"" + std::string(key) + "\": ";
    const std::string right = key == std::string("argument")    ? "1"
                              : key == std::string("starts_as") ? "0"
                                                                : "16";
    EXPECT_EQ(error_of(name + right), "") << key;
    for (const char* value :
         {"\"0\"", "\"16\"", "0.5", "null", "true", "[0]", "{}", "1e30", "-1"}) {
      EXPECT_EQ(error_of(name + value), "l.json:3:" + std::to_string(name.size() + 1) +
                                            ": error: parameter 1 needs a number of at least 0 "
                                            "as its \"" +
                                            key + "\"")
          << key << value;
    }
  }
  EXPECT_EQ(error_of(R"("name": "r")"), "");
  EXPECT_EQ(error_of(R"("name": 1)"),
            "l.json:3:9: error: parameter 1 needs a text as its \"name\"");
  EXPECT_EQ(error_of("", R"("kernel": "k", )"), "");
  EXPECT_EQ(error_of("", R"("kernel": 7, )"),
            "l.json:1:12: error: the launch needs a text as its \"kernel\"");
  for (const char* unknown : {"memroy", "Memory", "start_as", "grid", ""}) {
    const std::string error = error_of("\"" + std::string(unknown) + "\": 0");
    EXPECT_EQ(error.rfind("l.json:3:2: error: parameter 1 has \"" + std::string(unknown) +
                              "\", expected one of name, shape, role, bytes, memory,",
                          0),
              0u)
        << error;
  }
  for (const char* unknown : {"cluster", "block", "memory", "shared_bytes"}) {
    const std::string error = error_of("", "\"" + std::string(unknown) + "\": [2], ");
    EXPECT_EQ(error, "l.json:1:3: error: the launch has \"" + std::string(unknown) +
                         "\", expected one of kernel, grid, threads, shared, params");
  }
  // A scalar has members of its own.
  auto scalar = [](const std::string& member) {
    return LaunchError(R"({"params": [{"shape": "s32[]", "role": "scalar", "value": 1, )" + member +
                       "}]}");
  };
  EXPECT_EQ(scalar(R"("argument": 0)"), "");
  for (const char* member : {R"("argument": "0")", R"("argument": -1)", R"("memory": null)",
                             R"("name": [])", R"("valeu": 2)"})
    EXPECT_EQ(scalar(member).rfind("l.json:1:", 0), 0u) << member;
}

TEST(PtxText, IsReadAsStatements) {
  auto statements =
      ParsePtx("mov.u32 $0, -0x1; @!$3 st.global.L1::evict_last.v2.b32 [ ${1} + 16 ], { $0, 5 };");
  ASSERT_TRUE(!!statements) << llvm::toString(statements.takeError());
  ASSERT_EQ(statements->size(), 2u);
  EXPECT_EQ((*statements)[0].operands[1].immediate, -1);
  const PtxStatement& store = (*statements)[1];
  EXPECT_EQ(store.predicate, 3);
  EXPECT_TRUE(store.negated);
  EXPECT_EQ(store.opcode[2], "L1::evict_last");
  EXPECT_EQ(store.operands[0].argument, 1);
  EXPECT_EQ(store.operands[0].immediate, 16);
  EXPECT_EQ(store.operands[1].elements.size(), 2u);
}

TEST(PtxText, VectorsHaveNoneInside) {
  auto nested = ParsePtx("mov.b32 " + std::string(100000, '{') + "$0, $1;");
  ASSERT_FALSE(!!nested);
  EXPECT_NE(llvm::toString(nested.takeError()).find("vectors have none inside"), std::string::npos);
}

TEST(PtxText, WhatIsNotReadIsAnError) {
  for (const char* text : {"{ .reg .pred p; }", "$L1: bra $L1;", "mov.u32 %r1, 0;",
                           "@$ mov.u32 $0, 1;", "ld.global.b32 $0, [ $1 + ];", "mov.u32 $0"}) {
    auto statements = ParsePtx(text);
    if (statements) {
      EXPECT_EQ(std::string(text), "mov.u32 $0");
      continue;
    }
    EXPECT_NE(llvm::toString(statements.takeError()).find("inline PTX"), std::string::npos);
  }
}

}  // namespace
}  // namespace affirm::kernel
