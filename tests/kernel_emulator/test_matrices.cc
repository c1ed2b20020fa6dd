// mma.sync against the product, with the elements where the PTX ISA's tables have them.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <set>

#include "llvm/ADT/APFloat.h"
#include "tests/kernel_emulator/run_kernel.h"
#include "verify/kernel/matrix_descriptor.h"
#include "verify/kernel/matrix_product.h"

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

// A product of floats: elements of `bits` bits, which `encode` makes of small numbers.
struct FloatProduct {
  std::string type;  // of A and B
  int bits, k;
  std::string sum = "f32";
  int in_register() const { return 32 / bits; }
  int of_a() const { return 16 * k / 32 / in_register(); }
  int of_b() const { return 8 * k / 32 / in_register(); }
  int of_c() const { return sum == "f16" ? 2 : 4; }
};

uint32_t Encoded(const std::string& type, float value) {
  auto in = [&](const llvm::fltSemantics& semantics) {
    llvm::APFloat number(value);
    bool loses = false;
    number.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &loses);
    EXPECT_FALSE(loses) << value << " as " << type;
    return static_cast<uint32_t>(number.bitcastToAPInt().getZExtValue());
  };
  if (type == "f16") return in(llvm::APFloat::IEEEhalf());
  if (type == "bf16") return in(llvm::APFloat::BFloat());
  if (type == "e4m3") return in(llvm::APFloat::Float8E4M3FN());
  if (type == "e5m2") return in(llvm::APFloat::Float8E5M2());
  return std::bit_cast<uint32_t>(value);
}

// The tables of the PTX ISA: ".m16n8k4" to ".m16n8k32".
std::pair<int, int> PlaceInA(const FloatProduct& product, int lane, int i) {
  const int group = lane / 4, inside = lane % 4;
  if (product.bits == 8) return PlaceInA(Shape{8, 32}, lane, i);
  if (product.bits == 16 && product.k == 8)
    return {i < 2 ? group : group + 8, inside * 2 + (i & 1)};
  if (product.bits == 16) {
    const bool upper = i < 2 || (4 <= i && i < 6);
    return {upper ? group : group + 8, inside * 2 + (i & 1) + (i < 4 ? 0 : 8)};
  }
  const bool upper = i == 0 || i == 2;
  return {upper ? group : group + 8, i < 2 ? inside : inside + 4};
}
int RowInB(const FloatProduct& product, int lane, int i) {
  const int inside = lane % 4;
  if (product.bits == 8) return RowInB(Shape{8, 32}, lane, i);
  if (product.bits == 16) return inside * 2 + (i & 1) + (i < 2 ? 0 : 8);
  return i == 0 ? inside : inside + 4;
}

// The registers of A, B and C of each lane behind each other in the input, and those of D in the
// output.
std::string BodyOf(const FloatProduct& product) {
  const bool floats = product.sum == "f32";
  const int of_a = product.of_a(), of_b = product.of_b(), of_c = product.of_c();
  const int all = of_a + of_b + of_c;
  const std::string sum = floats ? "float" : "i32", constraint = floats ? "=f" : "=r";
  std::string type = "{ ", constraints, arguments;
  std::string body = "%first = mul i32 %t, " + std::to_string(all) + "\n";
  for (int k = 0; k < all; ++k) {
    const std::string n = std::to_string(k), of = k < of_a + of_b ? "i32" : sum;
    body += "%i" + n + " = add i32 %first, " + n + "\n%p" + n +
            " = getelementptr i32, ptr %in, i32 %i" + n + "\n%r" + n + " = load " + of +
            ", ptr %p" + n + ", align 4\n";
  }
  for (int k = 0; k < of_c; ++k) {
    type += (k > 0 ? ", " : "") + sum;
    constraints += constraint + ",";
    arguments += sum + " %r" + std::to_string(of_a + of_b + k) + ", ";
  }
  type += " }";
  for (int k = 0; k < of_c; ++k) constraints += std::to_string(k) + ",";
  for (int k = 0; k < of_a + of_b; ++k) {
    constraints += k > 0 ? ",r" : "r";
    arguments += (k > 0 ? ", i32 %r" : "i32 %r") + std::to_string(k);
  }
  body += "%d = call " + type + " asm sideeffect \"mma.sync.aligned.m16n8k" +
          std::to_string(product.k) + ".row.col." + product.sum + "." + product.type + "." +
          product.type + "." + product.sum + " " + List(0, of_c) + ", " + List(2 * of_c, of_a) +
          ", " + List(2 * of_c + of_a, of_b) + ", " + List(of_c, of_c) + ";\", \"" + constraints +
          "\"(" + arguments + ")\n%to = mul i32 %t, " + std::to_string(of_c) + "\n";
  for (int k = 0; k < of_c; ++k) {
    const std::string n = std::to_string(k);
    body += "%d" + n + " = extractvalue " + type + " %d, " + n + "\n%w" + n + " = add i32 %to, " +
            n + "\n%q" + n + " = getelementptr i32, ptr %out, i32 %w" + n + "\nstore " + sum +
            " %d" + n + ", ptr %q" + n + ", align 4\n";
  }
  return body + "ret void";
}

