// Softmax, layer norm and cross entropy, of rows of any length that a block holds, are one kernel
// that reads each element of an array once: by the addresses and guards of its loads.
#include <gtest/gtest.h>

#include "core/hlo/text.h"
#include "driver/check/program.h"
#include "emit/kernel.h"
#include "emit/runtime/device_kernel.h"
#include "llvm/ADT/StringExtras.h"
#include "tests/tools/run_affirm.h"
#include "verify/kernel/lift/accesses.h"

namespace affirm {
namespace {

constexpr int64_t kRows = 3;

// A computation on p: f32[3,N], in which # stands for N.
struct Computation {
  const char* name;
  const char* text;
  int64_t arrays = 1;  // the first operands, of which each of the 3 N elements is read once
};

// Softmax of what a mask takes: each element is one of two, by an element of the mask.
constexpr char kMasked[] = R"(ENTRY e {
    p = f32[3,#] parameter(0)
    mask = pred[3,#] parameter(1)
    low = f32[] constant(-inf)
    lows = f32[3,#] broadcast(low), dimensions={}
    zero = f32[] constant(0)
    zeros = f32[3,#] broadcast(zero), dimensions={}
    x = f32[3,#] select(mask, p, lows)
    m = f32[3] reduce(x, low), dimensions={1}, to_apply=max
    mb = f32[3,#] broadcast(m), dimensions={0}
    d = f32[3,#] subtract(x, mb)
    e = f32[3,#] exponential(d)
    taken = f32[3,#] select(mask, e, zeros)
    s = f32[3] reduce(taken, zero), dimensions={1}, to_apply=sum
    sb = f32[3,#] broadcast(s), dimensions={0}
    q = f32[3,#] divide(e, sb)
    ROOT r = f32[3,#] select(mask, q, zeros) })";

constexpr char kReducers[] = R"(HloModule m
  max { a = f32[] parameter(0) b = f32[] parameter(1) ROOT m = f32[] maximum(a, b) }
  sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
  all { a = pred[] parameter(0) b = pred[] parameter(1) ROOT s = pred[] and(a, b) }
)";

constexpr char kLogSoftmax[] = R"(log_softmax {
    p = f32[3,#] parameter(0)
    low = f32[] constant(-inf)
    zero = f32[] constant(0)
    m = f32[3] reduce(p, low), dimensions={1}, to_apply=max
    mb = f32[3,#] broadcast(m), dimensions={0}
    d = f32[3,#] subtract(p, mb)
    x = f32[3,#] exponential(d)
    s = f32[3] reduce(x, zero), dimensions={1}, to_apply=sum
    l = f32[3] log(s)
    lb = f32[3,#] broadcast(l), dimensions={0}
    ROOT q = f32[3,#] subtract(d, lb)
})";

const Computation kComputations[] = {
    {"softmax",
     R"(ENTRY e {
    p = f32[3,#] parameter(0)
    q = f32[3,#] call(p), to_apply=log_softmax
    ROOT e = f32[3,#] exponential(q) })",
     1},
    {"layer_norm",
     R"(ENTRY e {
    p = f32[3,#] parameter(0)
    g = f32[#] parameter(1)
    b = f32[#] parameter(2)
    zero = f32[] constant(0)
    count = f32[] constant(#)
    n = f32[3] broadcast(count), dimensions={}
    sum = f32[3] reduce(p, zero), dimensions={1}, to_apply=sum
    mean = f32[3] divide(sum, n)
    mb = f32[3,#] broadcast(mean), dimensions={0}
    c = f32[3,#] subtract(p, mb)
    c2 = f32[3,#] multiply(c, c)
    v = f32[3] reduce(c2, zero), dimensions={1}, to_apply=sum
    var = f32[3] divide(v, n)
    deviation = f32[3] rsqrt(var)
    vb = f32[3,#] broadcast(deviation), dimensions={0}
    y = f32[3,#] multiply(c, vb)
    gb = f32[3,#] broadcast(g), dimensions={1}
    bb = f32[3,#] broadcast(b), dimensions={1}
    scaled = f32[3,#] multiply(y, gb)
    ROOT r = f32[3,#] add(scaled, bb) })",
     3},
    {"cross_entropy",
     R"(ENTRY e {
    p = f32[3,#] parameter(0)
    y = f32[3,#] parameter(1)
    zero = f32[] constant(0)
    q = f32[3,#] call(p), to_apply=log_softmax
    w = f32[3,#] multiply(q, y)
    t = f32[3] reduce(w, zero), dimensions={1}, to_apply=sum
    ROOT r = f32[3] negate(t) })",
     2},
    {"cross_entropy_of_one_hot_labels",
     R"(ENTRY e {
    p = f32[3,#] parameter(0)
    label = s32[3] parameter(1)
    zero = f32[] constant(0)
    q = f32[3,#] call(p), to_apply=log_softmax
    i = s32[3,#] iota(), iota_dimension=1
    lb = s32[3,#] broadcast(label), dimensions={0}
    is = pred[3,#] compare(i, lb), direction=EQ
    zs = f32[3,#] broadcast(zero), dimensions={}
    w = f32[3,#] select(is, q, zs)
    t = f32[3] reduce(w, zero), dimensions={1}, to_apply=sum
    ROOT r = f32[3] negate(t) })",
     1},
    // The chosen element is one of those that the row has anyway, however it is asked for.
    {"cross_entropy_of_counted_labels",
     R"(ENTRY e {
    p = f32[3,#] parameter(0)
    label = s32[3] parameter(1)
    yes = pred[] constant(true)
    q = f32[3,#] call(p), to_apply=log_softmax
    i = s32[3] iota(), iota_dimension=0
    none = s32[] constant(0)
    zeros = s32[3] broadcast(none), dimensions={}
    below = pred[3] compare(i, zeros), direction=LT
    rows = s32[] constant(3)
    number = s32[3] broadcast(rows), dimensions={}
    last = s32[3] add(i, number)
    row = s32[3] select(below, last, i)
    i1 = s32[3,1] reshape(row)
    l1 = s32[3,1] reshape(label)
    at = s32[3,2] concatenate(i1, l1), dimensions={1}
    least = s32[3,2] broadcast(none), dimensions={}
    fits = pred[3,2] compare(at, least), direction=GE
    fit = pred[3] reduce(fits, yes), dimensions={1}, to_apply=all
    g = f32[3] gather(q, at), offset_dims={}, collapsed_slice_dims={0,1}, start_index_map={0,1}, index_vector_dim=1, slice_sizes={1,1}
    nan = f32[] constant(nan)
    nans = f32[3] broadcast(nan), dimensions={}
    n = f32[3] negate(g)
    ROOT r = f32[3] select(fit, n, nans) })",
     1},
    {"cross_entropy_of_one_label",
     R"(ENTRY e {
    p = f32[3,#] parameter(0)
    label = s32[] parameter(1)
    q = f32[3,#] call(p), to_apply=log_softmax
    first = s32[] constant(0)
    g = f32[3,1] dynamic-slice(q, first, label), dynamic_slice_sizes={3,1}
    ROOT n = f32[3,1] negate(g) })",
     1},
    {"gradient_of_cross_entropy",
     R"(ENTRY e {
    p = f32[3,#] parameter(0)
    label = s32[3] parameter(1)
    q = f32[3,#] call(p), to_apply=log_softmax
    i = s32[3,1] iota(), iota_dimension=0
    l1 = s32[3,1] reshape(label)
    at = s32[3,2] concatenate(i, l1), dimensions={1}
    zero = f32[] constant(0)
    zeros = f32[3,#] broadcast(zero), dimensions={}
    minus = f32[] constant(-1)
    given = f32[3] broadcast(minus), dimensions={}
    g = f32[3,#] scatter(zeros, at, given), update_window_dims={}, inserted_window_dims={0,1}, scatter_dims_to_operand_dims={0,1}, index_vector_dim=1, to_apply=sum
    s = f32[3] reduce(g, zero), dimensions={1}, to_apply=sum
    sb = f32[3,#] broadcast(s), dimensions={0}
    e = f32[3,#] exponential(q)
    t = f32[3,#] multiply(e, sb)
    ROOT r = f32[3,#] subtract(g, t) })",
     1},
    {"cross_entropy_of_labels",
     R"(ENTRY e {
    p = f32[3,#] parameter(0)
    label = s32[3] parameter(1)
    yes = pred[] constant(true)
    q = f32[3,#] call(p), to_apply=log_softmax
    l1 = s32[3,1] reshape(label)
    none = s32[] constant(0)
    zeros = s32[3,1] broadcast(none), dimensions={}
    fits = pred[3,1] compare(l1, zeros), direction=GE
    fit = pred[3] reduce(fits, yes), dimensions={1}, to_apply=all
    g = f32[3] gather(q, l1), offset_dims={}, collapsed_slice_dims={1}, operand_batching_dims={0}, start_indices_batching_dims={0}, start_index_map={1}, index_vector_dim=1, slice_sizes={1,1}
    nan = f32[] constant(nan)
    nans = f32[3] broadcast(nan), dimensions={}
    n = f32[3] negate(g)
    ROOT r = f32[3] select(fit, n, nans) })",
     1},
};

std::string OfLength(llvm::StringRef text, int64_t length) {
  return llvm::join(llvm::split(text, '#'), std::to_string(length));
}

class RowReads : public ::testing::TestWithParam<int64_t> {};

TEST_P(RowReads, OneKernelReadsEachElementOnce) {
  const int64_t length = GetParam();
  for (const Computation& computation : kComputations) {
    SCOPED_TRACE(computation.name);
    const std::string text =
        OfLength(kReducers + std::string(kLogSoftmax) + computation.text, length);
    auto module = llvm::cantFail(hlo::ParseModule(text, computation.name));
    const driver::Program program(*module);
    ASSERT_EQ(program.fused_computations().size(), 1u);
    const auto& kernels = program.partitions(program.fused_computations()[0]).kernels;
    ASSERT_EQ(kernels.size(), 1u);
    Context context;
    auto made = llvm::cantFail(emit::EmitKernel(*kernels[0].computation, context));
    EXPECT_EQ(made.emitter(), "row");
    auto device = llvm::cantFail(emit::DeviceKernelOf(made));
    terms::Pool pool;
    auto lifted =
        llvm::cantFail(kernel::Lift(device.ir, device.launch, pool, {.list_accesses = true}));
    // A warp of one lane counts what each thread reads.
    const kernel::AccessCounts counts = CountAccesses(lifted, device.launch, {.lanes = 1});
    ASSERT_EQ(counts.blocks, device.launch.NumBlocks());
    std::vector<int64_t> bytes(device.launch.params.size());
    for (const kernel::CountedAccess& access : counts.instructions) {
      if (access.is_shared || access.is_write) continue;
      EXPECT_EQ(access.unknown, "");  // the address is no data
      bytes[access.buffer] += access.count.accesses * access.bytes;
    }
    for (int64_t k = 0; k < computation.arrays; ++k) {
      EXPECT_EQ(bytes[k], 4 * kRows * length) << "operand " << k;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Lengths, RowReads,
                         ::testing::Values(2, 31, 33, 511, 513, 1000, 1024, 4096, 4100, 16384),
                         ::testing::PrintToStringParamName());

// By `check`, in one kernel.
void ExpectProved(const std::string& text) {
  const testing::TemporaryFile file("rows.hlo", text);
  const testing::RunResult run = testing::RunAffirm({"check", file.path()});
  EXPECT_EQ(run.status, 0) << run.out << run.err;
  EXPECT_NE(run.out.find("1 of 1 are proved, all claims about their LLVM IR"), std::string::npos)
      << run.out;
}

// The same kernels are proved; of bf16 each sum rounds, and functions are of converted operands.
// All sums of a row are seen to be the computation's once.
TEST(RowReads, AreProved) {
  for (int64_t length : {2, 33, 65, 1000, 4100}) {
    for (const Computation& computation : kComputations) {
      SCOPED_TRACE(computation.name);
      const std::string text =
          OfLength(kReducers + std::string(kLogSoftmax) + computation.text, length);
      ExpectProved(text);
      if (length <= 1000) ExpectProved(llvm::join(llvm::split(text, "f32"), "bf16"));
    }
  }
}

// A common part of a row is proved once, not at each element of the mask.
TEST(RowReads, AreProvedWithAMask) {
  ExpectProved(OfLength(kReducers + std::string(kMasked), 4100));
}

}  // namespace
}  // namespace affirm
