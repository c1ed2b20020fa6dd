// HLO text is read, and prints so that it reads back to the same module.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/hlo/text.h"
#include "core/hlo/verifier.h"
#include "tests/hlo/hlo_generators.h"

namespace affirm::hlo {
namespace {

std::unique_ptr<Module> Read(llvm::StringRef text) {
  llvm::Expected<std::unique_ptr<Module>> module = ParseModule(text, "t");
  if (module) return std::move(*module);
  ADD_FAILURE() << llvm::toString(module.takeError()) << "\n" << text.str();
  return nullptr;
}

// Printing and reading back must preserve what was read.
std::unique_ptr<Module> ReadTwice(llvm::StringRef text) {
  std::unique_ptr<Module> module = Read(text);
  if (module == nullptr) return nullptr;
  const std::string printed = ToString(*module);
  std::unique_ptr<Module> again = Read(printed);
  if (again == nullptr) return nullptr;
  EXPECT_TRUE(SameModule(*module, *again)) << printed;
  EXPECT_EQ(ToString(*again), printed);
  return module;
}

RC_GTEST_PROP(Text, ShapesReadBack, ()) {
  const Shape shape = testing::AnyShape();
  auto module = ParseModule("e { p = " + shape.ToString() + " parameter(0) }", "t");
  if (!module) RC_FAIL(llvm::toString(module.takeError()));
  RC_ASSERT((*module)->entry->root->shape == shape);
}

RC_GTEST_PROP(Text, ModulesReadBack, ()) {
  const std::unique_ptr<Module> module = testing::AnyModule();
  const std::string printed = ToString(*module);
  RC_LOG() << printed;
  auto again = ParseModule(printed, "t");
  if (!again) RC_FAIL(llvm::toString(again.takeError()));
  RC_ASSERT(SameModule(*module, **again));
  RC_ASSERT(ToString(**again) == printed);
}

RC_GTEST_PROP(Text, OmittedShapesAreInferred, ()) {
  const std::unique_ptr<Module> module = testing::AnyModule();
  std::string text = ToString(*module->computations[0]) + "ENTRY main.1 {\n";
  for (const auto& instruction : module->entry->instructions) {
    std::string line = ToString(*instruction);
    const std::string shape = instruction->shape.ToString() + " ";
    if (instruction->opcode != Opcode::kParameter) line.erase(line.find(" = ") + 3, shape.size());
    text += line + "\n";
  }
  RC_LOG() << text;
  auto read = ParseModule(text + "}", "t");
  if (!read) RC_FAIL(llvm::toString(read.takeError()));
  (*read)->name = module->name;
  RC_ASSERT(SameModule(*module, **read));
}

// Two modules that differ must not compare equal: the check behind every test above can fail.
RC_GTEST_PROP(Text, ComparisonSeesEveryChange, ()) {
  const std::unique_ptr<Module> module = testing::AnyModule();
  auto copy = ParseModule(ToString(*module), "t");
  if (!copy) RC_FAIL(llvm::toString(copy.takeError()));
  Computation& entry = *(*copy)->entry;
  const auto last = entry.instructions.size();
  Instruction& victim = *entry.instructions[*rc::gen::inRange<size_t>(0, last)];
  switch (*rc::gen::inRange(0, 6)) {
    case 0:
      victim.name += "x";
      break;
    case 1:
      victim.attributes.extra.emplace_back("k", "v");
      break;
    case 2:
      victim.shape.type = PrimitiveType::kF64;
      break;
    case 3:
      entry.root = entry.root == &victim ? nullptr : &victim;
      break;
    case 4:
      victim.operands.push_back(entry.instructions[0].get());
      break;
    default:
      victim.called.push_back((*copy)->computations[0].get());
      break;
  }
  RC_ASSERT(!SameModule(*module, **copy));
}

TEST(Text, WithoutHeaderOrEntryTheLastComputationIsTheEntry) {
  const auto module = ReadTwice(R"(
    f { ROOT p = f32[] parameter(0) }
    g { a = f32[] parameter(0)  b = f32[] negate(a) })");
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(module->entry->name, "g");
  EXPECT_EQ(module->entry->root->name, "b");
  EXPECT_EQ(module->name, "g");
}

TEST(Text, LinesOfAComputationAreAModule) {
  const auto module = ReadTwice(
      "%sum = f32[4]{0} add(f32[4]{0} %x, f32[4]{0} %x)\n"
      "ROOT %t = f32[4]{0} multiply(%sum, f32[4]{0} %y)");
  ASSERT_EQ(module->entry->parameters.size(), 2u);
  EXPECT_EQ(module->entry->parameters[1]->name, "y");
  EXPECT_EQ(module->entry->root->name, "t");
  // A parameter of the snippet's own keeps its number.
  const auto numbered = ReadTwice("p = s32[] parameter(0)\n r = s32[] add(p, s32[] q)");
  ASSERT_EQ(numbered->entry->parameters.size(), 2u);
  EXPECT_EQ(numbered->entry->parameters[1]->name, "q");
}

TEST(Text, SeveralModules) {
  auto modules = ParseModules(R"(// -----
HloModule a
ENTRY e { ROOT p = f32[] parameter(0) }
   // -----   
// ------ a comment
e { ROOT p = s32[] parameter(0) }
HloModule c
ENTRY e { ROOT p = u8[] parameter(0) }
// -----
)",
                              "t");
  ASSERT_TRUE(static_cast<bool>(modules)) << llvm::toString(modules.takeError());
  ASSERT_EQ(modules->size(), 3u);
  EXPECT_EQ((*modules)[0]->name, "a");
  EXPECT_EQ((*modules)[1]->entry->location.line, 6);
  EXPECT_EQ((*modules)[2]->name, "c");
}

TEST(Text, CommentsPercentAndBlanksDoNotMatter) {
  const auto a = Read(
      "HloModule m\nENTRY %e {\n %p = f32[2,3]{1,0} parameter(0)\n"
      " ROOT %n = f32[2,3]{1,0} negate(f32[2,3]{1,0} %p)\n}");
  const auto b = Read(
      "HloModule m // x\nENTRY e/*index=5*/{ p = f32[2, 3] {1, 0}\n parameter ( 0 )"
      " ROOT n=f32[2,3]{1,0}negate(/*index=0*/p) } // end");
  ASSERT_TRUE(a && b);
  EXPECT_TRUE(SameModule(*a, *b));
}

TEST(Text, AttributesGoToTheirFieldsAndTheRestStays) {
  const auto module = ReadTwice(R"(
HloModule m, is_scheduled=true, entry_computation_layout={(f32[8,8]{1,0})->f32[8,8]{1,0}}

FileNames
1 "a.py"
2 "b,{c.py"

StackFrames
1 {file_location_id=1 parent_frame_id=1}

ENTRY %e (p: f32[8,8]) -> f32[2,8] {
  %p = f32[8,8]{1,0:T(8,128)} parameter(0), sharding={devices=[2,1]<=[2]}, metadata={op_name="a}b" source_line=3}
  ROOT %s = f32[2,8] slice(%p), slice={[1:5:2], [0:8]}, backend_config={"a":["{",1],"b":"\"}"}, frontend_attributes={
     k="v",  l="}"}, control-predecessors={%p}
}, execution_thread="main"
)");
  ASSERT_NE(module, nullptr);
  const Instruction& root = *module->entry->root;
  EXPECT_EQ(root.attributes.slice, (std::vector<SliceDimension>{{1, 5, 2}, {0, 8, 1}}));
  EXPECT_EQ(*root.attributes.FindExtra("backend_config"), R"({"a":["{",1],"b":"\"}"})");
  EXPECT_EQ(root.attributes.FindExtra("metadata"), nullptr);
  EXPECT_EQ(*module->entry->parameters[0]->attributes.FindExtra("metadata"),
            R"({op_name="a}b" source_line=3})");
  EXPECT_EQ(module->entry->extra_attributes[0].second, "\"main\"");
  EXPECT_EQ(module->extra_attributes.size(), 2u);
  ASSERT_EQ(module->tables.size(), 2u);
  EXPECT_EQ(module->tables[0],
            std::pair(std::string("FileNames"), std::string("1 \"a.py\"\n2 \"b,{c.py\"")));
  EXPECT_EQ(module->entry->parameters[0]->shape.layout->annotations, "T(8,128)");
}

