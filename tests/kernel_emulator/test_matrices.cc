// mma.sync of integers against the product, with the elements where the PTX ISA's tables have them.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>

#include "tests/kernel_emulator/run_kernel.h"

namespace affirm::testing {
namespace {

struct Shape {
  int bits, k;
};

// The row and the column of element i of a lane's fragment of A, and the row of one of B, whose
// column is lane / 4 (PTX ISA, "Matrix fragments for mma.m16n8k16", ".m16n8k32", ".m16n8k64").
std::pair<int, int> PlaceInA(Shape shape, int lane, int i) {
  const int group = lane / 4, inside = lane % 4;
  if (shape.bits == 8 && shape.k == 16) return {i < 4 ? group : group + 8, inside * 4 + i % 4};
  if (shape.bits == 8) {
    const bool upper = i < 4 || (8 <= i && i < 12);
    return {upper ? group : group + 8, inside * 4 + i % 4 + (i < 8 ? 0 : 16)};
  }
  if (shape.k == 32) return {i < 8 ? group : group + 8, inside * 8 + i % 8};
  const bool upper = i < 8 || (16 <= i && i < 24);
  return {upper ? group : group + 8, inside * 8 + i % 8 + (i < 16 ? 0 : 32)};
}
int RowInB(Shape shape, int lane, int i) {
  const int inside = lane % 4;
  if (shape.bits == 8) return inside * 4 + i % 4 + (i < 4 ? 0 : 16);
  return inside * 8 + i % 8 + (i < 8 ? 0 : 32);
}

struct Product {
  Shape shape;
  bool a_signed, b_signed, saturates;
  std::string opcode() const {
    auto type = [&](bool is_signed) {
      return (is_signed ? ".s" : ".u") + std::to_string(shape.bits);
    };
    return "mma.sync.aligned.m16n8k" + std::to_string(shape.k) + ".row.col" +
           (saturates ? ".satfinite" : "") + ".s32" + type(a_signed) + type(b_signed) + ".s32";
  }
  int of_b() const { return shape.k * shape.bits / 128; }
  int registers() const { return 3 * of_b() + 4; }  // of a lane
};

std::string List(int from, int count) {
  std::string list = "{ ";
  for (int k = 0; k < count; ++k) list += (k == 0 ? "$" : ", $") + std::to_string(from + k);
  return list + " }";
}

// Each lane has its registers of A, B and C behind each other in the input.
std::string BodyOf(const Product& product) {
  const int all = product.registers(), of_b = product.of_b();
  std::string body = "%lane = add i32 %t, 0\n%first = mul i32 %lane, " + std::to_string(all) + "\n";
  std::string arguments, constraints = "=r,=r,=r,=r,0,1,2,3";
  for (int k = 0; k < all; ++k) {
    const std::string n = std::to_string(k);
    body += "%i" + n + " = add i32 %first, " + n + "\n%p" + n +
            " = getelementptr i32, ptr %in, i32 %i" + n + "\n%r" + n + " = load i32, ptr %p" + n +
            ", align 4\n";
  }
  for (int k = 3 * of_b; k < all; ++k) arguments += "i32 %r" + std::to_string(k) + ", ";
  for (int k = 0; k < 3 * of_b; ++k) {
    arguments += (k > 0 ? ", i32 %r" : "i32 %r") + std::to_string(k);
    constraints += ",r";
  }
  body += "%d = call { i32, i32, i32, i32 } asm sideeffect \"" + product.opcode() + " " +
          List(0, 4) + ", " + List(8, 2 * of_b) + ", " + List(8 + 2 * of_b, of_b) + ", " +
          List(4, 4) + ";\", \"" + constraints + "\"(" + arguments + ")\n%to = mul i32 %lane, 4\n";
  for (int k = 0; k < 4; ++k) {
    const std::string n = std::to_string(k);
    body += "%d" + n + " = extractvalue { i32, i32, i32, i32 } %d, " + n + "\n%w" + n +
            " = add i32 %to, " + n + "\n%q" + n + " = getelementptr i32, ptr %out, i32 %w" + n +
            "\nstore i32 %d" + n + ", ptr %q" + n + ", align 4\n";
  }
  return body + "ret void";
}

RC_GTEST_PROP(Matrices, ProductsOfIntegers, ()) {
  const Product product{*rc::gen::element(Shape{8, 16}, Shape{8, 32}, Shape{4, 32}, Shape{4, 64}),
                        *rc::gen::arbitrary<bool>(), *rc::gen::arbitrary<bool>(),
                        *rc::gen::arbitrary<bool>()};
  const auto [bits, k] = product.shape;
  const int per_register = 32 / bits, of_b = product.of_b();
  auto number = [&](bool is_signed) {
    const int half = 1 << (bits - 1);
    return is_signed ? *rc::gen::inRange(-half, half) : *rc::gen::inRange(0, 2 * half);
  };
  std::vector<std::vector<int>> a(16, std::vector<int>(k)), b(k, std::vector<int>(8));
  for (auto& row : a) std::ranges::generate(row, [&] { return number(product.a_signed); });
  for (auto& row : b) std::ranges::generate(row, [&] { return number(product.b_signed); });
  std::vector<std::vector<int32_t>> c(16, std::vector<int32_t>(8));
  constexpr int32_t kLeast = std::numeric_limits<int32_t>::min(),
                    kMost = std::numeric_limits<int32_t>::max();
  for (auto& row : c)
    std::ranges::generate(row, [&] { return *rc::gen::element<int32_t>(0, 1, -7, kLeast, kMost); });

  std::vector<int32_t> input;
  for (int lane = 0; lane < 32; ++lane) {
    std::vector<uint32_t> registers(3 * of_b);
    const uint32_t mask = (1u << bits) - 1;
    for (int i = 0; i < 2 * of_b * per_register; ++i) {
      const auto [row, column] = PlaceInA(product.shape, lane, i);
      registers[i / per_register] |= (a[row][column] & mask) << (i % per_register * bits);
    }
    for (int i = 0; i < of_b * per_register; ++i) {
      registers[2 * of_b + i / per_register] |= (b[RowInB(product.shape, lane, i)][lane / 4] & mask)
                                                << (i % per_register * bits);
    }
    for (uint32_t bits_of : registers) input.push_back(static_cast<int32_t>(bits_of));
    for (int i = 0; i < 4; ++i)
      input.push_back(c[lane / 4 + (i < 2 ? 0 : 8)][lane % 4 * 2 + i % 2]);
  }
  const TestRun run =
      RunKernel({.body = BodyOf(product), .threads = 32, .input = input, .outputs = 128});
  RC_ASSERT(run.Claims() == "");
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < 4; ++i) {
      const int row = lane / 4 + (i < 2 ? 0 : 8), column = lane % 4 * 2 + i % 2;
      int64_t sum = c[row][column];
      for (int at = 0; at < k; ++at) sum += int64_t{a[row][at]} * b[at][column];
      const int64_t is = product.saturates ? std::clamp<int64_t>(sum, kLeast, kMost)
                                           : static_cast<int32_t>(static_cast<uint32_t>(sum));
      RC_ASSERT(run.output[4 * lane + i] == is);
    }
  }
}

