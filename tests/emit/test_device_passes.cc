// The passes of devices, and LLVM's behind them, keep what a kernel computes.
#include "emit/codegen/kernel_impl.h"
#include "emit/device_pipeline.h"
#include "emit/elements/scalar.h"
#include "emit/transforms/passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/PassManager.h"
#include "tests/emit/device_code.h"
#include "tests/emit/kernel_testing.h"
#include "tests/emit/mlir_testing.h"
#include "verify/reference/interpreter.h"

namespace affirm::testing {
namespace {

// The kernel after the passes of a device.
EmittedModule EmitForDevice(const std::string& entry) {
  EmittedModule emitted = Emit(R"(HloModule m
    add { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) }
    )" + entry);
  if (!emitted.kernel) return emitted;
  EXPECT_FALSE(bool(emit::RunDevicePasses(*emitted.kernel, ~0u)));
  return emitted;
}

template <typename Op>
int64_t Count(const EmittedModule& emitted) {
  int64_t count = 0;
  emitted.kernel->impl().module.get()->walk([&](Op) { ++count; });
  return count;
}

::testing::AssertionResult RunsRight(const EmittedModule& emitted) {
  return MatchesInterpreter(emitted, hlo::MakeArguments(emitted.entry(), 1));
}

const char* const kLarge = R"(ENTRY e {
  p = s32[4,96,128] parameter(0)
  q = s16[4,96,128] parameter(1)
  c = s32[4,96,128] convert(q)
  s = s32[4,96,128] subtract(p, c)
  n = s16[4,96,128] negate(q)
  ROOT o = (s32[4,96,128], s16[4,96,128]) tuple(s, n)
})";

TEST(DevicePasses, ConsecutiveElementsBecomeVectors) {
  EmittedModule emitted = EmitForDevice(kLarge);
  ASSERT_TRUE(emitted.kernel) << emitted.error;
  EXPECT_EQ(Count<mlir::vector::TransferReadOp>(emitted), 2);
  EXPECT_EQ(Count<mlir::vector::TransferWriteOp>(emitted), 2);
  EXPECT_TRUE(MapsAreBijections(*emitted.kernel));
  EXPECT_TRUE(RunsRight(emitted));
}

// Loops may have been peeled: then there are more reads.
void ExpectVectors(const std::string& entry, int64_t reads, int64_t writes) {
  EmittedModule emitted = EmitForDevice(entry);
  ASSERT_TRUE(emitted.kernel) << emitted.error;
  EXPECT_TRUE(MapsAreBijections(*emitted.kernel)) << entry;
  EXPECT_TRUE(RunsRight(emitted)) << entry;
  const int64_t peeled = Count<mlir::vector::TransferReadOp>(emitted);
  EXPECT_EQ(peeled > 0, reads > 0) << entry;
  EXPECT_GE(peeled, reads) << entry;
  EXPECT_EQ(Count<mlir::vector::TransferWriteOp>(emitted) > 0, writes > 0) << entry;
}

