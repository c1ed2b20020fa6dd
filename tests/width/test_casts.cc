// The rewrites of index casts, against all values of small types.
#include <gtest/gtest.h>

#include "verify/width/casts.h"

namespace affirm {
namespace {

using Kind = CastRewrite::Kind;

std::vector<CastRewrite> Rewrites(unsigned bits) {
  std::vector<CastRewrite> all;
  for (Kind kind : {Kind::kCastOfCast, Kind::kConstant}) {
    for (bool is_unsigned : {false, true}) {
      for (bool from_index : {true, false}) {
        all.push_back({kind, is_unsigned, from_index, bits});
        if (kind == Kind::kConstant) continue;
        all.push_back(all.back());
        all.back().mixed = true;
      }
    }
  }
  return all;
}

Verdict Decided(CastRewrite rewrite, IndexWidths widths) {
  return ProveCastRewrite(rewrite, widths).verdict;
}

// Whether a rewrite of small types is sound at one width, by trying every value.
bool SoundByTrying(const CastRewrite& rewrite, unsigned index_bits) {
  unsigned bits = rewrite.from_index ? index_bits : rewrite.bits;
  for (uint64_t v = 0; v < uint64_t{1} << bits; ++v) {
    CastSides sides = EvaluateCasts(rewrite, index_bits, llvm::APInt(bits, v));
    if (sides.before && *sides.before != sides.after) return false;
  }
  return true;
}

TEST(CastsTest, CastsOfCastsAreSoundWhereEveryValueSaysSo) {
  for (unsigned bits = 1; bits <= 7; ++bits) {
    for (CastRewrite rewrite : Rewrites(bits)) {
      if (rewrite.kind == Kind::kConstant && rewrite.from_index) continue;  // 64 bits are too many
      for (int exact = 0; exact < 4; ++exact) {
        rewrite.exact_inner = exact & 1;
        rewrite.exact_outer = exact & 2;
        for (unsigned n = 1; n <= 8; ++n) {
          bool sound = SoundByTrying(rewrite, n);
          EXPECT_EQ(Decided(rewrite, IndexWidths::Exactly(n)),
                    sound ? Verdict::kProved : Verdict::kRefuted)
              << ToString(rewrite) << " exact " << exact << " index " << n;
        }
      }
    }
  }
}

// index -> iM -> index is the identity without exact iff M >= N, iM -> index -> iM iff M <= N; with
// exact on the inner cast both are, on the outer one alone neither is more than before.
TEST(CastsTest, SoundExactlyWithExactOnTheInnerCast) {
  for (unsigned bits : {1u, 8u, 32u, 63u, 64u}) {
    for (CastRewrite rewrite : Rewrites(bits)) {
      if (rewrite.kind == Kind::kConstant) continue;
      for (unsigned n = 8; n <= 64; ++n) {
        rewrite.exact_inner = rewrite.exact_outer = false;
        bool plain = rewrite.from_index ? bits >= n : bits <= n;
        auto widths = IndexWidths::Exactly(n);
        EXPECT_EQ(Decided(rewrite, widths), plain ? Verdict::kProved : Verdict::kRefuted)
            << ToString(rewrite) << " index " << n;
        rewrite.exact_inner = true;
        // A mixed pair reads a value below 0, or one past the largest signed one, in two ways.
        EXPECT_EQ(Decided(rewrite, widths),
                  plain || !rewrite.mixed ? Verdict::kProved : Verdict::kRefuted)
            << ToString(rewrite) << n;
        rewrite.exact_inner = false;
        rewrite.exact_outer = true;
        EXPECT_EQ(Decided(rewrite, widths), plain ? Verdict::kProved : Verdict::kRefuted)
            << ToString(rewrite) << " outer, index " << n;
      }
    }
  }
}

// 0x80 as an index of 8 bits: index_cast keeps it as -128 of i16, and index_castui to an index of
// 16 bits would not. Exact does not exclude that.
TEST(CastsTest, MixedPairsNeedTheWidthAndNotExact) {
  CastRewrite mixed{.from_index = false, .bits = 16, .exact_inner = true, .exact_outer = true};
  mixed.mixed = true;
  EXPECT_EQ(ToString(mixed), "index_castui(index_cast(x)) -> x, i16 -> index -> i16");
  EXPECT_EQ(Decided(mixed, IndexWidths::AtLeast(16)), Verdict::kProved);
  CastResult answer = ProveCastRewrite(mixed, IndexWidths::Exactly(8));
  ASSERT_EQ(answer.verdict, Verdict::kRefuted);
  EXPECT_TRUE(answer.counterexample->x.isNegative());
  EXPECT_FALSE(answer.counterexample->after.isNonNegative());
}

TEST(CastsTest, ConstantsFoldSoundlyWithExact) {
  for (unsigned bits : {8u, 32u, 64u}) {
    for (CastRewrite rewrite : Rewrites(bits)) {
      if (rewrite.kind != Kind::kConstant) continue;
      for (unsigned n = 8; n <= 64; ++n) {
        rewrite.exact_inner = false;
        // A constant that becomes an index is written with enough bits; one that is an index may be
        // written with more than the index has.
        bool plain = !rewrite.from_index || bits <= n;
        EXPECT_EQ(Decided(rewrite, IndexWidths::Exactly(n)),
                  plain ? Verdict::kProved : Verdict::kRefuted)
            << ToString(rewrite) << " index " << n;
        rewrite.exact_inner = true;
        EXPECT_EQ(Decided(rewrite, IndexWidths::Exactly(n)), Verdict::kProved)
            << ToString(rewrite) << " index " << n;
      }
    }
  }
}

TEST(CastsTest, AtLeastSoManyBits) {
  for (unsigned bits : {8u, 32u, 64u}) {
    for (unsigned least : {8u, 16u, 32u, 64u}) {
      for (CastRewrite rewrite : Rewrites(bits)) {
        if (rewrite.kind == Kind::kConstant) continue;
        auto widths = IndexWidths::AtLeast(least);
        CastResult plain = ProveCastRewrite(rewrite, widths);
        bool sound = !rewrite.from_index && bits <= least;
        ASSERT_EQ(plain.verdict, sound ? Verdict::kProved : Verdict::kRefuted)
            << ToString(rewrite) << " at least " << least << plain.reason;
        if (!sound) {
          EXPECT_TRUE(widths.Contains(plain.counterexample->index_bits));
        }
        rewrite.exact_inner = true;
        EXPECT_EQ(Decided(rewrite, widths),
                  sound || !rewrite.mixed ? Verdict::kProved : Verdict::kRefuted)
            << ToString(rewrite) << least;
      }
    }
  }
}

// A 64-bit number is not enough to write down what an unsigned i64 is as a wider index.
TEST(CastsTest, AnUnsignedI64FoldsWronglyIntoAWiderIndex) {
  CastRewrite fold{Kind::kConstant, /*is_unsigned=*/true, /*from_index=*/false, 64, true};
  CastResult answer = ProveCastRewrite(fold, IndexWidths::AtLeast(64));
  ASSERT_EQ(answer.verdict, Verdict::kRefuted);
  EXPECT_GT(answer.counterexample->index_bits, 64u);
  fold.bits = 63;
  EXPECT_EQ(Decided(fold, IndexWidths::AtLeast(64)), Verdict::kProved);
}

// The example of the MLIR RFC on index casts: 0x8000 as an index of 16 bits goes through i8 to 0.
TEST(CastsTest, ThroughEightBits) {
  CastRewrite rewrite{.bits = 8};
  CastSides sides = EvaluateCasts(rewrite, 16, llvm::APInt(16, 0x8000));
  EXPECT_EQ(*sides.before, 0u);
  EXPECT_EQ(sides.after, 0x8000u);
  rewrite.exact_inner = true;
  EXPECT_FALSE(EvaluateCasts(rewrite, 16, llvm::APInt(16, 0x8000)).before);
}

// index_cast(extsi(x)) is index_cast(x) at every width, and so with zeros; not so where they mix.
TEST(CastsTest, AnExtensionInFrontOfACastSaysNothing) {
  auto cast = [](const llvm::APInt& x, unsigned bits, bool is_unsigned) {
    return is_unsigned ? x.zextOrTrunc(bits) : x.sextOrTrunc(bits);
  };
  for (bool is_unsigned : {false, true}) {
    bool mixed_differs = false;
    for (unsigned bits = 1; bits <= 5; ++bits) {
      for (unsigned wide = bits + 1; wide <= 7; ++wide) {
        for (unsigned index = 1; index <= 9; ++index) {
          for (uint64_t v = 0; v < uint64_t{1} << bits; ++v) {
            llvm::APInt x(bits, v);
            llvm::APInt extended = cast(x, wide, is_unsigned);
            EXPECT_EQ(cast(extended, index, is_unsigned), cast(x, index, is_unsigned));
            mixed_differs |= cast(extended, index, !is_unsigned) != cast(x, index, !is_unsigned);
          }
        }
      }
    }
    EXPECT_TRUE(mixed_differs);
  }
}

// When `exact` may be set by the types alone.
TEST(CastsTest, LosslessByTheTypesAlone) {
  for (bool is_unsigned : {false, true}) {
    for (unsigned least : {16u, 32u}) {
      for (unsigned most : {32u, 64u}) {
        for (unsigned bits : {8u, 16u, 32u, 48u, 64u}) {
          auto lossless = [&](bool from_index) {
            return ProveLossless(from_index, is_unsigned, bits, {least, most}).verdict;
          };
          EXPECT_EQ(lossless(false), bits <= least ? Verdict::kProved : Verdict::kRefuted);
          // "The target is at least the lower bound" is not enough for a cast from index.
          EXPECT_EQ(lossless(true), bits >= most ? Verdict::kProved : Verdict::kRefuted);
        }
      }
    }
  }
}

}  // namespace
}  // namespace affirm