// Numbers whose products and sums are exact, in any order.
RC_GTEST_PROP(Matrices, ProductsOfFloats, ()) {
  const FloatProduct product = *rc::gen::element<FloatProduct>(
      FloatProduct{"f16", 16, 8}, FloatProduct{"f16", 16, 16}, FloatProduct{"f16", 16, 8, "f16"},
      FloatProduct{"f16", 16, 16, "f16"}, FloatProduct{"bf16", 16, 8}, FloatProduct{"bf16", 16, 16},
      FloatProduct{"tf32", 32, 4}, FloatProduct{"tf32", 32, 8}, FloatProduct{"e4m3", 8, 32},
      FloatProduct{"e5m2", 8, 32});
  auto number = [&] { return static_cast<float>(*rc::gen::inRange(-3, 4)) / 2; };
  std::vector<std::vector<float>> a(16, std::vector<float>(product.k)),
      b(product.k, std::vector<float>(8)), c(16, std::vector<float>(8));
  for (auto* matrix : {&a, &b, &c}) {
    for (auto& row : *matrix) std::ranges::generate(row, number);
  }
  const int in_register = product.in_register(), sums = 4 / product.of_c();
  std::vector<int32_t> input;
  for (int lane = 0; lane < 32; ++lane) {
    std::vector<uint32_t> registers(product.of_a() + product.of_b() + product.of_c());
    auto put = [&](int first, int i, int in, const std::string& type, float value) {
      registers[first + i / in] |= Encoded(type, value) << (i % in * (32 / in) % 32);
    };
    for (int i = 0; i < product.of_a() * in_register; ++i) {
      const auto [row, column] = PlaceInA(product, lane, i);
      put(0, i, in_register, product.type, a[row][column]);
    }
    for (int i = 0; i < product.of_b() * in_register; ++i)
      put(product.of_a(), i, in_register, product.type, b[RowInB(product, lane, i)][lane / 4]);
    for (int i = 0; i < 4; ++i) {
      put(product.of_a() + product.of_b(), i, sums, product.sum,
          c[lane / 4 + (i < 2 ? 0 : 8)][lane % 4 * 2 + i % 2]);
    }
    for (uint32_t bits : registers) input.push_back(static_cast<int32_t>(bits));
  }
  const TestRun run = RunKernel({.body = BodyOf(product),
                                 .threads = 32,
                                 .input = input,
                                 .outputs = int64_t{32} * product.of_c()});
  RC_ASSERT(run.Claims() == "");
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < 4; ++i) {
      const int row = lane / 4 + (i < 2 ? 0 : 8), column = lane % 4 * 2 + i % 2;
      float sum = c[row][column];
      for (int at = 0; at < product.k; ++at) sum += a[row][at] * b[at][column];
      const auto bits = static_cast<uint32_t>(run.output[product.of_c() * lane + i / sums]);
      const uint32_t is = sums == 1 ? bits : bits >> (i % 2 * 16) & 0xffff;
      // A sum of zeros may be one of either sign.
      RC_ASSERT(is == Encoded(product.sum, sum) || (sum == 0 && (is & 0x7fff7fff) == 0));
    }
  }
}

// Bits below those of a TF32 are not read.
TEST(Matrices, TheLowBitsOfTf32AreNotRead) {
  const FloatProduct product{"tf32", 32, 4};
  const int all = product.of_a() + product.of_b() + product.of_c();
  std::vector<int32_t> input(int64_t{32} * all, 0);
  for (int lane = 0; lane < 32; ++lane) {
    for (int k = 0; k < product.of_a() + product.of_b(); ++k)
      input[lane * all + k] = std::bit_cast<int32_t>(1.0f) | 0x1fff;
  }
  const TestRun run =
      RunKernel({.body = BodyOf(product), .threads = 32, .input = input, .outputs = 128});
  EXPECT_EQ(run.Claims(), "");
  for (int32_t bits : run.output) EXPECT_EQ(std::bit_cast<float>(bits), 4.0f);
}

