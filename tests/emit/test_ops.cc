// Kernels of small modules on the SIMT emulator, compared with the interpreter: one op, or one way
// of combining ops, a test. Sums and products happen in the interpreter's order, so floats agree to
// the bit.
#include "tests/emit/kernel_testing.h"

namespace affirm::testing {
namespace {

const std::string kSum =
    "sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }\n";
const std::string kMax =
    "max { a = f32[] parameter(0) b = f32[] parameter(1) ROOT m = f32[] maximum(a, b) }\n";

std::string Entry(const std::string& body, const std::string& computations = "") {
  return "HloModule m\n" + computations + "ENTRY e {\n" + body + "\n}\n";
}

TEST(Ops, AddTranspose) {
  EXPECT_TRUE(MatchesInterpreter(Entry(R"(
    p = f32[5,5] parameter(0)
    t = f32[5,5] transpose(p), dimensions={1,0}
    ROOT a = f32[5,5] add(p, t))")));
}

TEST(Ops, Softmax) {
  EXPECT_TRUE(MatchesInterpreter(Entry(R"(
    p = f32[7,33] parameter(0)
    low = f32[] constant(-inf)
    zero = f32[] constant(0)
    m = f32[7] reduce(p, low), dimensions={1}, to_apply=max
    mb = f32[7,33] broadcast(m), dimensions={0}
    d = f32[7,33] subtract(p, mb)
    x = f32[7,33] exponential(d)
    s = f32[7] reduce(x, zero), dimensions={1}, to_apply=sum
    sb = f32[7,33] broadcast(s), dimensions={0}
    ROOT r = f32[7,33] divide(x, sb))",
                                       kSum + kMax)));
}

TEST(Ops, ChainOfIndexTransformations) {
  EXPECT_TRUE(MatchesInterpreter(Entry(R"(
    p = s32[4,6,5] parameter(0)
    t = s32[5,4,6] transpose(p), dimensions={2,0,1}
    r = s32[10,12] reshape(t)
    v = s32[10,12] reverse(r), dimensions={1}
    s = s32[3,5] slice(v), slice={[1:9:3], [2:12:2]}
    b = s32[3,2,5] broadcast(s), dimensions={0,2}
    ROOT f = s32[30] reshape(b))")));
}

TEST(Ops, BitcastFollowsLayouts) {
  EXPECT_TRUE(MatchesInterpreter(Entry(R"(
    p = s32[4,6]{0,1} parameter(0)
    b = s32[6,4]{1,0} bitcast(p)
    c = s32[24] bitcast(b)
    ROOT n = s32[24] negate(c))")));
}

TEST(Ops, IotaOfEveryKindOfType) {
  EXPECT_TRUE(MatchesInterpreter(Entry(R"(
    a = s32[3,4] iota(), iota_dimension=1
    b = f32[3,4] iota(), iota_dimension=0
    c = u8[3,4] iota(), iota_dimension=1
    d = bf16[300] iota(), iota_dimension=0
    ROOT t = (s32[3,4], f32[3,4], u8[3,4], bf16[300]) tuple(a, b, c, d))")));
}

TEST(Ops, ArrayConstants) {
  EXPECT_TRUE(MatchesInterpreter(Entry(R"(
    p = f32[2,3] parameter(0)
    c = f32[2,3] constant({{1, 2.5, nan}, {-inf, 0, 7}})
    m = pred[2,3] constant({{true, false, true}, {false, false, true}})
    n = s4[2,3] constant({{-8, 7, 0}, {1, -1, 3}})
    w = f32[2,3] convert(n)
    s = f32[2,3] add(c, w)
    ROOT r = f32[2,3] select(m, p, s))")));
}

TEST(Ops, ReduceOfSeveralDimensions) {
  EXPECT_TRUE(MatchesInterpreter(Entry(R"(
    p = f32[3,4,5,2] parameter(0)
    z = f32[] constant(0.125)
    ROOT r = f32[4,2] reduce(p, z), dimensions={0,2}, to_apply=sum)",
                                       kSum)));
}

TEST(Ops, ReduceToAScalarAndOverNothing) {
  EXPECT_TRUE(MatchesInterpreter(Entry(R"(
    p = f32[9] parameter(0)
    q = f32[4,0] parameter(1)
    z = f32[] constant(2)
    a = f32[] reduce(p, z), dimensions={0}, to_apply=sum
    b = f32[4] reduce(q, z), dimensions={1}, to_apply=sum
    ROOT t = (f32[], f32[4]) tuple(a, b))",
                                       kSum)));
}

TEST(Ops, VariadicReduce) {
  EXPECT_TRUE(MatchesInterpreter(Entry(R"(
    p = f32[6,8] parameter(0)
    i = s32[6,8] iota(), iota_dimension=1
    low = f32[] constant(-inf)
    zero = s32[] constant(0)
    r = (f32[6], s32[6]) reduce(p, i, low, zero), dimensions={1}, to_apply=argmax
    v = f32[6] get-tuple-element(r), index=0
    k = s32[6] get-tuple-element(r), index=1
    w = f32[6] negate(v)
    ROOT t = (f32[6], s32[6], f32[6]) tuple(v, k, w))",
                                       R"(argmax {
      v0 = f32[] parameter(0)
      i0 = s32[] parameter(1)
      v1 = f32[] parameter(2)
      i1 = s32[] parameter(3)
      c = pred[] compare(v0, v1), direction=GE
      v = f32[] select(c, v0, v1)
      i = s32[] select(c, i0, i1)
      ROOT t = (f32[], s32[]) tuple(v, i)
    }
    )")));
}

TEST(Ops, ReduceWindow) {
  EXPECT_TRUE(MatchesInterpreter(Entry(R"(
    p = f32[8,9] parameter(0)
    low = f32[] constant(-inf)
    one = f32[] constant(1)
    a = f32[4,9] reduce-window(p, low), window={size=3x2 stride=2x1 pad=1_1x0_1}, to_apply=max
    b = f32[4,5] reduce-window(p, one), window={size=2x3 stride=2x2 pad=0_0x1_1 rhs_dilate=1x1}, to_apply=sum
    ROOT t = (f32[4,9], f32[4,5]) tuple(a, b))",
                                       kSum + kMax)));
}

TEST(Ops, Dot) {
  EXPECT_TRUE(MatchesInterpreter(Entry(R"(
    a = f32[3,4,5] parameter(0)
    b = f32[3,5,6] parameter(1)
    ROOT d = f32[3,4,6] dot(a, b), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1})")));
}

TEST(Ops, DotOfIntegersWidens) {
  EXPECT_TRUE(MatchesInterpreter(Entry(R"(
    a = s8[4,7] parameter(0)
    b = s8[7,3] parameter(1)
    ROOT d = s32[4,3] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0})")));
}

TEST(Ops, DotOverNothingIsZero) {
  EXPECT_TRUE(MatchesInterpreter(Entry(R"(
    a = f32[3,0] parameter(0)
    b = f32[0,2] parameter(1)
    ROOT d = f32[3,2] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0})")));
}

TEST(Ops, Convolution) {
  EXPECT_TRUE(MatchesInterpreter(Entry(R"(
    x = f32[1,6,5,2] parameter(0)
    k = f32[3,2,2,4] parameter(1)
    ROOT c = f32[1,6,2,4] convolution(x, k), window={size=3x2 stride=1x3 pad=1_1x0_1}, dim_labels=b01f_01io->b01f)")));
}

TEST(Ops, PadOnAllSides) {
  EXPECT_TRUE(MatchesInterpreter(Entry(R"(
    p = s32[3,4] parameter(0)
    v = s32[] parameter(1)
    a = s32[8,9] pad(p, v), padding=1_2_1x4_1
    b = s32[2,6] pad(p, v), padding=-1_0x1_1
    ROOT t = (s32[8,9], s32[2,6]) tuple(a, b))")));
}

TEST(Ops, ConcatenateSharesAnOperand) {
  EXPECT_TRUE(MatchesInterpreter(Entry(R"(
    p = s32[3,2] parameter(0)
    q = s32[3,4] parameter(1)
    e = s32[3,0] parameter(2)
    n = s32[3,2] negate(p)
    ROOT c = s32[3,10] concatenate(n, q, e, n, p), dimensions={1})")));
}

TEST(Ops, DynamicSliceClampsItsStarts) {
  const auto slice = [](const std::string& type, const std::string& start) {
    return Entry("p = s32[6,7] parameter(0)\ni = " + type + " constant(" + start +
                 ")\nj = " + type +
                 " constant(127)\n"
                 "ROOT d = s32[2,3] dynamic-slice(p, i, j), dynamic_slice_sizes={2,3}");
  };
  for (const char* start : {"-5", "0", "3", "4", "5", "2147483647", "-2147483648"})
    EXPECT_TRUE(MatchesInterpreter(slice("s32[]", start))) << start;
  // Beyond what the signed type of its width has.
  EXPECT_TRUE(MatchesInterpreter(slice("u8[]", "200")));
}

TEST(Ops, DynamicSliceOfAComputedValueAtARuntimeStart) {
  EXPECT_TRUE(MatchesInterpreter(Entry(R"(
    p = s32[6,7] parameter(0)
    s = s32[2] parameter(1)
    n = s32[6,7] negate(p)
    s0 = s32[1] slice(s), slice={[0:1]}
    i = s32[] reshape(s0)
    s1 = s32[1] slice(s), slice={[1:2]}
    j = s32[] reshape(s1)
    d = s32[3,3] dynamic-slice(n, i, j), dynamic_slice_sizes={3,3}
    t = s32[3,3] transpose(d), dimensions={1,0}
    ROOT a = s32[3,3] add(d, t))")));
}

TEST(Ops, DynamicUpdateSlice) {
  std::string body = R"(
    p = s32[6,7] parameter(0)
    u = s32[2,3] parameter(1)
    i = s64[] constant(START)
    j = s64[] constant(2)
    w = s32[2,3] negate(u)
    ROOT d = s32[6,7] dynamic-update-slice(p, w, i, j))";
  for (const char* start : {"-1", "0", "3", "4", "5", "100"}) {
    std::string text = body;
    text.replace(text.find("START"), 5, start);
    EXPECT_TRUE(MatchesInterpreter(Entry(text))) << start;
  }
}

TEST(Ops, Gather) {
  EXPECT_TRUE(MatchesInterpreter(Entry(R"(
    p = s32[9,8] parameter(0)
    i = s32[5,2] parameter(1)
    ROOT g = s32[5,3,2] gather(p, i), offset_dims={1,2}, collapsed_slice_dims={}, start_index_map={0,1}, index_vector_dim=1, slice_sizes={3,2})")));
}

TEST(Ops, FusionsAndCallsAreInlined) {
  EXPECT_TRUE(MatchesInterpreter(Entry(R"(
    p = f32[4,5] parameter(0)
    f = (f32[4,5], f32[5,4]) fusion(p), kind=kLoop, calls=inner
    a = f32[4,5] get-tuple-element(f), index=0
    b = f32[5,4] get-tuple-element(f), index=1
    c = f32[4,5] call(a), to_apply=twice
    t = f32[4,5] transpose(b), dimensions={1,0}
    ROOT r = f32[4,5] add(c, t))",
                                       R"(
    twice { x = f32[4,5] parameter(0) ROOT y = f32[4,5] add(x, x) }
    inner {
      x = f32[4,5] parameter(0)
      e = f32[4,5] exponential(x)
      t = f32[5,4] transpose(e), dimensions={1,0}
      ROOT r = (f32[4,5], f32[5,4]) tuple(e, t)
    }
    )")));
}

TEST(Ops, OutputsOfDifferentShapesAndTupleParameters) {
  EXPECT_TRUE(MatchesInterpreter(Entry(R"(
    p = (f32[3,5], s8[300]) parameter(0)
    a = f32[3,5] get-tuple-element(p), index=0
    b = s8[300] get-tuple-element(p), index=1
    n = s8[300] negate(b)
    z = f32[] constant(0)
    s = f32[3] reduce(a, z), dimensions={1}, to_apply=sum
    u = (s8[300], f32[3]) tuple(n, s)
    ROOT t = ((s8[300], f32[3]), f32[3,5], s8[300]) tuple(u, a, n))",
                                       kSum)));
}

TEST(Ops, EmptyAndScalarResults) {
  EXPECT_TRUE(MatchesInterpreter(Entry(R"(
    p = f32[3,0] parameter(0)
    q = f32[] parameter(1)
    a = f32[3,0] negate(p)
    b = f32[] negate(q)
    ROOT t = (f32[3,0], f32[]) tuple(a, b))")));
}

TEST(Ops, PredsAndSmallIntegersInBuffers) {
  EXPECT_TRUE(MatchesInterpreter(Entry(R"(
    a = s4[9] parameter(0)
    b = u4[9] parameter(1)
    c = pred[9] parameter(2)
    d = s4[9] add(a, a)
    e = u4[9] subtract(b, u4[9] add(b, b))
    f = pred[9] not(c)
    ROOT t = (s4[9], u4[9], pred[9]) tuple(d, e, f))")));
}

TEST(Ops, MapAppliesAComputation) {
  EXPECT_TRUE(MatchesInterpreter(Entry(R"(
    a = f32[9] parameter(0)
    b = f32[9] parameter(1)
    ROOT m = f32[9] map(a, b), dimensions={0}, to_apply=sum)",
                                       kSum)));
}

TEST(Ops, SixteenBitFloatsRoundAfterEveryOp) {
  for (const char* type : {"f16", "bf16"}) {
    std::string text = Entry(R"(
      a = T[40] parameter(0)
      b = T[40] parameter(1)
      c = T[40] multiply(a, b)
      d = T[40] add(c, a)
      e = T[40] exponential(d)
      f = T[40] subtract(e, c)
      g = T[40] power(f, b)
      z = T[] constant(0.3)
      r = T[] reduce(g, z), dimensions={0}, to_apply=plus
      ROOT t = (T[40], T[]) tuple(f, r))",
                             "plus { a = T[] parameter(0) b = T[] parameter(1) ROOT s = T[] "
                             "add(a, b) }\n");
    for (size_t at; (at = text.find("T[")) != std::string::npos;) text.replace(at, 1, type);
    EXPECT_TRUE(MatchesInterpreter(text)) << type;
  }
}

// An op without emission is an error with its name and position.
TEST(Unsupported, NamesTheOp) {
  EmittedModule factor = Emit(Entry(R"(
    p = f32[3,3] parameter(0)
    q = f32[3,3] negate(p)
    ROOT mine = f32[3,3] cholesky(q), lower=true)"));
  EXPECT_FALSE(factor.kernel);
  EXPECT_NE(factor.error.find("mine"), std::string::npos) << factor.error;
  EXPECT_NE(factor.error.find("cholesky"), std::string::npos);
}

TEST(Unsupported, NamesTheType) {
  EmittedModule bits = Emit(Entry(R"(
    p = u1[8] parameter(0)
    ROOT q = u1[8] negate(p))"));
  EXPECT_FALSE(bits.kernel);
  EXPECT_NE(bits.error.find("u1[8]"), std::string::npos) << bits.error;
}

TEST(Unsupported, ElidedConstants) {
  EmittedModule elided = Emit(Entry(R"(
    p = f32[2] parameter(0)
    c = f32[2] constant({...})
    ROOT q = f32[2] add(p, c))"));
  EXPECT_FALSE(elided.kernel);
  EXPECT_NE(elided.error.find("elided"), std::string::npos) << elided.error;
}

}  // namespace
}  // namespace affirm::testing
