// Calls, loops, branches and tuples; the messages of errors; arguments by seed.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "tests/reference/run.h"

namespace affirm::hlo {
namespace {

using P = PrimitiveType;

TEST(Control, CallAndFusionAreTheirComputations) {
  const std::string f =
      "f { a = s32[2] parameter(0) b = s32[2] parameter(1) ROOT r = s32[2] subtract(a, b) }\n";
  const std::vector<Literal> arguments = {S32({2}, {5, 7}), S32({2}, {1, 10})};
  const std::string head =
      "ENTRY e { a = s32[2] parameter(0) b = s32[2] parameter(1) ROOT r = s32[2] ";
  const std::vector<int64_t> want = {4, -3};
  EXPECT_EQ(IntValues(RunHlo(f + head + "call(a, b), to_apply=f }", arguments)), want);
  EXPECT_EQ(IntValues(RunHlo(f + head + "fusion(a, b), kind=kLoop, calls=f }", arguments)), want);
}

const std::string kLoop = R"(
  more { s = (s32[], s32[]) parameter(0) i = s32[] get-tuple-element(s), index=0 n = s32[] constant(LIMIT)
    ROOT r = pred[] compare(i, n), direction=LT }
  step { s = (s32[], s32[]) parameter(0) i = s32[] get-tuple-element(s), index=0
    x = s32[] get-tuple-element(s), index=1 one = s32[] constant(STEP) j = s32[] add(i, one)
    y = s32[] add(x, x) ROOT r = (s32[], s32[]) tuple(j, y) }
  ENTRY e { i = s32[] parameter(0) x = s32[] parameter(1) s = (s32[], s32[]) tuple(i, x)
    ROOT w = (s32[], s32[]) while(s), condition=more, body=step })";

std::string Loop(const std::string& limit, const std::string& step) {
  std::string text = kLoop;
  text.replace(text.find("LIMIT"), 5, limit);
  return text.replace(text.find("STEP"), 4, step);
}

// XLA runs a loop as often as it claims. Where the condition says otherwise there is no one value,
// if the claim is to be held.
TEST(Control, TripsThatAreClaimedAreThoseOfTheCondition) {
  auto run = [](const std::string& claim, bool is_held = true) {
    std::string text = Loop("5", "2");
    text.replace(text.find("body=step"), 9, "body=step, backend_config=" + claim);
    const std::unique_ptr<Module> module = Parse(text);
    auto value = Interpret(*module->entry, {S32({}, {0}), S32({}, {1})},
                           {.promises = {.claimed_trips = is_held}});
    return value ? std::to_string(value->tuple()[1].GetInt(0)) : llvm::toString(value.takeError());
  };
  EXPECT_EQ(run(R"({"known_trip_count":{"n":"3"}})"), "8");
  EXPECT_EQ(run(R"({"known_init_step":{"init":"0","step":"2"}})"), "8");
  for (const char* wrong : {"2", "4", "0"}) {
    const std::string said = run(R"({"known_trip_count":{"n":")" + std::string(wrong) + R"("}})");
    EXPECT_NE(said.find("its condition ends it after 3"), std::string::npos) << said;
    EXPECT_EQ(run(R"({"known_trip_count":{"n":")" + std::string(wrong) + R"("}})", false), "8");
  }
}

// A loop whose state comes back never ends; one in which some of the state stays as it is does.
TEST(Control, LoopsThatNeverEnd) {
  auto run = [](const char* step) {
    const std::string text = std::string(R"(
body { p = (s32[], s32[]) parameter(0)
  k = s32[] get-tuple-element(p), index=0
  i = s32[] get-tuple-element(p), index=1
  j = s32[] )") + step + R"(
  ROOT t = (s32[], s32[]) tuple(k, j) }
condition { p = (s32[], s32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=1
  n = s32[] constant(10000)
  ROOT c = pred[] compare(i, n), direction=LT }
ENTRY e { k = s32[] constant(1)
  z = s32[] constant(0)
  t = (s32[], s32[]) tuple(k, z)
  w = (s32[], s32[]) while(t), condition=condition, body=body
  ROOT r = s32[] get-tuple-element(w), index=1 })";
    const std::unique_ptr<Module> module = Parse(text);
    llvm::Expected<Literal> value = Interpret(*module->entry, {}, nullptr);
    if (value) return value->ElementToString(0);
    EXPECT_TRUE(value.errorIsA<OpenResult>());
    return llvm::toString(value.takeError());
  };
  EXPECT_EQ(run("add(i, k)"), "10000");
  EXPECT_NE(run("xor(i, k)").find("never ends: its state comes back"), std::string::npos);
}

TEST(Control, WhileDoubles) {
  const Literal r = RunHlo(Loop("5", "1"), {S32({}, {0}), S32({}, {3})});
  EXPECT_EQ(r.tuple()[0].GetInt(0), 5);
  EXPECT_EQ(r.tuple()[1].GetInt(0), 96);
  const Literal never = RunHlo(Loop("5", "1"), {S32({}, {8}), S32({}, {3})});
  EXPECT_EQ(never.tuple()[1].GetInt(0), 3);
}

TEST(Control, EndlessLoopsEndInAnError) {
  for (const char* step : {"0", "-1"}) {
    const std::string error = RunError(Loop("5", step), {S32({}, {0}), S32({}, {3})});
    EXPECT_NE(error.find(step[0] == '0' ? "never ends" : "trips"), std::string::npos) << error;
  }
}

TEST(Control, ConditionalOnPredAndOnIndex) {
  const std::string branches =
      "neg { x = s32[] parameter(0) ROOT r = s32[] negate(x) }\n"
      "id { ROOT x = s32[] parameter(0) }\n"
      "dbl { x = s32[] parameter(0) ROOT r = s32[] add(x, x) }\n";
  const auto pred = [&](int64_t p) {
    return RunHlo(branches +
                      "ENTRY e { p = pred[] parameter(0) a = s32[] parameter(1) b = s32[] "
                      "parameter(2) ROOT r = s32[] "
                      "conditional(p, a, b), true_computation=neg, false_computation=dbl }",
                  {Ints(P::kPred, {}, {p}), S32({}, {3}), S32({}, {4})})
        .GetInt(0);
  };
  EXPECT_EQ(pred(1), -3);
  EXPECT_EQ(pred(0), 8);
  const auto index = [&](int64_t i) {
    return RunHlo(branches +
                      "ENTRY e { i = s32[] parameter(0) a = s32[] parameter(1) ROOT r = s32[] "
                      "conditional(i, a, a, a), branch_computations={neg, id, dbl} }",
                  {S32({}, {i}), S32({}, {3})})
        .GetInt(0);
  };
  EXPECT_EQ(index(0), -3);
  EXPECT_EQ(index(1), 3);
  EXPECT_EQ(index(2), 6);
  EXPECT_EQ(index(-1), 6);  // outside: the last branch
  EXPECT_EQ(index(99), 6);
}

TEST(Control, ValuesOutliveTheirLastUserOnlyWhenNeeded) {
  // `a` is used twice by one instruction and is the root's operand again later.
  const Literal r = RunHlo(
      "ENTRY e { x = s32[] parameter(0) a = s32[] add(x, x) b = s32[] multiply(a, a) c = s32[] "
      "negate(b) "
      "ROOT t = (s32[], s32[], s32[]) tuple(a, c, a) }",
      {S32({}, {3})});
  EXPECT_EQ(r.tuple()[0].GetInt(0), 6);
  EXPECT_EQ(r.tuple()[1].GetInt(0), -36);
  EXPECT_EQ(r.tuple()[2].GetInt(0), 6);
  // The root need not be the last instruction.
  EXPECT_EQ(
      RunHlo("ENTRY e { x = s32[] parameter(0) ROOT a = s32[] add(x, x) b = s32[] negate(a) }",
             {S32({}, {3})})
          .GetInt(0),
      6);
}

TEST(Errors, NameTheOpAndThePlace) {
  const std::string error = RunError(
      "ENTRY e { x = f32[2] parameter(0)\n ROOT r = f32[2] custom-call(x), "
      "custom_call_target=\"f\" }",
      {F32({2}, {1, 2})});
  EXPECT_EQ(error.find("3:"), 0) << error;
  EXPECT_NE(error.find("custom-call r is not supported"), std::string::npos) << error;
}

TEST(Errors, ArgumentsMustFit) {
  const std::string text = "ENTRY e { x = f32[2] parameter(0) ROOT r = f32[2] negate(x) }";
  EXPECT_NE(RunError(text, {}).find("arguments"), std::string::npos);
  EXPECT_NE(RunError(text, {F32({3}, {1, 2, 3})}).find("expected f32[2]"), std::string::npos);
}

TEST(Errors, TooLargeIsRefused) {
  EXPECT_NE(RunError("ENTRY e { ROOT r = f32[1048576,1048576] iota(), iota_dimension=0 }", {})
                .find("too large"),
            std::string::npos);
}

// Fills the attributes with random numbers, most of which are invalid.
Attributes RandomAttributes(std::mt19937_64& random) {
  const auto number = [&] {
    constexpr int64_t kNumbers[] = {0,
                                    0,
                                    0,
                                    1,
                                    1,
                                    1,
                                    2,
                                    3,
                                    -1,
                                    7,
                                    std::numeric_limits<int64_t>::min(),
                                    std::numeric_limits<int64_t>::max()};
    return kNumbers[random() % std::size(kNumbers)];
  };
  const auto list = [&](auto& numbers) {
    numbers.resize(random() % 4);
    for (auto& n : numbers) n = number();
  };
  Attributes a;
  for (auto* numbers :
       {&a.dimensions, &a.dynamic_slice_sizes, &a.lhs_contracting, &a.rhs_contracting, &a.lhs_batch,
        &a.rhs_batch, &a.offset_dims, &a.collapsed_slice_dims, &a.start_index_map, &a.slice_sizes,
        &a.operand_batching_dims, &a.start_indices_batching_dims, &a.update_window_dims,
        &a.inserted_window_dims, &a.scatter_dims_to_operand_dims, &a.input_batching_dims,
        &a.scatter_indices_batching_dims}) {
    list(*numbers);
  }
  for (int64_t* n : {&a.feature_group_count, &a.batch_group_count, &a.index_vector_dim,
                     &a.exponent_bits, &a.mantissa_bits, &a.tuple_index, &a.num_carries}) {
    *n = number();
  }
  for (uint64_t k = random() % 4; k > 0; --k) {
    a.slice.push_back({number(), number(), number()});
    a.padding.push_back({number(), number(), number()});
    a.window.push_back({number(), number(), number(), number(), number(), number(), true});
  }
  ConvDimensionNumbers n{number(), number(), number(), number(), number(), number(), {}, {}, {}};
  list(n.input_spatial);
  list(n.kernel_spatial);
  list(n.output_spatial);
  if (random() % 4 != 0) a.dim_labels = n;
  a.comparison_direction = random() % 2 == 0 ? "LT" : "";
  return a;
}

// On graphs that the verifier has not checked, every op gives a value or an error.
RC_GTEST_PROP(Errors, HandMadeGraphsDoNotCrash, (uint64_t seed)) {
  std::mt19937_64 random(seed);
  const auto module = Parse(
      "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }\n"
      "two { a = f32[] parameter(0) b = s32[] parameter(1) ROOT r = (f32[], s32[]) tuple(a, b) }\n"
      "less { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = pred[] compare(a, b), "
      "direction=LT }\n"
      "ENTRY e { a = f32[2,3] parameter(0) b = s32[2,3] parameter(1) c = f32[2] parameter(2) "
      "d = s32[2] parameter(3) e = f32[] parameter(4) f = s32[] parameter(5) g = f32[3,0] "
      "parameter(6) "
      "h = (f32[2], s32[]) parameter(7) ROOT r = pred[] parameter(8) }");
  const std::vector<Literal> arguments = MakeArguments(*module->entry, seed);
  const auto any = [&] { return random() % arguments.size(); };
  for (int code = 0; code < static_cast<int>(Opcode::kUnknown); ++code) {
    const auto opcode = static_cast<Opcode>(code);
    Instruction instruction;
    instruction.opcode = opcode;
    const Shape& shape = arguments[any()].shape();
    instruction.shape = random() % 4 == 0 ? Shape::Tuple({shape, arguments[any()].shape()}) : shape;
    instruction.attributes = RandomAttributes(random);
    for (uint64_t k = random() % 3; k > 0; --k) {
      instruction.called.push_back(module->computations[random() % 3].get());
    }
    const int64_t count = Arity(opcode) >= 0 ? Arity(opcode) : random() % 6;
    std::vector<const Literal*> values;
    for (int64_t k = 0; k < count; ++k) {
      const size_t chosen = k > 0 && random() % 2 == 0 ? 0 : any();
      instruction.operands.push_back(module->entry->parameters[chosen]);
      values.push_back(&arguments[chosen]);
    }
    auto result = InterpretInstruction(instruction, values);
    if (!result) llvm::consumeError(result.takeError());
  }
}

TEST(MakeArguments, DependsOnTheSeedAlone) {
  const auto module = Parse(
      "ENTRY e { a = f32[50] parameter(0) b = s8[50] parameter(1) c = pred[50] parameter(2) "
      "d = (bf16[50], c64[50]) parameter(3) f = u4[50] parameter(4) g = f8e8m0fnu[50] parameter(5) "
      "z = f32[0] parameter(6) ROOT t = (f32[50], f32[0]) tuple(a, z) }");
  ASSERT_NE(module, nullptr);
  const std::vector<Literal> x = MakeArguments(*module->entry, 1),
                             again = MakeArguments(*module->entry, 1);
  EXPECT_EQ(x, again);
  EXPECT_NE(x, MakeArguments(*module->entry, 2));
  EXPECT_TRUE(static_cast<bool>(Interpret(*module->entry, x)));
  bool zero = false, one = false, negative = false, fraction = false;
  for (double v : FloatValues(x[0])) {
    EXPECT_LE(std::fabs(v), 2);
    zero |= v == 0;
    one |= v == 1;
    negative |= v < 0;
    fraction |= v != std::trunc(v);
  }
  EXPECT_TRUE(zero && one && negative && fraction);
  bool below = false, above = false;
  for (int64_t v : IntValues(x[1])) {
    EXPECT_LE(std::abs(v), 9);
    below |= v < 0;
    above |= v > 0;
  }
  EXPECT_TRUE(below && above);
  for (double v : FloatValues(x[5])) EXPECT_GT(v, 0);
}

}  // namespace
}  // namespace affirm::hlo