// Wherever the maps allow it: rows, tiles, operands and updates of whole vectors.
TEST(DevicePasses, EmittersAccessVectors) {
  struct Case {
    const char* entry;
    int64_t reads, writes;
  };
  for (const Case& c :
       {Case{R"(ENTRY e { p = s32[256,256] parameter(0)
                            q = s32[256,64] parameter(1)
                            ROOT c = s32[256,320] concatenate(p, q), dimensions={1} })",
             2, 2},
        // The second operand begins in the middle of a vector.
        Case{R"(ENTRY e { p = s32[65537] parameter(0)
                            q = s32[65536] parameter(1)
                            ROOT c = s32[131073] concatenate(p, q), dimensions={0} })",
             0, 0},
        Case{R"(ENTRY e { p = s32[1024,256] parameter(0)
                            q = s32[256,256] parameter(1)
                            i = s32[] parameter(2)
                            z = s32[] constant(0)
                            ROOT d = s32[1024,256] dynamic-update-slice(p, q, i, z) })",
             1, 1},
        // Where a row of the update begins is known at run time only.
        Case{R"(ENTRY e { p = s32[256,1024] parameter(0)
                            q = s32[256,256] parameter(1)
                            i = s32[] parameter(2)
                            z = s32[] constant(0)
                            ROOT d = s32[256,1024] dynamic-update-slice(p, q, z, i) })",
             1, 0},
        Case{R"(ENTRY e { p = s32[256,320] parameter(0)
                            ROOT t = s32[320,256] transpose(p), dimensions={1,0} })",
             1, 1},
        // A row of the result is no whole number of vectors, then one of the operand.
        Case{R"(ENTRY e { p = s32[255,320] parameter(0)
                            ROOT t = s32[320,255] transpose(p), dimensions={1,0} })",
             1, 0},
        Case{R"(ENTRY e { p = s32[256,321] parameter(0)
                            ROOT t = s32[321,256] transpose(p), dimensions={1,0} })",
             0, 1},
        Case{R"(ENTRY e { p = s32[64,4096] parameter(0)
                            z = s32[] constant(0)
                            ROOT r = s32[64] reduce(p, z), dimensions={1}, to_apply=add })",
             1, 0},
        Case{R"(ENTRY e { p = s32[250,260] parameter(0)
                            z = s32[] constant(0)
                            ROOT r = s32[250] reduce(p, z), dimensions={1}, to_apply=add })",
             1, 0},
        Case{R"(ENTRY e { p = s32[64,4095] parameter(0)
                            z = s32[] constant(0)
                            ROOT r = s32[64] reduce(p, z), dimensions={1}, to_apply=add })",
             0, 0},
        // Columns: four neighbors, two, none; few columns; neighbors that two dimensions share.
        Case{R"(ENTRY e { p = s32[512,100] parameter(0)
                            z = s32[] constant(0)
                            ROOT r = s32[100] reduce(p, z), dimensions={0}, to_apply=add })",
             1, 0},
        Case{R"(ENTRY e { p = s32[512,102] parameter(0)
                            z = s32[] constant(0)
                            ROOT r = s32[102] reduce(p, z), dimensions={0}, to_apply=add })",
             1, 0},
        Case{R"(ENTRY e { p = s32[512,101] parameter(0)
                            z = s32[] constant(0)
                            ROOT r = s32[101] reduce(p, z), dimensions={0}, to_apply=add })",
             0, 0},
        Case{R"(ENTRY e { p = s32[2,6000,4] parameter(0)
                            z = s32[] constant(0)
                            ROOT r = s32[2,4] reduce(p, z), dimensions={1}, to_apply=add })",
             1, 0},
        Case{R"(ENTRY e { p = s32[3000,6,2] parameter(0)
                            z = s32[] constant(0)
                            ROOT r = s32[6,2] reduce(p, z), dimensions={0}, to_apply=add })",
             1, 0}}) {
    ExpectVectors(c.entry, c.reads, c.writes);
  }
}

// A scatter's updates, and what they are combined with where no two meet: as far as windows are
// whole vectors, begin at one, and the indices of windows of one element lie beside each other.
TEST(DevicePasses, ScattersAccessVectors) {
  struct Case {
    const char *operand, *indices, *updates, *attributes;
    int64_t reads, writes;
  };
  constexpr const char* kRows =
      "update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}";
  for (const Case& c :
       {Case{"[300,128]", "[512,1]", "[512,128]", kRows, 1, 0},
        Case{"[300,130]", "[512,1]", "[512,128]", kRows, 1, 0},
        Case{"[300,126]", "[512,1]", "[512,126]", kRows, 0, 0},
        Case{"[300,128]", "[30,1]", "[30,128]", kRows, 0, 0},
        Case{"[400,128]", "[1,1]", "[1,300,128]",
             "update_window_dims={1,2}, inserted_window_dims={}, scatter_dims_to_operand_dims={0}, "
             "unique_indices=true",
             2, 1},
        // Where a row of the window begins is known at run time only, or is no multiple of four.
        Case{"[128,400]", "[1,1]", "[1,128,300]",
             "update_window_dims={1,2}, inserted_window_dims={}, scatter_dims_to_operand_dims={1}, "
             "unique_indices=true",
             1, 0},
        Case{"[600,130]", "[1,1]", "[1,512,128]",
             "update_window_dims={1,2}, inserted_window_dims={}, scatter_dims_to_operand_dims={0}, "
             "unique_indices=true",
             1, 0},
        Case{"[3000]", "[40000,1]", "[40000]",
             "update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}", 2,
             0},
        Case{"[30,100]", "[40000,2]", "[40000]",
             "update_window_dims={}, inserted_window_dims={0,1}, "
             "scatter_dims_to_operand_dims={0,1}",
             1, 0},
        Case{"[3000]", "[40001,1]", "[40001]",
             "update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}", 0,
             0}}) {
    const std::string s = "s32",
                      entry = "ENTRY e { p = " + s + c.operand + " parameter(0)\ni = " + s +
                              c.indices + " parameter(1)\nu = " + s + c.updates +
                              " parameter(2)\nROOT r = " + s + c.operand + " scatter(p, i, u), " +
                              c.attributes + ", index_vector_dim=1, to_apply=add }";
    ExpectVectors(entry, c.reads, c.writes);
  }
}

