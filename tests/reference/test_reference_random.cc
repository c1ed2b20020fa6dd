// rng-bit-generator: published blocks of the two generators, the order of elements, and the state
// that is returned. XLA's own values are compared in tests/python/xla_differential.py.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/reference/run.h"

namespace affirm::hlo {
namespace {

using P = PrimitiveType;

// (next state, bits)
std::pair<Literal, Literal> Generate(const std::string& algorithm,
                                     const std::vector<uint64_t>& state, P type,
                                     const std::vector<int64_t>& dims) {
  const auto numbers = static_cast<int64_t>(state.size());
  Literal argument(Shape::Array(P::kU64, {numbers}));
  for (int64_t k = 0; k < numbers; ++k) argument.Set(k, state[k]);
  const std::string of_state = Text(P::kU64, {numbers});
  Literal result =
      RunHlo("ENTRY e { s = " + of_state + " parameter(0) ROOT r = (" + of_state + ", " +
                 Text(type, dims) + ") rng-bit-generator(s), algorithm=" + algorithm + " }",
             {argument});
  if (result.tuple().size() != 2) return {};
  return {std::move(result.tuple()[0]), std::move(result.tuple()[1])};
}

template <typename T>
std::vector<T> Elements(const Literal& literal) {
  std::vector<T> elements;
  for (int64_t i = 0; i < literal.NumElements(); ++i) {
    elements.push_back(static_cast<T>(literal.GetInt(i)));
  }
  return elements;
}

std::vector<uint32_t> Block(const std::string& algorithm, const std::vector<uint64_t>& state,
                            int64_t words) {
  return Elements<uint32_t>(Generate(algorithm, state, P::kU32, {words}).second);
}

using Words = std::vector<uint32_t>;
using State = std::vector<uint64_t>;
constexpr uint64_t kOnes = ~uint64_t{0};

// Known answers of Random123, the library of the authors of the generators.
TEST(RandomBits, PublishedBlocks) {
  EXPECT_EQ(Block("rng_three_fry", {0, 0}, 2), Words({0x6b200159, 0x99ba4efe}));
  EXPECT_EQ(Block("rng_three_fry", {kOnes, kOnes}, 2), Words({0x1cb996fc, 0xbb002be7}));
  EXPECT_EQ(Block("rng_three_fry", {0x0370734413198a2e, 0x85a308d3243f6a88}, 2),
            Words({0xc4923a9c, 0x483df7a0}));
  EXPECT_EQ(Block("rng_philox", {0, 0, 0}, 4),
            Words({0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(Block("rng_philox", {kOnes, kOnes, kOnes}, 4),
            Words({0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(Block("rng_philox", {0x299f31d0a4093822, 0x85a308d3243f6a88, 0x0370734413198a2e}, 4),
            Words({0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(RandomBits, TheStateCountsBlocks) {
  auto next = [](const char* algorithm, State state, P type, std::vector<int64_t> dims) {
    return Elements<uint64_t>(Generate(algorithm, state, type, dims).first);
  };
  EXPECT_EQ(next("rng_three_fry", {5, 7}, P::kU32, {}), State({5, 8}));
  EXPECT_EQ(next("rng_three_fry", {5, 7}, P::kU8, {4}), State({5, 9}));
  EXPECT_EQ(next("rng_three_fry", {5, kOnes}, P::kU32, {3, 3}), State({5, 5}));
  EXPECT_EQ(next("rng_three_fry", {5, 7}, P::kS64, {3}), State({5, 10}));
  EXPECT_EQ(next("rng_philox", {5, 7, 9}, P::kU16, {5}), State({5, 9, 9}));
  EXPECT_EQ(next("rng_philox", {5, kOnes, 9}, P::kU64, {5}), State({5, 2, 10}));
  EXPECT_EQ(next("rng_philox", {5, kOnes, kOnes}, P::kU32, {2, 2}), State({5, 0, 0}));
  EXPECT_EQ(next("rng_default", {5, kOnes}, P::kU64, {5}), State({5, 2}));
  for (const char* algorithm : {"rng_three_fry", "rng_philox", "rng_default"}) {
    EXPECT_EQ(next(algorithm, {5, 7}, P::kU32, {0, 3}), State({5, 7}));
  }
}

// Arrays of all sizes and types take their bits from the same sequence of words.
RC_GTEST_PROP(RandomBits, OrderOfElements, (uint64_t key, uint64_t counter)) {
  const int64_t n = *rc::gen::inRange(1, 6);
  for (const char* algorithm : {"rng_three_fry", "rng_philox"}) {
    const auto wide = Elements<uint64_t>(Generate(algorithm, {key, counter}, P::kU64, {n}).second);
    const auto words =
        Elements<uint32_t>(Generate(algorithm, {key, counter}, P::kU32, {2 * n}).second);
    for (int64_t i = 0; i < n; ++i) {
      RC_ASSERT(wide[i] == (uint64_t{words[2 * i + 1]} << 32 | words[2 * i]));
    }
    const auto bytes = Generate(algorithm, {key, counter}, P::kS8, {2 * n}).second;
    for (int64_t i = 0; i < 2 * n; ++i) RC_ASSERT(bytes.GetInt(i) == static_cast<int8_t>(words[i]));
  }
}

// The words of a ThreeFry block are neighbours in the first dimension of even size, else the
// largest.
TEST(RandomBits, NeighboursOfThreeFry) {
  auto bits = [](P type, std::vector<int64_t> dims) {
    return Elements<uint64_t>(Generate("rng_three_fry", {3, 4}, type, std::move(dims)).second);
  };
  const std::vector<uint64_t> blocks = bits(P::kU64, {8});
  auto low = [&](int64_t k) { return blocks[k] & 0xffffffff; };
  auto high = [&](int64_t k) { return blocks[k] >> 32; };
  EXPECT_EQ(bits(P::kU32, {2, 3}), State({low(0), low(1), low(2), high(0), high(1), high(2)}));
  EXPECT_EQ(bits(P::kU32, {3, 2}), State({low(0), high(0), low(1), high(1), low(2), high(2)}));
  EXPECT_EQ(bits(P::kU32, {3, 3}),
            State({low(0), low(1), low(2), high(0), high(1), high(2), low(3), low(4), low(5)}));
  EXPECT_EQ(bits(P::kU32, {1, 3}), State({low(0), high(0), low(1)}));
}

TEST(RandomBits, ErrorsNameTheState) {
  auto error = [](const std::string& algorithm, const std::string& state, const std::string& bits) {
    const auto module = Parse("ENTRY e { s = " + state + " parameter(0) ROOT r = (" + state + ", " +
                              bits + ") rng-bit-generator(s), algorithm=" + algorithm + " }");
    auto result = Interpret(*module->entry, MakeArguments(*module->entry, 1));
    return result ? "" : llvm::toString(result.takeError());
  };
  EXPECT_NE(error("rng_three_fry", "u64[3]", "u32[2]").find("needs a state u64[2]"),
            std::string::npos);
  EXPECT_NE(error("rng_philox", "u64[4]", "u32[2]").find("needs a state u64[2] or u64[3]"),
            std::string::npos);
  EXPECT_NE(error("rng_philox", "u32[3]", "u32[2]").find("needs a state"), std::string::npos);
  // Other algorithms are refused where they are read.
  auto unknown = ParseModule(
      "HloModule m\nENTRY e { s = u64[2] parameter(0)\n"
      "  ROOT r = (u64[2], u32[2]) rng-bit-generator(s), algorithm=rng_mersenne }",
      "test");
  ASSERT_FALSE(unknown);
  EXPECT_NE(llvm::toString(unknown.takeError()).find("the name of an algorithm"),
            std::string::npos);
  EXPECT_NE(error("rng_philox", "u64[2]", "f32[2]").find("no state with integers"),
            std::string::npos);
  EXPECT_EQ(error("rng_default", "u64[2]", "u4[2]"), "");
}

}  // namespace
}  // namespace affirm::hlo