// cvt.rna.tf32.f32: to the nearest, of two the one further from zero.
TEST(Matrices, RoundsToTf32) {
  const TestRun run = RunKernel(
      {.body = "%p = getelementptr i32, ptr %in, i32 %t\n%x = load float, ptr %p\n"
               "%y = call float asm \"cvt.rna.tf32.f32 $0, $1;\", \"=r,r\"(float %x)\n"
               "%q = getelementptr i32, ptr %out, i32 %t\nstore float %y, ptr %q\nret void",
       .threads = 8,
       .input = {0x3f800fff, 0x3f801000, 0x3f801001, static_cast<int32_t>(0xbf801000), 0x3f803000,
                 0x7f7fffff, 0x7f800000, 0x7fc00001},
       .outputs = 8});
  EXPECT_EQ(run.Claims(), "");
  EXPECT_EQ(run.output, (std::vector<int32_t>{0x3f800000, 0x3f802000, 0x3f802000,
                                              static_cast<int32_t>(0xbf802000), 0x3f804000,
                                              0x7f800000, 0x7f800000, 0x7fc00001}));
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
           "mma.sync.aligned.m16n8k8.row.col.f32.f16.bf16.f32",
           "mma.sync.aligned.m16n8k8.row.col.f32.f32.f32.f32",
           "mma.sync.aligned.m16n8k8.row.col.bf16.bf16.bf16.bf16",
           "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f32",
           "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64",
           "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32",
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

// Where the PTX ISA draws pieces of 16 bytes: in an atom of eight lines, line by line, the piece's
// number combined with the line's; the atoms of a matrix a stride apart, or a leading offset.
TEST(Matrices, LieInSharedMemoryAsTheirDescriptorSays) {
  for (int64_t row : {32, 64, 128}) {
    const uint64_t swizzle = row == 128 ? 1 : row == 64 ? 2 : 3;
    const auto matrix = kernel::FindMatrixDescriptor(swizzle << 62 | uint64_t{4096 / 16} << 32 |
                                                     uint64_t{16384 / 16} << 16 | 1024 / 16);
    ASSERT_TRUE(matrix);
    std::set<int64_t> places;
    for (int64_t line = 0; line < 32; ++line) {
      for (int64_t byte = 0; byte < row; ++byte) {
        // Two lines of 64 bytes, or four of 32, are as wide as one of 128, and count as one.
        const int64_t lines_of_one = 128 / row, pieces = row / 16;
        const int64_t piece = byte / 16 ^ (line % 8 / lines_of_one % pieces);
        const int64_t place = 1024 + line / 8 * 4096 + line % 8 * row + piece * 16 + byte % 16;
        EXPECT_EQ(matrix->AddressOf(line, byte, true), place);
        EXPECT_EQ(matrix->AddressOf(line, byte, false), place);
        EXPECT_EQ(matrix->AddressOf(line, byte + row, false), place + 16384);
        places.insert(place);
      }
    }
    EXPECT_EQ(std::ssize(places), 32 * row);
  }
  // Without a swizzle the two offsets change their parts.
  const auto plain =
      kernel::FindMatrixDescriptor(uint64_t{256 / 16} << 32 | uint64_t{128 / 16} << 16);
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->AddressOf(9, 17, true), 256 + 16 + 128 + 1);
  EXPECT_EQ(plain->AddressOf(9, 17, false), 128 + 16 + 256 + 1);
  // Bits that nothing is known of, and an atom whose base is moved.
  for (int bit : {14, 15, 30, 31, 46, 47, 49, 52, 61})
    EXPECT_FALSE(kernel::FindMatrixDescriptor(uint64_t{1} << bit)) << bit;
}

TEST(Matrices, ProductsOfWarpGroupsAreThoseOfThePtxIsa) {
  auto known = [](llvm::StringRef opcode) {
    llvm::SmallVector<llvm::StringRef> parts;
    opcode.split(parts, '.');
    return kernel::FindWarpGroupProduct(parts).has_value();
  };
  for (const char* right :
       {"m64n8k16.f32.bf16.bf16", "m64n256k16.f32.f16.f16", "m64n16k16.f16.f16.f16",
        "m64n24k8.f32.tf32.tf32", "m64n32k32.f32.e4m3.e5m2", "m64n32k32.s32.s8.u8",
        "m64n32k32.satfinite.s32.u8.u8"})
    EXPECT_TRUE(known(std::string("wgmma.mma_async.sync.aligned.") + right)) << right;
  for (const char* wrong :
       {"m64n12k16.f32.f16.f16", "m64n264k16.f32.f16.f16", "m64n0k16.f32.f16.f16",
        "m32n8k16.f32.f16.f16", "m64n8k8.f32.f16.f16", "m64n8k16.f32.f16.bf16",
        "m64n8k16.f16.bf16.bf16", "m64n8k8.f32.f32.f32", "m64n8k4.f64.f64.f64",
        "m64n8k64.s32.s4.s4", "m64n8k32.s32.s8.e4m3", "m64n8k16.satfinite.f32.f16.f16",
        "sp.m64n8k32.f32.f16.f16"})
    EXPECT_FALSE(known(std::string("wgmma.mma_async.sync.aligned.") + wrong)) << wrong;
  EXPECT_FALSE(known("wgmma.mma_async.sync.m64n8k16.f32.f16.f16"));
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