// Each iteration reads an element of what it changes: as a vector only where that is the element
// which it writes, so that none has the work of another before it.
TEST(DevicePasses, ReadsOfWhatChangesAreNoVectors) {
  auto context = emit::MakeMlirContext();
  for (bool same : {true, false}) {
    std::string error;
    auto module = ParseModule(*context,
                              R"(
      #up = #affirm.map<"(d0, d1) -> (d0 * 4 + d1), domain: d0 in [0, 7], d1 in [0, 3]">
      #down = #affirm.map<"(d0, d1) -> (d0 * 4 - d1 + 3), domain: d0 in [0, 7], d1 in [0, 3]">
      func.func @f(%r: tensor<32xi32>, %t: index) -> tensor<32xi32> {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c4 = arith.constant 4 : index
        %o = scf.for %s = %c0 to %c4 step %c1 iter_args(%a = %r) -> (tensor<32xi32>) {
          %i = affirm.apply_indexing #up(%t, %s)
          %j = affirm.apply_indexing #)" +
                                  std::string(same ? "up" : "down") + R"((%t, %s)
          %old = tensor.extract %a[%i] : tensor<32xi32>
          %new = arith.addi %old, %old : i32
          %u = tensor.insert %new into %a[%)" +
                                  std::string(same ? "i" : "j") + R"(] : tensor<32xi32>
          scf.yield %u : tensor<32xi32>
        }
        return %o : tensor<32xi32>
      })",
                              error);
    ASSERT_TRUE(module) << error;
    mlir::PassManager passes(context.get());
    passes.addPass(emit::CreateVectorizePass());
    ASSERT_TRUE(mlir::succeeded(passes.run(*module)));
    int64_t reads = 0;
    module->walk([&](mlir::vector::TransferReadOp) { ++reads; });
    EXPECT_EQ(reads, same ? 1 : 0);
  }
}

// A vector that starts one element later than it should.
TEST(DevicePasses, AMisalignedVectorIsTrapped) {
  EmittedModule emitted = EmitForDevice(kLarge);
  ASSERT_TRUE(emitted.kernel) << emitted.error;
  emitted.kernel->impl().module.get()->walk([](mlir::vector::TransferReadOp op) {
    emit::Builder b(op.getLoc(), op);
    op.getIndicesMutable().assign(
        mlir::arith::AddIOp::create(b, op.getIndices()[0], emit::IndexConstant(b, 1)).getResult());
  });
  auto right = RunsRight(emitted);
  EXPECT_FALSE(right);
  EXPECT_NE(std::string(right.message()).find("that are not aligned to 8 bytes"), std::string::npos)
      << right.message();
}

TEST(DevicePasses, EveryEmitterComputesTheSame) {
  for (const char* entry : {
           R"(ENTRY e {
             p = s32[2,36,40] parameter(0)
             t = s32[2,40,36] transpose(p), dimensions={0,2,1}
             ROOT n = s32[2,40,36] negate(t)
           })",
           R"(ENTRY e {
             p = s32[3,1500] parameter(0)
             z = s32[] constant(5)
             ROOT r = s32[3] reduce(p, z), dimensions={1}, to_apply=add
           })",
           R"(ENTRY e {
             p = s32[2,50,40] parameter(0)
             z = s32[] constant(5)
             ROOT r = s32[2,40] reduce(p, z), dimensions={1}, to_apply=add
           })",
           R"(ENTRY e {
             p = s32[300,4] parameter(0)
             z = s32[] constant(5)
             ROOT r = s32[4] reduce(p, z), dimensions={0}, to_apply=add
           })",
           R"(ENTRY e {
             p = s32[5,40] parameter(0)
             q = s32[7,40] parameter(1)
             ROOT c = s32[12,40] concatenate(p, q), dimensions={0}
           })",
           R"(ENTRY e {
             p = s32[20,9] parameter(0)
             u = s32[16,2] parameter(1)
             i = s32[] parameter(2)
             ROOT d = s32[20,9] dynamic-update-slice(p, u, i, i)
           })",
           R"(ENTRY e {
             p = s32[6,3] parameter(0)
             i = s32[40,1] parameter(1)
             u = s32[40,3] parameter(2)
             ROOT s = s32[6,3] scatter(p, i, u), update_window_dims={1}, inserted_window_dims={0},
               scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add
           })",
           R"(ENTRY e {
             p = s32[9,8] parameter(0)
             z = s32[] constant(-7)
             a = s32[20,8] pad(p, z), padding=1_2_1x0_0
             s = s32[8,20] transpose(a), dimensions={1,0}
             ROOT d = s32[8,8] dot(s, a), lhs_contracting_dims={1}, rhs_contracting_dims={0}
           })",
       }) {
    EmittedModule emitted = EmitForDevice(entry);
    ASSERT_TRUE(emitted.kernel) << emitted.error << entry;
    EXPECT_TRUE(RunsRight(emitted)) << entry;
  }
}