TEST(Matrices, OtherProductsAreNotGuessed) {
  auto error_of = [](const std::string& statement) {
    return RunKernel({.body = "%d = call { i32, i32, i32, i32 } asm sideeffect \"" + statement +
                              " { $0, $1, $2, $3 }, { $8, $9 }, { $10 }, { $4, $5, $6, $7 };\", "
                              "\"=r,=r,=r,=r,0,1,2,3,r,r,r\"(i32 0, i32 0, i32 0, i32 0, i32 0, "
                              "i32 0, i32 0)\nret void",
                      .threads = 32})
        .error;
  };
  EXPECT_EQ(error_of("mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32"), "");
  for (const char* other : {
           "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32",
           "mma.sync.aligned.m16n8k16.row.row.s32.s8.s8.s32",
           "mma.sync.aligned.m16n8k16.row.col.s32.s8.s4.s32",
           "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32",
           "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32",
           "mma.sync.aligned.m16n8k128.row.col.s32.s8.s8.s32",
           "mma.sync.aligned.m16n8k16.row.col.satfinite.f16.s8.s8.s32",
           "mma.sp.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32",
           "@$8 mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32",
       }) {
    EXPECT_NE(error_of(other).find("inline PTX is not executed"), std::string::npos)
        << other << ": " << error_of(other);
  }
}

// The registers fit the formula, and the PTX ISA has no such shape.
TEST(Matrices, OtherNumbersOfTermsAreNotGuessed) {
  for (Shape shape : {Shape{8, 64}, Shape{4, 128}}) {
    const Product product{shape, true, true, false};
    const TestRun run = RunKernel({.body = BodyOf(product),
                                   .threads = 32,
                                   .input = std::vector<int32_t>(32 * product.registers()),
                                   .outputs = 128});
    EXPECT_NE(run.error.find("inline PTX is not executed"), std::string::npos) << run.error;
  }
}

// A warp of which lanes are missing has no product.
TEST(Matrices, LanesThatAreMissingLeaveItUnspecified) {
  const Product product{{8, 16}, true, true, false};
  const TestRun run = RunKernel(
      {.body = BodyOf(product), .threads = 16, .input = std::vector<int32_t>(112), .outputs = 64});
  EXPECT_NE(run.Claims(), "");
}

}  // namespace
}  // namespace affirm::testing