TEST(Text, TablesAreNoAttributes) {
  const auto module = ReadTwice(
      "HloModule m, replica_count=6\n\nFileNames\n\nENTRY e { ROOT p = f32[] parameter(0) }");
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(module->extra_attributes.size(), 1u);
  EXPECT_EQ(module->tables.size(), 1u);
  EXPECT_EQ(module->entry->name, "e");
}

TEST(Text, ConvolutionWindowAndLabels) {
  const auto module = ReadTwice(R"(
e {
  a = f32[1,12,10,4] parameter(0)
  b = f32[4,3,5,8] parameter(1)
  ROOT c = f32[1,21,15,8] convolution(a, b), window={size=3x5 pad=0_0x0_0 lhs_dilate=2x2}, dim_labels=b01f_i01o->b01f
})");
  ASSERT_NE(module, nullptr);
  const Attributes& a = module->entry->root->attributes;
  EXPECT_EQ(a.window[1].size, 5);
  EXPECT_EQ(a.window[1].base_dilation, 2);
  EXPECT_EQ(a.dim_labels->kernel_input_feature, 0);
  EXPECT_EQ(a.dim_labels->kernel_spatial, (std::vector<int64_t>{1, 2}));
}

TEST(Text, OperandsMayBeWrittenInPlace) {
  const auto good = ReadTwice(R"(
e {
  parameter.0 = f32[] constant(1)
  ROOT r = f32[8,7] add(f32[8,7] reshape(f32[1,8,1,7] parameter(0)), f32[8,7] reshape(f32[1,8,1,7] parameter(1)))
})");
  ASSERT_NE(good, nullptr);
  EXPECT_EQ(good->entry->instructions.size(), 6u);
  EXPECT_EQ(good->entry->parameters.size(), 2u);
}

