// Kernels of one operation, spelled as LLVM or a person would: conversions between floats,
// saturating conversions to integers, clamps, signs, magnitudes, roundings to integers. Each is
// proved, and the one beside it, wrong at few values, is not.
#include <gtest/gtest.h>

#include "core/hlo/text.h"
#include "driver/validate/validate.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace affirm::driver {
namespace {

// From x of a type to r of a type. In the code, `{a~b}` is `a` in the kernel that is right, and `b`
// in the one that is wrong.
struct Form {
  std::string name, from, to;
  std::string hlo;  // of p, an array; the last line is the result
  std::string code;
};

// ---- conversions from f32

// x of f32 in registers: its bits, its magnitude, whether it is NaN.
const std::string kBitsOfX =
    "  %b = bitcast float %x to i32\n"
    "  %m = and i32 %b, 2147483647\n"
    "  %nan = fcmp uno float %x, %x\n";

// The last place of the magnitude that is kept, and the magnitude rounded there.
std::string Rounded(int dropped) {
  const std::string half = std::to_string((1 << (dropped - 1)) - 1);
  return "  %shifted = lshr i32 %m, " + std::to_string(dropped) +
         "\n  %odd = and i32 %shifted, 1\n  %half = add i32 %odd, " + half +
         "\n  %raised = add i32 %m, %half\n  %kept = lshr i32 %raised, " + std::to_string(dropped) +
         "\n";
}

// A narrow float by integers: normal numbers rounded and moved, subnormal ones by an addition.
struct Narrow {
  int dropped, bias_difference, lowest_bits, anchor_bits, largest, infinity, nan, width;
};
constexpr Narrow kE4M3 = {20, 960, 1015021568, 1182793728, 126, 127, 127, 8};
constexpr Narrow kE5M2 = {21, 448, 947912704, 1124073472, 123, 124, 127, 8};
constexpr Narrow kHalf = {13, 114688, 947912704, 1056964608, 31743, 31744, 32256, 16};

std::string Codes(const Narrow& n) {
  const std::string anchor = std::to_string(n.anchor_bits);
  return kBitsOfX + Rounded(n.dropped) + "  %normal = add i32 %kept, -" +
         std::to_string(n.bias_difference) +
         "\n  %magnitude = bitcast i32 %m to float\n  %anchor = bitcast i32 " + anchor +
         " to float\n  %sum = fadd float %magnitude, %anchor\n"
         "  %sum_bits = bitcast float %sum to i32\n  %small = sub i32 %sum_bits, " +
         anchor + "\n";
}

std::string Number(int number) { return std::to_string(number); }

// The spellings: which number is chosen when, and how the sign comes back.
std::string BySmin(const Narrow& n) {
  return Codes(n) + "  %is_small = icmp ult i32 %m, {" + Number(n.lowest_bits) + "~" +
         Number(n.lowest_bits - (1 << 23)) +
         "}\n  %code = select i1 %is_small, i32 %small, i32 %normal\n"
         "  %limited = call i32 @llvm.smin.i32(i32 %code, i32 " +
         Number(n.infinity) + ")\n  %number = select i1 %nan, i32 " + Number(n.nan) +
         ", i32 %limited\n  %s = lshr i32 %b, 31\n  %sign = shl i32 %s, " + Number(n.width - 1) +
         "\n  %signed = or i32 %number, %sign\n  %r = trunc i32 %signed to i" + Number(n.width) +
         "\n";
}

std::string ByCompares(const Narrow& n) {
  return Codes(n) + "  %is_normal = icmp ugt i32 %m, " + Number(n.lowest_bits - 1) +
         "\n  %code = select i1 %is_normal, i32 %normal, i32 %small\n  %beyond = icmp sgt i32 "
         "%code, {" +
         Number(n.largest) + "~" + Number(n.largest - 1) +
         "}\n  %limited = select i1 %beyond, i32 " + Number(n.infinity) +
         ", i32 %code\n  %number = select i1 %nan, i32 " + Number(n.nan) +
         ", i32 %limited\n  %negative = icmp slt i32 %b, 0\n  %sign = select i1 %negative, i32 " +
         Number(1 << (n.width - 1)) +
         ", i32 0\n  %signed = add i32 %number, %sign\n  %r = trunc i32 "
         "%signed to i" +
         Number(n.width) + "\n";
}

std::string BySignedTrunc(const Narrow& n) {
  return Codes(n) + "  %is_small = icmp slt i32 %m, " + Number(n.lowest_bits) +
         "\n  %code = select i1 %is_small, i32 %small, i32 %normal\n  %beyond = icmp ugt i32 %m, "
         "{2139095040~2139095039}\n"
         "  %limited = call i32 @llvm.umin.i32(i32 %code, i32 " +
         Number(n.infinity) + ")\n  %number = select i1 %beyond, i32 " + Number(n.nan) +
         ", i32 %limited\n  %s = ashr i32 %b, 31\n  %sign = and i32 %s, " +
         Number(1 << (n.width - 1)) +
         "\n  %signed = xor i32 %number, %sign\n  %r = trunc i32 %signed "
         "to i" +
         Number(n.width) + "\n";
}

std::string FromHalfBits(const std::string& code) {
  return llvm::StringRef(code).contains("trunc i32 %signed to i16")
             ? std::string(code).replace(code.find("%r = trunc"), 10, "%rb = trunc") +
                   "  %r = bitcast i16 %rb to half\n"
             : code;
}

// The same of a bf16, whose f32 is its bits.
std::string OfBFloat(std::string code) {
  return "  %xb = bitcast bfloat %x to i16\n  %xw = zext i16 %xb to i32\n  %xs = shl i32 %xw, 16\n"
         "  %y = bitcast i32 %xs to float\n" +
         [&] {
           for (size_t at; (at = code.find("float %x")) != std::string::npos;)
             code.replace(at, 8, "float %y");
           for (size_t at; (at = code.find("%y, %x")) != std::string::npos;)
             code.replace(at, 6, "%y, %y");
           return code;
         }();
}

void AddConversions(std::vector<Form>& forms) {
  auto convert = [](const std::string& to) { return "r = " + to + "[128] convert(p)"; };
  const std::string e4m3 = "f8e4m3fn", e5m2 = "f8e5m2";
  // Infinities of f8e4m3fn are NaN, too: 0x7f, of a limit of 127.
  forms.push_back({"f32_e4m3_smin", "f32", e4m3, convert(e4m3), BySmin(kE4M3)});
  forms.push_back({"f32_e4m3_compares", "f32", e4m3, convert(e4m3), ByCompares(kE4M3)});
  forms.push_back({"f32_e5m2_smin", "f32", e5m2, convert(e5m2), BySmin(kE5M2)});
  forms.push_back({"f32_f16_smin", "f32", "f16", convert("f16"), FromHalfBits(BySmin(kHalf))});
  forms.push_back(
      {"f32_f16_compares", "f32", "f16", convert("f16"), FromHalfBits(ByCompares(kHalf))});
  forms.push_back({"bf16_e4m3_smin", "bf16", e4m3, convert(e4m3), OfBFloat(BySmin(kE4M3))});
  forms.push_back({"bf16_e4m3_compares", "bf16", e4m3, convert(e4m3), OfBFloat(ByCompares(kE4M3))});
  forms.push_back({"bf16_e5m2_smin", "bf16", e5m2, convert(e5m2), OfBFloat(BySmin(kE5M2))});
  forms.push_back({"bf16_e5m2_compares", "bf16", e5m2, convert(e5m2), OfBFloat(ByCompares(kE5M2))});
  forms.push_back(
      {"bf16_e5m2_signed", "bf16", e5m2, convert(e5m2), OfBFloat(BySignedTrunc(kE5M2))});
  forms.push_back(
      {"bf16_f16_smin", "bf16", "f16", convert("f16"), OfBFloat(FromHalfBits(BySmin(kHalf)))});
  forms.push_back({"bf16_f16_signed", "bf16", "f16", convert("f16"),
                   OfBFloat(FromHalfBits(BySignedTrunc(kHalf)))});
  const std::string to_bfloat = "  %t = trunc i32 %n to i16\n  %r = bitcast i16 %t to bfloat\n";
  forms.push_back({"f32_bf16_odd", "f32", "bf16", convert("bf16"),
                   kBitsOfX +
                       "  %h = lshr i32 %b, 16\n  %o = and i32 %h, 1\n"
                       "  %a = add i32 %o, {32767~32768}\n  %s = add i32 %b, %a\n"
                       "  %q = lshr i32 %s, 16\n  %n = select i1 %nan, i32 32704, i32 %q\n" +
                       to_bfloat});
  forms.push_back({"f32_bf16_quiet", "f32", "bf16", convert("bf16"),
                   kBitsOfX +
                       "  %h = lshr i32 %b, 16\n  %o = and i32 %h, 1\n"
                       "  %a = add i32 %o, 32767\n  %s = add i32 %b, %a\n  %q = lshr i32 %s, 16\n"
                       "  %big = icmp u{gt~ge} i32 %m, 2139095040\n  %quiet = or i32 %h, 64\n"
                       "  %n = select i1 %big, i32 %quiet, i32 %q\n" +
                       to_bfloat});
  forms.push_back({"f32_bf16_rest", "f32", "bf16", convert("bf16"),
                   kBitsOfX +
                       "  %h = lshr i32 %b, 16\n  %rest = and i32 %b, 65535\n"
                       "  %o = trunc i32 %h to i1\n  %more = icmp u{gt~ge} i32 %rest, 32768\n"
                       "  %tie = icmp eq i32 %rest, 32768\n  %up = and i1 %tie, %o\n"
                       "  %any = or i1 %more, %up\n  %one = zext i1 %any to i32\n"
                       "  %q = add i32 %h, %one\n  %n = select i1 %nan, i32 32704, i32 %q\n" +
                       to_bfloat});
}

// ---- saturating conversions

void AddSaturations(std::vector<Form>& forms) {
  auto convert = [](const std::string& to) { return "r = " + to + "[128] convert(p)"; };
  const std::string wide = "  %i = call i32 @llvm.fptosi.sat.i32.f16(half %x)\n";
  forms.push_back({"f16_s8_minmax", "f16", "s8", convert("s8"),
                   wide + "  %a = call i32 @llvm.smin.i32(i32 %i, i32 {127~126})\n"
                          "  %c = call i32 @llvm.smax.i32(i32 %a, i32 -128)\n"
                          "  %r = trunc i32 %c to i8\n"});
  forms.push_back({"f16_s8_select", "f16", "s8", convert("s8"),
                   wide + "  %h = icmp sgt i32 %i, 127\n  %a = select i1 %h, i32 127, i32 %i\n"
                          "  %l = icmp slt i32 %a, {-128~-127}\n"
                          "  %c = select i1 %l, i32 {-128~-127}, i32 %a\n"
                          "  %r = trunc i32 %c to i8\n"});
  forms.push_back({"f16_s8_extended", "f16", "s8", convert("s8"),
                   wide + "  %s = shl i32 %i, 24\n  %e = ashr i32 %s, 24\n"
                          "  %f = icmp eq i32 %e, %i\n  %n = ashr i32 %i, 31\n"
                          "  %o = xor i32 %n, {127~126}\n"
                          "  %c = select i1 %f, i32 %i, i32 %o\n  %r = trunc i32 %c to i8\n"});
  forms.push_back({"f16_u8_minmax", "f16", "u8", convert("u8"),
                   wide + "  %a = call i32 @llvm.smax.i32(i32 %i, i32 {0~1})\n"
                          "  %c = call i32 @llvm.smin.i32(i32 %a, i32 255)\n"
                          "  %r = trunc i32 %c to i8\n"});
  forms.push_back({"f16_u8_mask", "f16", "u8", convert("u8"),
                   wide + "  %n = ashr i32 %i, 31\n  %k = xor i32 %n, -1\n"
                          "  %p = and i32 %i, %k\n  %h = icmp u{gt~ge} i32 %p, 255\n"
                          "  %c = select i1 %h, i32 {255~254}, i32 %p\n"
                          "  %r = trunc i32 %c to i8\n"});
  forms.push_back({"f16_u8_clamped", "f16", "u8", convert("u8"),
                   "  %lo = call half @llvm.maxnum.f16(half %x, half 0xH0000)\n"
                   "  %hi = call half @llvm.minnum.f16(half %lo, half {0xH5BF8~0xH5BF0})\n"
                   "  %i = call i32 @llvm.fptosi.sat.i32.f16(half %hi)\n"
                   "  %nan = fcmp uno half %x, %x\n  %c = select i1 %nan, i32 0, i32 %i\n"
                   "  %r = trunc i32 %c to i8\n"});
  forms.push_back({"f16_s16_minmax", "f16", "s16", convert("s16"),
                   wide + "  %a = call i32 @llvm.smin.i32(i32 %i, i32 {32767~32766})\n"
                          "  %c = call i32 @llvm.smax.i32(i32 %a, i32 -32768)\n"
                          "  %r = trunc i32 %c to i16\n"});
  forms.push_back(
      {"bf16_s8_clamped", "bf16", "s8", convert("s8"),
       "  %f = fpext bfloat %x to float\n"
       "  %lo = call float @llvm.maxnum.f32(float %f, float -1.280000e+02)\n"
       "  %hi = call float @llvm.minnum.f32(float %lo, float {1.270000e+02~1.260000e+02})\n"
       "  %i = call i32 @llvm.fptosi.sat.i32.f32(float %hi)\n"
       "  %nan = fcmp uno float %f, %f\n  %c = select i1 %nan, i32 0, i32 %i\n"
       "  %r = trunc i32 %c to i8\n"});
}

// ---- clamps, magnitudes, signs

void AddClamps(std::vector<Form>& forms) {
  const std::string clamp =
      "lo = f16[] constant(-1)\nhi = f16[] constant(2)\nr = f16[128] clamp(lo, p, hi)";
  forms.push_back({"clamp_numbers", "f16", "f16", clamp,
                   "  %a = call half @llvm.maxnum.f16(half %x, half -1.000000e+00)\n"
                   "  %c = call half @llvm.minnum.f16(half %a, half 2.000000e+00)\n"
                   "  %nan = fcmp {uno half %x, %x~ult half %x, 0xHFB00}\n"
                   "  %r = select i1 %nan, half %x, half %c\n"});
  forms.push_back({"clamp_selects", "f16", "f16", clamp,
                   "  %l = fcmp olt half %x, -1.000000e+00\n"
                   "  %a = select i1 %l, half -1.000000e+00, half %x\n"
                   "  %h = fcmp {ogt~ugt} half %a, 2.000000e+00\n"
                   "  %r = select i1 %h, half 2.000000e+00, half %a\n"});
  forms.push_back({"clamp_bits", "f16", "f16", clamp,
                   "  %b = bitcast half %x to i16\n  %m = and i16 %b, 32767\n"
                   "  %nan = icmp ugt i16 %m, 31744\n  %n = icmp slt i16 %b, 0\n"
                   "  %limit = select i1 %n, i16 15360, i16 {16384~16385}\n"
                   "  %c = call i16 @llvm.umin.i16(i16 %m, i16 %limit)\n"
                   "  %s = and i16 %b, -32768\n  %j = or i16 %c, %s\n"
                   "  %k = select i1 %nan, i16 %b, i16 %j\n  %r = bitcast i16 %k to half\n"});
  const std::string relu =
      "z = bf16[] constant(0)\nzs = bf16[128] broadcast(z), dimensions={}\n"
      "r = bf16[128] maximum(p, zs)";
  forms.push_back({"relu_bits", "bf16", "bf16", relu,
                   "  %b = bitcast bfloat %x to i16\n  %m = and i16 %b, 32767\n"
                   "  %nan = icmp ugt i16 %m, {32640~32639}\n  %n = icmp slt i16 %b, 0\n"
                   "  %c = select i1 %n, i16 0, i16 %b\n"
                   "  %k = select i1 %nan, i16 32704, i16 %c\n  %r = bitcast i16 %k to bfloat\n"});
  forms.push_back({"relu_mask", "bf16", "bf16", relu,
                   "  %b = bitcast bfloat %x to i16\n  %s = ashr i16 %b, 15\n"
                   "  %k = xor i16 %s, -1\n  %a = and i16 %b, %k\n  %y = bitcast i16 %a to bfloat\n"
                   "  %f = fpext bfloat %x to float\n  %nan = fcmp {uno float %f, %f~ult float %f, "
                   "-3.000000e+38}\n"
                   "  %r = select i1 %nan, bfloat %x, bfloat %y\n"});
  forms.push_back({"relu_select", "bf16", "bf16", relu,
                   "  %f = fpext bfloat %x to float\n  %n = fcmp {ole~ule} float %f, 0.000000e+00\n"
                   "  %r = select i1 %n, bfloat 0xR0000, bfloat %x\n"});
  const std::string abs = "r = f16[128] abs(p)";
  forms.push_back(
      {"abs_shifts", "f16", "f16", abs,
       "  %b = bitcast half %x to i16\n  %d = shl i16 %b, 1\n  %m = lshr i16 %d, {1~2}\n"
       "  %r = bitcast i16 %m to half\n"});
  forms.push_back({"abs_selects", "f16", "f16", abs,
                   "  %p = fcmp ogt half %x, 0.000000e+00\n  %s = fsub half 0.000000e+00, %x\n"
                   "  %r = select i1 %p, half %x, half {%s~0xH0000}\n"});
  forms.push_back({"abs_maximum", "f16", "f16", abs,
                   "  %n = fneg half %x\n"
                   "  %r = call half @llvm.m{ax~in}imum.f16(half %x, half %n)\n"});
  const std::string sign = "r = f16[128] sign(p)";
  const std::string keeps =
      "  %z = fcmp {ueq~oeq} half %x, 0.000000e+00\n"
      "  %r = select i1 %z, half %x, half %y\n";
  forms.push_back({"sign_bits", "f16", "f16", sign,
                   "  %b = bitcast half %x to i16\n  %s = and i16 %b, -32768\n"
                   "  %o = or i16 %s, 15360\n  %y = bitcast i16 %o to half\n" +
                       keeps});
  forms.push_back({"sign_compares", "f16", "f16", sign,
                   "  %p = fcmp ogt half %x, 0.000000e+00\n"
                   "  %q = select i1 %p, half 1.000000e+00, half %x\n"
                   "  %n = fcmp {olt~ole} half %x, 0.000000e+00\n"
                   "  %r = select i1 %n, half -1.000000e+00, half %q\n"});
  forms.push_back({"sign_difference", "f16", "f16", sign,
                   "  %p = fcmp ogt half %x, 0.000000e+00\n  %n = fcmp olt half %x, 0.000000e+00\n"
                   "  %pi = zext i1 %p to i32\n  %ni = zext i1 %n to i32\n"
                   "  %d = sub i32 %pi, %ni\n  %y = sitofp i32 %d to half\n" +
                       keeps});
}

// ---- roundings to integers

void AddRoundings(std::vector<Form>& forms) {
  const std::string even = "r = f16[128] round-nearest-even(p)";
  const std::string wide = "  %f = fpext half %x to float\n";
  const std::string signed_back =
      "  %c = call float @llvm.copysign.f32(float %d, float %f)\n"
      "  %nan = fcmp uno float %f, %f\n"
      "  %y = fptrunc float %c to half\n  %r = select i1 %nan, half %x, half %y\n";
  forms.push_back({"even_anchor", "f16", "f16", even,
                   wide +
                       "  %a = call float @llvm.fabs.f32(float %f)\n"
                       "  %s = fadd float %a, {8.388608e+06~1.677722e+07}\n"
                       "  %d = fsub float %s, {8.388608e+06~1.677722e+07}\n" +
                       signed_back});
  forms.push_back({"even_middle", "f16", "f16", even,
                   wide + "  %s = fadd float %f, {1.258291e+07~6.291456e+06}\n"
                          "  %d = fsub float %s, {1.258291e+07~6.291456e+06}\n"
                          "  %big = fcmp oge float %f, 6.553600e+04\n"
                          "  %e = select i1 %big, float %f, float %d\n"
                          "  %c = call float @llvm.copysign.f32(float %e, float %f)\n"
                          "  %nan = fcmp uno float %f, %f\n  %y = fptrunc float %c to half\n"
                          "  %r = select i1 %nan, half %x, half %y\n"});
  forms.push_back({"even_ties", "f16", "f16", even,
                   wide +
                       "  %t = call float @llvm.floor.f32(float %f)\n"
                       "  %rest = fsub float %f, %t\n  %h = fmul float %t, 5.000000e-01\n"
                       "  %hf = call float @llvm.floor.f32(float %h)\n"
                       "  %o = fcmp une float %h, %hf\n"
                       "  %more = fcmp o{gt~ge} float %rest, 5.000000e-01\n"
                       "  %tie = fcmp oeq float %rest, 5.000000e-01\n"
                       "  %up = and i1 %tie, %o\n  %any = or i1 %more, %up\n"
                       "  %one = uitofp i1 %any to float\n  %d = fadd float %t, %one\n" +
                       signed_back});
  const std::string away = "r = f16[128] round-nearest-afz(p)";
  forms.push_back({"away_half", "f16", "f16", away,
                   wide +
                       "  %h = call float @llvm.copysign.f32(float 5.000000e-01, float %f)\n"
                       "  %s = fadd float %f, %h\n"
                       "  %d = call float @llvm.{trunc~floor}.f32(float %s)\n" +
                       signed_back});
  forms.push_back({"away_floor", "f16", "f16", away,
                   wide +
                       "  %a = call float @llvm.fabs.f32(float %f)\n"
                       "  %s = fadd float %a, {5.000000e-01~4.980469e-01}\n"
                       "  %d = call float @llvm.floor.f32(float %s)\n" +
                       signed_back});
  forms.push_back({"away_rest", "f16", "f16", away,
                   wide +
                       "  %a = call float @llvm.fabs.f32(float %f)\n"
                       "  %t = call float @llvm.floor.f32(float %a)\n"
                       "  %rest = fsub float %a, %t\n"
                       "  %m = fcmp o{ge~gt} float %rest, 5.000000e-01\n"
                       "  %one = uitofp i1 %m to float\n  %d = fadd float %t, %one\n" +
                       signed_back});
  const std::string floor = "r = f16[128] floor(p)", ceil = "r = f16[128] ceil(p)";
  forms.push_back({"floor_trunc", "f16", "f16", floor,
                   wide + "  %t = call float @llvm.trunc.f32(float %f)\n"
                          "  %g = fcmp o{gt~ge} float %t, %f\n  %one = uitofp i1 %g to float\n"
                          "  %d = fsub float %t, %one\n  %r = fptrunc float %d to half\n"});
  forms.push_back({"floor_ceil", "f16", "f16", floor,
                   "  %n = fneg half %x\n  %c = call half @llvm.{ceil~floor}.f16(half %n)\n"
                   "  %r = fneg half %c\n"});
  forms.push_back(
      {"floor_even", "f16", "f16", floor,
       wide + "  %t = call float @llvm.rint.f32(float %f)\n"
              "  %g = fcmp ogt float %t, %f\n"
              "  %one = select i1 %g, float {1.000000e+00~2.000000e+00}, float 0.000000e+00\n"
              "  %d = fsub float %t, %one\n  %r = fptrunc float %d to half\n"});
  forms.push_back({"ceil_floor", "f16", "f16", ceil,
                   "  %n = fneg half %x\n  %c = call half @llvm.{floor~ceil}.f16(half %n)\n"
                   "  %r = fneg half %c\n"});
  forms.push_back({"ceil_trunc", "f16", "f16", ceil,
                   wide +
                       "  %t = call float @llvm.trunc.f32(float %f)\n"
                       "  %g = fcmp olt float %t, %f\n  %one = uitofp i1 %g to float\n"
                       "  %d = fadd float %t, %one\n" +
                       "  %c = call float @llvm.copysign.f32(float %d, float {%f~%one})\n"
                       "  %nan = fcmp uno float %f, %f\n  %y = fptrunc float %c to half\n"
                       "  %r = select i1 %nan, half %x, half %y\n"});
  forms.push_back({"ceil_even", "f16", "f16", ceil,
                   wide +
                       "  %t = call float @llvm.rint.f32(float %f)\n"
                       "  %g = fcmp o{lt~le} float %t, %f\n  %one = uitofp i1 %g to float\n"
                       "  %d = fadd float %t, %one\n" +
                       signed_back});
}

// How a test names a form.
void PrintTo(const Form& form, std::ostream* os) { *os << form.name; }

std::vector<Form> Forms() {
  std::vector<Form> forms;
  AddConversions(forms);
  AddSaturations(forms);
  AddClamps(forms);
  AddRoundings(forms);
  return forms;
}

// The text with the first of each pair of alternatives, or the second.
std::string Chosen(llvm::StringRef text, bool right) {
  std::string chosen;
  while (!text.empty()) {
    auto [before, rest] = text.split('{');
    chosen += before;
    auto [pair, after] = rest.split('}');
    auto [a, b] = pair.split('~');
    chosen += right ? a : b;
    text = after;
  }
  return chosen;
}

std::string LlvmType(llvm::StringRef type) {
  return llvm::StringSwitch<std::string>(type)
      .Case("f32", "float")
      .Case("f16", "half")
      .Case("bf16", "bfloat")
      .Case("s16", "i16")
      .Default("i8");
}

int Bytes(llvm::StringRef type) { return type == "f32" ? 4 : type.ends_with("16") ? 2 : 1; }

std::string KernelText(const Form& form, bool right) {
  const std::string from = LlvmType(form.from), to = LlvmType(form.to);
  std::string declarations;
  for (const char* function :
       {"i32 @llvm.smin.i32(i32, i32)", "i32 @llvm.smax.i32(i32, i32)",
        "i32 @llvm.umin.i32(i32, i32)", "i16 @llvm.umin.i16(i16, i16)",
        "i32 @llvm.fptosi.sat.i32.f16(half)", "i32 @llvm.fptosi.sat.i32.f32(float)",
        "half @llvm.maxnum.f16(half, half)", "half @llvm.minnum.f16(half, half)",
        "float @llvm.maxnum.f32(float, float)", "float @llvm.minnum.f32(float, float)",
        "half @llvm.maximum.f16(half, half)", "half @llvm.minimum.f16(half, half)",
        "float @llvm.fabs.f32(float)", "float @llvm.copysign.f32(float, float)",
        "float @llvm.floor.f32(float)", "float @llvm.trunc.f32(float)",
        "float @llvm.rint.f32(float)", "half @llvm.ceil.f16(half)", "half @llvm.floor.f16(half)"})
    declarations += std::string("declare ") + function + "\n";
  return "define ptx_kernel void @k(ptr noalias align 16 dereferenceable(" +
         Number(128 * Bytes(form.from)) + ") %in, ptr noalias align 16 dereferenceable(" +
         Number(128 * Bytes(form.to)) +
         ") %out) {\n  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n  %at = zext i32 %tid to "
         "i64\n"
         "  %pin = getelementptr inbounds " +
         from + ", ptr %in, i64 %at\n  %x = load " + from + ", ptr %pin, align " +
         Number(Bytes(form.from)) + "\n" + Chosen(form.code, right) +
         "  %pout = getelementptr inbounds " + to + ", ptr %out, i64 %at\n  store " + to +
         " %r, ptr %pout, align " + Number(Bytes(form.to)) +
         "\n  ret void\n}\ndeclare noundef range(i32 0, 128) i32 "
         "@llvm.nvvm.read.ptx.sreg.tid.x()\n" +
         declarations;
}

std::string LaunchText(const Form& form) {
  auto param = [](const std::string& type, const char* role, int number) {
    return R"({"shape":")" + type + R"([128]","bytes":)" + Number(128 * Bytes(type)) +
           R"(,"role":")" + role + R"(","memory":)" + Number(number) + R"(,"argument":)" +
           Number(number) + R"(,"alignment":16})";
  };
  return R"({"kernel":"k","grid":[1,1,1],"threads":[128,1,1],"params":[)" +
         param(form.from, "input", 0) + "," + param(form.to, "output", 1) + "]}";
}

std::string HloText(const Form& form) {
  std::string body = "  p = " + form.from + "[128] parameter(0)\n";
  for (llvm::StringRef line : llvm::split(form.hlo, '\n'))
    body += (line.starts_with("r = ") ? "  ROOT " : "  ") + line.str() + "\n";
  return "HloModule m\nENTRY e {\n" + body + "}\n";
}

class LemmaKernels : public testing::TestWithParam<Form> {
 protected:
  // Validates the right kernel, or the wrong one.
  void Judge(bool right, Validation& validation) {
    const Form& form = GetParam();
    auto module = hlo::ParseModule(HloText(form), "hlo");
    ASSERT_TRUE(!!module) << llvm::toString(module.takeError());
    auto launch = kernel::ParseLaunch(LaunchText(form), "launch");
    ASSERT_TRUE(!!launch) << llvm::toString(launch.takeError());
    auto ir = kernel::ReadKernelIr(KernelText(form, right), "kernel");
    ASSERT_TRUE(!!ir) << llvm::toString(ir.takeError()) << KernelText(form, right);
    const KernelSubject subject{(*module)->entry, &*ir, *launch};
    validation = Validate(subject, {});
  }

  static std::string Report(const Validation& validation) {
    std::string text;
    llvm::raw_string_ostream os(text);
    PrintReport(os, validation);
    return text;
  }
};

TEST_P(LemmaKernels, AreProved) {
  Validation validation;
  ASSERT_NO_FATAL_FAILURE(Judge(/*right=*/true, validation));
  EXPECT_EQ(validation.verdict, Verdict::kProved)
      << Report(validation) << KernelText(GetParam(), true);
  RecordProperty("rests_on", validation.claims.back().rests_on);
}

TEST_P(LemmaKernels, AreNotProvedWhereTheyAreWrong) {
  Validation validation;
  ASSERT_NO_FATAL_FAILURE(Judge(/*right=*/false, validation));
  EXPECT_NE(validation.verdict, Verdict::kProved)
      << Report(validation) << KernelText(GetParam(), false);
  RecordProperty("verdict", Name(validation.verdict));
}

INSTANTIATE_TEST_SUITE_P(All, LemmaKernels, testing::ValuesIn(Forms()),
                         [](const auto& info) { return info.param.name; });

TEST(LemmaForms, AreFortyOrMore) { EXPECT_GE(Forms().size(), 40u); }

}  // namespace
}  // namespace affirm::driver