// The code after LLVM's passes, with one buffer for each slice.
::testing::AssertionResult DeviceCodeRunsRight(const EmittedModule& emitted) {
  std::vector<hlo::Literal> arguments = hlo::MakeArguments(emitted.entry(), 1);
  auto expected = hlo::Interpret(emitted.entry(), arguments, &emitted.kernel->evaluation_orders());
  auto actual = RunDeviceCode(*emitted.kernel, arguments);
  for (auto* value : {&expected, &actual}) {
    if (!*value) return ::testing::AssertionFailure() << llvm::toString(value->takeError());
  }
  return SameValue(*expected, *actual);
}

TEST(DevicePasses, AnUpdateInPlaceIsOneSlice) {
  EmittedModule emitted = Emit(R"(HloModule m
    ENTRY e {
      p = s32[20,9] parameter(0)
      u = s32[16,2] parameter(1)
      i = s32[] parameter(2)
      ROOT d = s32[20,9] dynamic-update-slice(p, u, i, i)
    })");
  ASSERT_TRUE(emitted.kernel) << emitted.error;
  EXPECT_EQ(emitted.kernel->slices(), llvm::ArrayRef<int64_t>({0, 1, 2, 0}));
  EXPECT_TRUE(DeviceCodeRunsRight(emitted));
  auto llvm = emitted.kernel->Text(emit::Target::kNvptx, emit::Stage::kLlvm);
  ASSERT_TRUE(bool(llvm));
  EXPECT_NE(llvm->find("@e_kernel(ptr noalias align 16 dereferenceable(720) %0, "),
            std::string::npos)
      << *llvm;
}

// The update reads what it replaces, at another index: it needs the operand as it was.
TEST(DevicePasses, AnOperandThatIsReadStaysApart) {
  EmittedModule emitted = Emit(R"(HloModule m
    ENTRY e {
      p = s32[20,9] parameter(0)
      i = s32[] parameter(1)
      s = s32[16,2] slice(p), slice={[2:18], [3:5]}
      u = s32[16,2] negate(s)
      ROOT d = s32[20,9] dynamic-update-slice(p, u, i, i)
    })");
  ASSERT_TRUE(emitted.kernel) << emitted.error;
  EXPECT_EQ(emitted.kernel->slices(), llvm::ArrayRef<int64_t>({0, 1, 2}));
  EXPECT_TRUE(DeviceCodeRunsRight(emitted));
}

// Two results start as one operand: one of them needs a copy.
TEST(DevicePasses, AnInputBecomesOneResultAtMost) {
  EmittedModule emitted = Emit(R"(HloModule m
    ENTRY e {
      p = s32[20] parameter(0)
      u = s32[3] parameter(1)
      i = s32[] parameter(2)
      j = s32[] parameter(3)
      a = s32[20] dynamic-update-slice(p, u, i)
      b = s32[20] dynamic-update-slice(p, u, j)
      ROOT t = (s32[20], s32[20]) tuple(a, b)
    })");
  ASSERT_TRUE(emitted.kernel) << emitted.error;
  EXPECT_EQ(emitted.kernel->slices(), llvm::ArrayRef<int64_t>({0, 1, 2, 3, 0, 5}));
  EXPECT_TRUE(DeviceCodeRunsRight(emitted));
}

TEST(DevicePasses, VectorsAndFunctionsRunAsDeviceCode) {
  EmittedModule emitted = Emit(std::string("HloModule m\n") + kLarge);
  ASSERT_TRUE(emitted.kernel) << emitted.error;
  EXPECT_TRUE(DeviceCodeRunsRight(emitted));
  emitted = Emit(R"(HloModule m
    ENTRY e {
      p = s32[30,20] parameter(0)
      n = s32[30,20] negate(p)
      a = s32[30,20] multiply(n, n)
      r = s32[30,20] reverse(a), dimensions={0}
      w = s32[30,20] reverse(a), dimensions={1}
      u = s32[30,20] add(r, w)
      ROOT s = s32[30,20] subtract(u, a)
    })");
  ASSERT_TRUE(emitted.kernel) << emitted.error;
  EXPECT_GT(emitted.kernel->num_functions(), 2);
  EXPECT_TRUE(DeviceCodeRunsRight(emitted));
}

}  // namespace
}  // namespace affirm::testing