TEST(Text, NewerTextHasOrdersOfComparisons) {
  const auto module = ReadTwice(R"(
e {
  p = f32[] parameter(0)
  i = s32[] parameter(1)
  a = pred[] compare(p, p), direction=LT, order=TOTAL
  b = pred[] compare(p, p), direction=LT, order=PARTIAL
  c = pred[] compare(i, i), direction=LT, order=TOTAL
  ROOT r = (pred[], pred[], pred[]) tuple(a, b, c)
})");
  ASSERT_NE(module, nullptr);
  const auto& operands = module->entry->root->operands;
  EXPECT_EQ(operands[0]->attributes.comparison_type, "TOTALORDER");
  EXPECT_EQ(operands[1]->attributes.comparison_type, "");
  EXPECT_EQ(operands[2]->attributes.comparison_type, "");
}

// XLA leaves out what takes an element of a tuple since its compact form of that (`name#1`).
TEST(Text, ElementsOfTuplesMayBeNamedByTheirNumbers) {
  const auto short_form = ReadTwice(R"(
e {
  p = (f32[8], (s32[2], f32[8])) parameter(0)
  get-tuple-element.0 = f32[8] negate(p#0)
  a = f32[8] add(p#1#1, f32[8] p#0)
  b = s32[2] negate(%p#1#0), control-predecessors={a}
  ROOT r = (f32[8], s32[2], (s32[2], f32[8])) tuple(a, b, p#1)
})");
  ASSERT_NE(short_form, nullptr);
  // p#0 and p#1 are one instruction each, however often they are named.
  EXPECT_EQ(short_form->entry->instructions.size(), 9u);
  const auto long_form = Read(R"(
e {
  p = (f32[8], (s32[2], f32[8])) parameter(0)
  p0 = f32[8] get-tuple-element(p), index=0
  n = f32[8] negate(p0)
  p1 = (s32[2], f32[8]) get-tuple-element(p), index=1
  p11 = f32[8] get-tuple-element(p1), index=1
  a = f32[8] add(p11, p0)
  p10 = s32[2] get-tuple-element(p1), index=0
  b = s32[2] negate(p10)
  ROOT r = (f32[8], s32[2], (s32[2], f32[8])) tuple(a, b, p1)
})");
  ASSERT_NE(long_form, nullptr);
  const auto place = [](const Module& module, const Instruction* instruction) {
    return llvm::find_if(module.entry->instructions,
                         [&](const auto& other) { return other.get() == instruction; }) -
           module.entry->instructions.begin();
  };
  for (size_t i = 0; i < long_form->entry->instructions.size(); ++i) {
    const Instruction& here = *short_form->entry->instructions[i];
    const Instruction& there = *long_form->entry->instructions[i];
    EXPECT_EQ(here.opcode, there.opcode) << i;
    EXPECT_EQ(here.shape, there.shape) << i;
    EXPECT_EQ(here.attributes.tuple_index, there.attributes.tuple_index) << i;
    ASSERT_EQ(here.operands.size(), there.operands.size()) << i;
    for (size_t k = 0; k < here.operands.size(); ++k) {
      EXPECT_EQ(place(*short_form, here.operands[k]), place(*long_form, there.operands[k])) << i;
    }
  }
}

TEST(Text, ComputationsMayStandInlineOrFurtherDown) {
  const auto module = ReadTwice(R"(
ENTRY e {
  x = f32[4] parameter(0)
  z = f32[] constant(0)
  a = f32[] reduce(x, z), dimensions={0}, to_apply={ p = f32[] parameter(0) q = f32[] parameter(1) ROOT s = f32[] add(p, q) }
  ROOT b = f32[] call(a), to_apply=later
}
later { p = f32[] parameter(0) ROOT n = f32[] negate(p) })");
  ASSERT_NE(module, nullptr);
  ASSERT_EQ(module->computations.size(), 3u);
  EXPECT_EQ(module->computations.back().get(), module->entry);
  EXPECT_EQ(module->entry->name, "e");
}

TEST(Text, ControlFlow) {
  const auto module = ReadTwice(R"(
cond { s = (s32[], f32[2]) parameter(0) i = get-tuple-element(s), index=0 n = s32[] constant(3)
  ROOT lt = compare(i, n), direction=LT }
body { s = (s32[], f32[2]) parameter(0) i = get-tuple-element(s), index=0 x = get-tuple-element(s), index=1
  one = s32[] constant(1) j = add(i, one) ROOT t = tuple(j, x) }
neg { x = f32[2] parameter(0) ROOT n = negate(x) }
same { ROOT x = f32[2] parameter(0) }
ENTRY e {
  s = (s32[], f32[2]) parameter(0)
  w = while(s), condition=cond, body=body
  x = get-tuple-element(w), index=1
  p = pred[] parameter(1)
  c = conditional(p, x, x), false_computation=same, true_computation=neg
  i = s32[] get-tuple-element(w), index=0
  d = conditional(i, x, c, c), branch_computations={neg, same, %neg}
  st = ((f32[2]), f32[2]) custom-call-start(d), custom_call_target="f\"\\g\n", async_execution_thread="host"
  ROOT done = f32[2] custom-call-done(st)
})");
  ASSERT_NE(module, nullptr);
  const Instruction& conditional = *module->entry->Find("c");
  EXPECT_EQ(conditional.called[0]->name, "neg") << "the branch for true comes first";
  EXPECT_EQ(module->entry->Find("w")->called_as, (std::vector<std::string>{"condition", "body"}));
  EXPECT_EQ(module->entry->Find("st")->opcode, Opcode::kAsyncStart);
  const Instruction& wrapped = *module->entry->Find("st")->called[0]->root;
  EXPECT_EQ(wrapped.attributes.custom_call_target, "f\"\\g\n");
}

TEST(Text, ConstantsOfEveryForm) {
  const auto module = ReadTwice(R"(
e {
  a = s4[2,2] constant({{-8, 7}, {0, 1}})
  b = pred[3] constant({1, false, true})
  c = c64[2] constant({(1, -inf), (nan, 2.5e-3)})
  d = f32[2,0] constant({{}, {}})
  f = (f32[], s32[2]) constant((3, {1, 2}))
  g = f8e4m3fn[2] constant({448, -0.001953125})
  h = f32[1000,1000] constant({...})
  i = u64[] constant(18446744073709551615)
  j = s8[3] constant(5)
  k = f32[2]{0} constant({ /*i0=0*/ 1, /*i0=1*/ -nan(0x400001) })
  ROOT t = () tuple()
})");
  ASSERT_NE(module, nullptr);
  const Computation& e = *module->entry;
  EXPECT_EQ(e.Find("a")->literal->GetInt(0), -8);
  EXPECT_EQ(e.Find("b")->literal->ToString(), "{true, false, true}");
  EXPECT_EQ(e.Find("c")->literal->GetComplex(1).imag(), 2.5e-3f);
  EXPECT_FALSE(e.Find("h")->literal.has_value());
  EXPECT_EQ(e.Find("i")->literal->ToString(), "18446744073709551615");
  EXPECT_EQ(e.Find("j")->literal->ToString(), "{5, 5, 5}");
  EXPECT_EQ(e.Find("k")->literal->ToString(), "{1, -nan(0x400001)}");
}

// Legal but rare text must not be printed as something else.
TEST(Text, CornersOfTheSyntax) {
  for (const char* text : {
           "%0 { %1 = f32[] parameter(0) }",
           "HloModule m: e { p = f32[2]{:} parameter(0) }",
           "e { p = f32[2]{:S(5)} parameter(0) q = f32[]{:T(256)} constant(1) }",
           "e { p = f32[] iota() }",
           "e { p = f32[] parameter(0) ROOT q = f32[] pad(p, p), padding= }",
           "e { p = f32[] custom-call(), custom_call_target=\"\", literal=s32[2]{0} {1, 2}, "
           "schedule=b }",
           "e { p = f32[] parameter(0) r = f32[] all-to-all(p), replica_groups={}, sharding={{}} }",
           "e { p = f32[1,1,1] parameter(0) r = f32[1,1,1] convolution(p, p), "
           "dim_labels=b?f_0io->b?f }",
           "e { p = f32[2,0]{0,1} constant({{}, {}}) }",
       }) {
    EXPECT_NE(ReadTwice(text), nullptr) << text;
  }
}

TEST(Text, UnknownOpcodesKeepTheirName) {
  const auto module =
      ReadTwice("e { p = f32[2] parameter(0) ROOT x = f32[3] frobnicate(p, p), k={1} }");
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(module->entry->root->opcode, Opcode::kUnknown);
  EXPECT_EQ(module->entry->root->opcode_text, "frobnicate");
  EXPECT_EQ(module->entry->root->operands.size(), 2u);
  EXPECT_NE(llvm::toString(VerifyExecutable(*module, "t")), "") << "it has no meaning to execute";
}

TEST(Text, DynamicSizesTokensAndBuffers) {
  const auto module = ReadTwice(R"(
e {
  p = f32[<=5,?,2]{2,1,0} parameter(0)
  n = f32[<=5,?,2]{2,1,0} negate(p)
  t = token[] after-all()
  b = b(f32[4]) custom-call(p), custom_call_target="Pin"
  ROOT r = (token[], b(f32[4]), (f32[<=5,?,2])) custom-call(n, t, b), custom_call_target="g"
})");
  ASSERT_NE(module, nullptr);
  const Shape& shape = module->entry->parameters[0]->shape;
  EXPECT_EQ(shape.dims, (std::vector<int64_t>{5, kUnboundedSize, 2}));
  EXPECT_TRUE(shape.IsDynamic(0) && shape.IsDynamic(1) && !shape.IsDynamic(2));
  EXPECT_EQ(shape.NumElements(), 0);
}

}  // namespace
}  // namespace affirm::hlo
