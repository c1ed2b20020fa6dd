// Each kind of text that is no module of StableHLO, or that HLO cannot express, is refused with an
// error that says so. Beside each stands a text like it that is read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/hlo/text.h"
#include "core/stablehlo/text.h"

namespace affirm::hlo::stablehlo {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// The HLO, or the error.
std::string Read(const std::string& text) {
  auto module = ReadModule(text, "t");
  return module ? ToString(**module) : llvm::toString(module.takeError());
}

struct Refusal {
  const char* head;  // "(%a: tensor<4xf32>) -> tensor<4xf32>"
  const char* body;
  const char* error;  // nullptr: it is read
};

std::string ReadBody(const Refusal& of, const std::string& others = "") {
  return Read("module {\n func.func public @main" + std::string(of.head) + " {\n" + of.body +
              "\n }\n" + others + "}\n");
}

void Check(llvm::ArrayRef<Refusal> table) {
  for (const Refusal& row : table) {
    SCOPED_TRACE(row.body);
    if (row.error == nullptr) {
      EXPECT_THAT(ReadBody(row), Not(HasSubstr("error:")));
    } else {
      EXPECT_THAT(ReadBody(row), HasSubstr(row.error));
    }
  }
}

constexpr const char* kF = "(%a: tensor<4xf32>) -> tensor<4xf32>";
constexpr const char* kI = "(%a: tensor<4xi32>) -> tensor<4xi1>";
constexpr const char* kSquare = "(%a: tensor<4x4xf32>) -> tensor<4x4xf32>";

TEST(StableHloRefuses, NumbersThatDoNotFitTheirTypes) {
  auto rounded = [](const std::string& exponent, const std::string& mantissa) {
    const std::string body =
        "%0 = \"stablehlo.reduce_precision\"(%a) <{exponent_bits = " + exponent +
        " : i32, mantissa_bits = " + mantissa +
        " : i32}> : (tensor<4xf32>) -> tensor<4xf32>\nreturn %0 : tensor<4xf32>";
    return ReadBody({kF, body.c_str(), nullptr});
  };
  EXPECT_THAT(rounded("5", "10"), HasSubstr("exponent_bits=5, mantissa_bits=10"));
  EXPECT_THAT(rounded("4294967301", "10"), HasSubstr("4294967301 is out of range for i32"));
  EXPECT_THAT(rounded("-3000000000", "10"), HasSubstr("-3000000000 is out of range for i32"));
  // A type without a sign has the bits of both.
  EXPECT_THAT(rounded("5", "4294967295"), HasSubstr("mantissa_bits of at least 0"));
  EXPECT_THAT(rounded("0x5", "0x0A"), HasSubstr("exponent_bits=5, mantissa_bits=10"));
}

TEST(StableHloRefuses, TypesThatDiffer) {
  Check({
      {kI,
       "%0 = stablehlo.compare LT, %a, %a : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xi1>\n"
       "return %0 : tensor<4xi1>",
       "t:3:6: error: stablehlo.compare states tensor<4xui32> for %a, which is tensor<4xi32>"},
      {kI,
       "%0 = stablehlo.compare LT, %a, %a : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>\n"
       "return %0 : tensor<4xi1>",
       nullptr},
      {kF, "return %a : tensor<4xi32>", "func.return states tensor<4xi32> for %a"},
      {kF, "return %a, %a : tensor<4xf32>", "expected a type for each of the 2 operands"},
      {kF, "return %a, %a : tensor<4xf32>, tensor<4xf32>", "expected @main to return what it"},
      {"(%a: tensor<4xf32>) -> (tensor<5xi8>, tensor<2xf64>)", "return %a : tensor<4xf32>",
       "(tensor<5xi8> tensor<2xf64>), found (tensor<4xf32>)"},
      {"(%a: tensor<4xf32>)", "return %a : tensor<4xf32>", "expected @main to return what it"},
      {kF, "return %a : tensor<4xf32>", nullptr},
      {"(%a: tensor<4xs32>) -> tensor<4xs32>", "return %a : tensor<4xs32>",
       "HLO has no element type 's32'"},
      {"(%a: tensor<4xPRED>)", "return", "HLO has no element type 'PRED'"},
      {"(%a: tensor<4xindex>)", "return", "HLO has no element type 'index'"},
      {"(%i: tensor<i1>, %a: tensor<f32>) -> tensor<f32>",
       "%0 = \"stablehlo.case\"(%i) ({ stablehlo.return %a : tensor<f32> }) : (tensor<i1>) -> "
       "tensor<f32>\nreturn %0 : tensor<f32>",
       "expected the choice of stablehlo.case to be (tensor<i32>), found (tensor<i1>)"},
      {"(%i: tensor<i32>, %a: tensor<f32>) -> tensor<f32>",
       "%0 = \"stablehlo.case\"(%i) ({ ^bb0(%z: tensor<f32>): stablehlo.return %a : tensor<f32> })"
       " : (tensor<i32>) -> tensor<f32>\nreturn %0 : tensor<f32>",
       "expected branches without arguments"},
      {"(%i: tensor<i32>, %a: tensor<f32>) -> tensor<f32>",
       "%0 = \"stablehlo.case\"(%i) ({ stablehlo.return %a : tensor<f32> }) : (tensor<i32>) -> "
       "tensor<f32>\nreturn %0 : tensor<f32>",
       nullptr},
      {"(%i: tensor<i32>, %a: tensor<f32>) -> tensor<f32>",
       "%0 = \"stablehlo.if\"(%i) ({ stablehlo.return %a : tensor<f32> }, { stablehlo.return %a : "
       "tensor<f32> }) : (tensor<i32>) -> tensor<f32>\nreturn %0 : tensor<f32>",
       "expected the choice of stablehlo.if to be (tensor<i1>)"},
      {"(%a: tensor<i32>, %p: tensor<i1>) -> tensor<i32>",
       "%0 = \"stablehlo.while\"(%a) ({\n^bb0(%x: tensor<i8>): stablehlo.return %p : tensor<i1>\n"
       "}, {\n^bb0(%x: tensor<i32>): stablehlo.return %x : tensor<i32>\n}) : (tensor<i32>) -> "
       "tensor<i32>\nreturn %0 : tensor<i32>",
       "expected the arguments of the condition to be (tensor<i32>), found (tensor<i8>)"},
      {"(%a: tensor<i32>, %p: tensor<i1>) -> tensor<i32>",
       "%0 = \"stablehlo.while\"(%a) ({\n^bb0(%x: tensor<i32>): stablehlo.return %p : tensor<i1>\n"
       "}, {\n^bb0(%x: tensor<i32>): stablehlo.return %x : tensor<i32>\n}) : (tensor<i32>) -> "
       "tensor<i64>\nreturn %a : tensor<i32>",
       "expected the results of the loop to be (tensor<i32>), found (tensor<i64>)"},
      {kF, "%0 = call @f(%a) : (tensor<4xf32>) -> tensor<5xf32>\nreturn %a : tensor<4xf32>",
       "error: no function @f"},
  });
}

TEST(StableHloRefuses, CallsOfOtherTypes) {
  const std::string callee =
      " func.func private @f(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> }\n";
  EXPECT_THAT(
      ReadBody(
          {kF, "%0 = call @f(%a) : (tensor<4xf32>) -> tensor<5xf32>\nreturn %a : tensor<4xf32>",
           nullptr},
          callee),
      HasSubstr("t:3:6: error: expected the types of @f in line 6 at this call"));
  EXPECT_THAT(
      ReadBody(
          {kF, "%0 = call @f(%a) : (tensor<4xf32>) -> tensor<4xf32>\nreturn %0 : tensor<4xf32>",
           nullptr},
          callee),
      HasSubstr("to_apply=%f"));
  EXPECT_THAT(ReadBody({kF, "return %a : tensor<4xf32>", nullptr}, callee + callee),
              HasSubstr("t:6:12: error: the function @f is there twice; first in line 5"));
}

TEST(StableHloRefuses, FaultsInWhatNothingCalls) {
  const Refusal main{kF, "return %a : tensor<4xf32>", nullptr};
  EXPECT_THAT(ReadBody(main,
                       " func.func private @g(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
                       " %0 = bad.op %zz : tensor<4xf32>\n return %0 : tensor<4xf32> }\n"),
              HasSubstr("t:6:7: error: unknown operation 'bad.op'"));
  EXPECT_THAT(ReadBody(main,
                       " func.func private @g(%a: tensor<4xf32>) -> tensor<5xf32> {\n"
                       " %0 = stablehlo.reshape %a : (tensor<4xf32>) -> tensor<5xf32>\n"
                       " return %0 : tensor<5xf32> }\n"),
              HasSubstr("t:6:7: error: as HLO: "));
}

TEST(StableHloRefuses, NamesAndPlaces) {
  Check({
      {kF,
       "%0 = stablehlo.abs %a : tensor<4xf32>\n%0 = stablehlo.negate %a : tensor<4xf32>\n"
       "return %0 : tensor<4xf32>",
       "t:4:6: error: the value %0 is defined twice"},
      {kF, "%a = stablehlo.abs %a : tensor<4xf32>\nreturn %a : tensor<4xf32>",
       "the value %a is defined twice"},
      {"(%a: tensor<f32>, %a: tensor<f32>)", "return", "the value %a is defined twice"},
      {kF,
       "return %a : tensor<4xf32>\n%1 = stablehlo.abs %a : tensor<4xf32>\n"
       "return %1 : tensor<4xf32>",
       "t:4:1: error: expected '}' after 'func.return'"},
      {kF, "stablehlo.return %a : tensor<4xf32>", nullptr},
      {"(%i: tensor<i32>, %a: tensor<f32>)",
       "%0 = \"stablehlo.case\"(%i) ({ return %a : tensor<f32> }) : (tensor<i32>) -> tensor<f32>",
       "expected 'stablehlo.return' here, found 'func.return'"},
      {kF, "%0 = stablehlo.abs %a : tensor<4xf32>", "expected a region that ends in 'func.return'"},
      {kF, "%0 = stablehlo.add ,,((foo %a bar %a, baz = 3))) : tensor<4xf32>",
       "expected a value, such as %0, found ','"},
      {kF, "%0 = stablehlo.add %a, %a foo : tensor<4xf32>", "expected ':' before the types"},
      {kF, "%0, %1 = stablehlo.add %a, %a : tensor<4xf32>", "expected a type for each of the 2"},
      {kF, "%0 = stablehlo.gather %a, %a : tensor<4xf32>", "is read in the generic form alone"},
      {kSquare,
       "%0 = stablehlo.dot_general %a, %a, %a, contracting_dims = [1] x [0] : (tensor<4x4xf32>, "
       "tensor<4x4xf32>) -> tensor<4x4xf32>\nreturn %0 : tensor<4x4xf32>",
       "t:3:36: error: expected the name of an attribute of stablehlo.dot_general"},
      {kSquare,
       "%0 = \"stablehlo.dot_general\"(%a, %a, %a) <{dot_dimension_numbers = #stablehlo.dot<>}> : "
       "(tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4x4x4xf32>",
       "expected 2 operands of stablehlo.dot_general, found 3"},
      {"(%a: tensor<f32> {tf.aliasing_output = 5 : i32}) -> tensor<f32>", "return %a : tensor<f32>",
       "expected tf.aliasing_output of %a to be the number of a result"},
      {"(%a: tensor<f32> {tf.aliasing_output = 0 : i32, jax.buffer_donor = true}) -> tensor<f32>",
       "return %a : tensor<f32>", "found both"},
      {"(%a: tensor<f32> {jax.x = -1 : ui8}) -> tensor<f32>", "return %a : tensor<f32>",
       "the number -1 is not one of ui8"},
      {"(%a: tensor<f32> {jax.x = 2 : f32}) -> tensor<f32>", "return %a : tensor<f32>",
       "the number 2 is not one of f32"},
      {"(%a: tensor<f32> {mhlo.parameter_replication = true}) -> tensor<f32>",
       "return %a : tensor<f32>", "expected mhlo.parameter_replication of %a to be a list"},
      {"(%a: tensor<f32> {tf.aliasing_output = 0 : i32}, %b: tensor<f32> {tf.aliasing_output = 0 : "
       "i32}) -> tensor<f32>",
       "return %a : tensor<f32>", "expected one argument with tf.aliasing_output = 0"},
      {"(%a: tensor<f32> {foo = 1}) -> tensor<f32>", "return %a : tensor<f32>",
       "the attribute 'foo' of an argument is not read"},
  });
  EXPECT_THAT(Read("\"builtin.module\"() ({}) : () -> ()"),
              HasSubstr("t:1:1: error: a module in "));
}

TEST(StableHloRefuses, AttributesThatAreMissingOrOfAnotherKind) {
  const char* iota = "() -> tensor<2x2xi32>";
  const std::string head = "%0 = \"stablehlo.triangular_solve\"(%a, %a) <{left_side = true, ";
  const std::string types =
      " : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>\nreturn %0 : "
      "tensor<4x4xf32>";
  const std::string no_lower = head + "transpose_a = #stablehlo<transpose ADJOINT>}>" + types,
                    unit_lower =
                        head + "lower, transpose_a = #stablehlo<transpose ADJOINT>}>" + types,
                    other_word = head +
                                 "lower = true, unit_diagonal = false, transpose_a = "
                                 "#stablehlo<precision HIGH>}>" +
                                 types,
                    complete = head +
                               "lower = true, unit_diagonal = false, transpose_a = "
                               "#stablehlo<transpose ADJOINT>}>" +
                               types;
  Check({
      {kSquare, no_lower.c_str(), "stablehlo.triangular_solve requires the attribute 'lower'"},
      {kSquare, unit_lower.c_str(), "expected 'lower' to be true or false"},
      {kSquare, other_word.c_str(), "expected 'transpose_a' to be one of the words of transpose"},
      {kSquare, complete.c_str(), nullptr},
      {iota, "%0 = stablehlo.iota dim = 0 {dim = 1 : i64} : tensor<2x2xi32>",
       "t:3:36: error: stablehlo.iota has no attribute 'dim'"},
      {iota, "%0 = stablehlo.iota dim = 0 {iota_dimension = 1 : i64} : tensor<2x2xi32>",
       "the attribute 'iota_dimension' of stablehlo.iota is given twice"},
      {iota,
       "%0 = \"stablehlo.iota\"() <{iota_dimension = 0 : i64}> {iota_dimension = 1 : i64} : () -> "
       "tensor<2x2xi32>",
       "is given twice"},
      {iota,
       "%0 = \"stablehlo.iota\"() <{iota_dimension = 0, iota_dimension = 1}> : () -> "
       "tensor<2x2xi32>",
       "is given twice"},
      {iota, "%0 = \"stablehlo.iota\"() <{iota_dimension = #d}> : () -> tensor<2x2xi32>",
       "no attribute has the name '#d' before this"},
      {iota, "%0 = \"stablehlo.iota\"() <{iota_dimension = \"0\"}> : () -> tensor<2x2xi32>",
       "expected 'iota_dimension' to be an integer of type i64"},
      {iota, "%0 = \"stablehlo.iota\"() <{iota_dimension = 0 : i32}> : () -> tensor<2x2xi32>",
       "expected 'iota_dimension' to be an integer of type i64"},
      {iota,
       "%0 = stablehlo.iota dim = 0 {jax.note = 1, mhlo.sharding = \"x\"} : tensor<2x2xi32>\n"
       "return %0 : tensor<2x2xi32>",
       nullptr},
      {kSquare,
       "%0 = \"stablehlo.transpose\"(%a) <{permutation = dense<[1, 0]> : tensor<2xi64>}> : "
       "(tensor<4x4xf32>) -> tensor<4x4xf32>",
       "expected 'permutation' to be integers, array<i64: ..>"},
      {kSquare,
       "%0 = \"stablehlo.transpose\"(%a) <{permutation = array<i64: 1, 0>}> {dims = [0, 1]} : "
       "(tensor<4x4xf32>) -> tensor<4x4xf32>",
       "stablehlo.transpose has no attribute 'dims'"},
  });
}

TEST(StableHloRefuses, ListsOfAnotherLength) {
  const char* pad_head = "(%a: tensor<4xf32>, %z: tensor<f32>) -> tensor<4xf32>";
  const char* window_head = "(%a: tensor<4x4xf32>, %z: tensor<f32>) -> tensor<3x3xf32>";
  auto window = [](const std::string& part) {
    return "%0 = \"stablehlo.reduce_window\"(%a, %z) <{window_dimensions = array<i64: 2, 2>, " +
           part +
           "}> ({\n^bb0(%x: tensor<f32>, %y: tensor<f32>):\n%1 = stablehlo.add %x, %y : "
           "tensor<f32>\nstablehlo.return %1 : tensor<f32>\n}) : (tensor<4x4xf32>, tensor<f32>) -> "
           "tensor<3x3xf32>\nreturn %0 : tensor<3x3xf32>";
  };
  const std::string odd = window("padding = dense<[[0, 0], [1, 1, 0]]> : tensor<2x2xi64>"),
                    three = window("window_strides = array<i64: 1, 1, 1>"),
                    two = window("window_strides = array<i64: 1, 1>");
  Check({
      {pad_head,
       "%0 = stablehlo.pad %a, %z, low = [1, 7, 7], high = [-1], interior = [0] : (tensor<4xf32>, "
       "tensor<f32>) -> tensor<4xf32>\nreturn %0 : tensor<4xf32>",
       "expected 'edge_padding_low' of stablehlo.pad to have 1 item, one for each dimension of %a, "
       "found 3"},
      {pad_head,
       "%0 = stablehlo.pad %a, %z, low = [1], high = [-1], interior = [0] : (tensor<4xf32>, "
       "tensor<f32>) -> tensor<4xf32>\nreturn %0 : tensor<4xf32>",
       nullptr},
      {window_head, odd.c_str(), "expected 2 elements in dimension 1 of tensor<2x2xi64>"},
      {window_head, three.c_str(),
       "expected 'window_strides' of stablehlo.reduce_window to have 2"},
      {window_head, two.c_str(), nullptr},
      {kF, "%0 = stablehlo.slice %a [0:2, 0:2] : (tensor<4xf32>) -> tensor<2xf32>",
       "expected 'start_indices' of stablehlo.slice to have 1 item"},
      {kF,
       "%0 = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<4xf32>) -> tensor<4xf32>\n"
       "return %0 : tensor<4xf32>",
       "expected 'broadcast_dimensions' of stablehlo.broadcast_in_dim to have 1 item"},
  });
}

TEST(StableHloRefuses, WhatTheSpecificationForbids) {
  auto compare = [](const std::string& kind, const std::string& type) {
    const std::string tensor = "tensor<4x" + type + ">";
    const std::string body = "%0 = stablehlo.compare EQ, %a, %a, " + kind + " : (" + tensor + ", " +
                             tensor + ") -> tensor<4xi1>\nreturn %0 : tensor<4xi1>";
    return ReadBody({("(%a: " + tensor + ") -> tensor<4xi1>").c_str(), body.c_str(), nullptr});
  };
  EXPECT_THAT(compare("SIGNED", "ui32"), HasSubstr("a comparison of type SIGNED is not for"));
  EXPECT_THAT(compare("UNSIGNED", "i32"), HasSubstr("a comparison of type UNSIGNED is not for"));
  EXPECT_THAT(compare("TOTALORDER", "complex<f32>"), HasSubstr("type TOTALORDER is not for"));
  EXPECT_THAT(compare("FLOAT", "i32"), HasSubstr("type FLOAT is not for"));
  EXPECT_THAT(compare("FOO", "i32"), HasSubstr("one of the words of comparison_type"));
  for (auto [kind, type] : {std::pair("SIGNED", "i32"), std::pair("UNSIGNED", "i1"),
                            std::pair("FLOAT", "complex<f32>"), std::pair("TOTALORDER", "bf16")})
    EXPECT_THAT(compare(kind, type), HasSubstr("direction=EQ"));
  Check({
      {"(%a: tensor<4xi32>) -> tensor<4xf32>",
       "%0 = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<4xi32>) -> tensor<4xf32>",
       "expected a result of the operand's element type"},
      {kF, "%0 = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<4xf32>) -> tensor<5xf32>",
       "expected size 1 or 5 of the operand's dimension 0, found 4"},
      {kF, "%0 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<4xf32>) -> tensor<4xf32>",
       "no dimension 1 in the result"},
      {kSquare,
       "%0 = stablehlo.broadcast_in_dim %a, dims = [0, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>",
       "the dimension 0 of the result is given twice"},
      {"(%a: tensor<4xi8>) -> tensor<4xi1>",
       "%0 = stablehlo.bitcast_convert %a : (tensor<4xi8>) -> tensor<4xi1>",
       "the bits of tensor<4xi8> are not those of tensor<4xi1>"},
      {"(%a: tensor<4xi1>) -> tensor<8xi1>",
       "%0 = stablehlo.bitcast_convert %a : (tensor<4xi1>) -> tensor<8xi1>",
       "expected the result of stablehlo.bitcast_convert to be (tensor<4xi1>)"},
      {"(%a: tensor<4xui32>)", "%0 = stablehlo.abs %a : tensor<4xui32>",
       "stablehlo.abs is not for elements of tensor<4xui32>"},
      {"(%a: tensor<4xf32>)", "%0 = stablehlo.real %a : (tensor<4xf32>) -> tensor<4xbf16>",
       "expected the result of stablehlo.real to be (tensor<4xf32>), found (tensor<4xbf16>)"},
      {"(%a: tensor<8xf32>)",
       "%0 = stablehlo.fft %a, type = FFT, length = [8] : (tensor<8xf32>) -> "
       "tensor<8xcomplex<f32>>",
       "FFT is not for elements of tensor<8xf32>"},
      {"(%a: tensor<8xf32>)",
       "%0 = stablehlo.fft %a, type = RFFT, length = [7] : (tensor<8xf32>) -> "
       "tensor<4xcomplex<f32>>",
       "expected size 7 of dimension 0 of tensor<8xf32> for RFFT"},
      {"(%a: tensor<8xf32>)",
       "%0 = stablehlo.fft %a, type = RFFT, length = [8] : (tensor<8xf32>) -> "
       "tensor<8xcomplex<f32>>",
       "expected the result of RFFT to be (tensor<5xcomplex<f32>>)"},
      {"(%a: tensor<5xcomplex<f32>>) -> tensor<8xf32>",
       "%0 = stablehlo.fft %a, type = IRFFT, length = [8] : (tensor<5xcomplex<f32>>) -> "
       "tensor<8xf32>\nreturn %0 : tensor<8xf32>",
       nullptr},
      {"(%a: tensor<4xf32>, %z: tensor<f32>)",
       "%0 = stablehlo.reduce(%a init: %z) applies stablehlo.subtract across dimensions = [0] : "
       "(tensor<4xf32>, tensor<f32>) -> tensor<f32>",
       "expected a commutative operation behind 'applies'"},
      {"(%l: tensor<f32>) -> tensor<4xf32>",
       "%s = stablehlo.constant dense<5> : tensor<1xi64>\n%0 = stablehlo.rng %l, %l, %s, "
       "distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4xf32>\n"
       "return %0 : tensor<4xf32>",
       "expected the shape of stablehlo.rng to be that of tensor<4xf32>"},
      {"(%l: tensor<f32>) -> tensor<4xf32>",
       "%s = stablehlo.constant dense<4> : tensor<1xi64>\n%0 = stablehlo.rng %l, %l, %s, "
       "distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4xf32>\n"
       "return %0 : tensor<4xf32>",
       nullptr},
      {"(%a: tensor<4xcomplex<f32>>)", "%0 = stablehlo.log_plus_one %a : tensor<4xcomplex<f32>>",
       "stablehlo.log_plus_one of complex numbers has no HLO of its own"},
      {"(%a: tensor<4xcomplex<f32>>)",
       "%0 = chlo.sinh %a : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>",
       "chlo.sinh of complex numbers has no HLO of its own"},
  });
}

TEST(StableHloRefuses, ConstantsOfAnotherType) {
  auto of = [](const std::string& dense, const std::string& type) {
    const std::string body = "%0 = stablehlo.constant dense<" + dense + "> : " + type + "\nreturn";
    return ReadBody({"()", body.c_str(), nullptr});
  };
  struct Row {
    const char *dense, *type, *error;
  };
  for (const Row& row : {Row{"", "tensor<2xf32>", "expected elements of tensor<2xf32> in dense<>"},
                         Row{"nan", "tensor<f32>", "expected a number with a '.'"},
                         Row{"inf", "tensor<f32>", "expected a number with a '.'"},
                         Row{"1", "tensor<f32>", "expected a number with a '.'"},
                         Row{"1e3", "tensor<f32>", "expected a number with a '.'"},
                         Row{"1.5e+", "tensor<f32>", "expected a number with a '.'"},
                         Row{"-1.5E", "tensor<f32>", "expected a number with a '.'"},
                         Row{".5", "tensor<f32>", "expected a number with a '.'"},
                         Row{"(1.0, 2.e-)", "tensor<complex<f32>>", "expected a number with"},
                         Row{"0x7FC00000", "tensor<f16>", "has more than the 16 bits"},
                         Row{"-0x1", "tensor<f32>", "expected a number with a '.'"},
                         Row{"true", "tensor<i32>", "expected an integer for an element"},
                         Row{"1.0", "tensor<i32>", "expected an integer for an element"},
                         Row{"1.0", "tensor<complex<f32>>", "expected two parts in parentheses"},
                         Row{"[1, junk]", "tensor<0xi32>", "expected 0 elements in dimension 0"},
                         Row{"[1, 2, 3]", "tensor<2xi32>", "expected 2 elements in dimension 0"},
                         Row{"[[1], [2]]", "tensor<2xi32>", "expected a number, found '[1], [2]]'"},
                         Row{"256", "tensor<i8>", "'256' is out of range"},
                         Row{"-129", "tensor<i8>", "'-129' is out of range"},
                         Row{"-1", "tensor<ui8>", "'-1' is out of range"},
                         Row{"2", "tensor<i1>", "'2' is out of range"},
                         Row{"\"0x0102\"", "tensor<9xi1>", "expected 9 bytes, found 2"},
                         Row{"\"0x123\"", "tensor<i8>", "expected bytes in hexadecimal digits"}}) {
    SCOPED_TRACE(row.dense);
    EXPECT_THAT(of(row.dense, row.type), HasSubstr(row.error));
  }
  for (const char* right : {"1.5e+1", "-1.5E2", "2.e-1", "0.5", "1."})
    EXPECT_THAT(of(right, "tensor<f32>"), Not(HasSubstr("error:"))) << right;
  EXPECT_THAT(ReadBody({"() -> tensor<4xi64>",
                        "%0 = \"stablehlo.constant\"() <{value = dense<1> : tensor<2x2xi32>}> : () "
                        "-> tensor<4xi64>\nreturn %0 : tensor<4xi64>",
                        nullptr}),
              HasSubstr("expected the type of the value to be (tensor<4xi64>)"));
}

TEST(StableHloRefuses, CallsThatHloCannotExpress) {
  auto call = [](const std::string& attributes) {
    const std::string body = "%0 = stablehlo.custom_call @foo(%a) {" + attributes +
                             "} : (tensor<4xf32>) -> tensor<4xf32>\nreturn %0 : tensor<4xf32>";
    return ReadBody({kF, body.c_str(), nullptr});
  };
  EXPECT_THAT(call("frob = 1"), HasSubstr("stablehlo.custom_call has no attribute 'frob'"));
  EXPECT_THAT(call("api_version = 5 : i32"), HasSubstr("expected an api_version from 0 to 4"));
  EXPECT_THAT(call("api_version = 2"), HasSubstr("'api_version' to be an integer of type i32"));
  EXPECT_THAT(call("api_version = 4 : i32, backend_config = \"x\""),
              HasSubstr("expected a dictionary as backend_config"));
  EXPECT_THAT(call("api_version = 4 : i32, mhlo.backend_config = {}"),
              HasSubstr("neither a backend_config nor an api_version"));
  EXPECT_THAT(call("mhlo.backend_config = {}, backend_config = \"x\""),
              HasSubstr("neither a backend_config nor an api_version"));
  EXPECT_THAT(call("operand_layouts = [dense<0> : tensor<1xindex>]"),
              HasSubstr("expected layouts of operands and of results, or of none"));
  EXPECT_THAT(call("operand_layouts = [dense<1> : tensor<1xindex>], result_layouts = [dense<0> : "
                   "tensor<1xindex>]"),
              HasSubstr("expected a layout of the dimensions of tensor<4xf32>"));
  EXPECT_THAT(call("called_computations = [@g]"), HasSubstr("no function @g"));
  EXPECT_THAT(call("output_operand_aliases = [#stablehlo.output_operand_alias<operand_index = 3>]"),
              HasSubstr("names a result or an operand that is not there"));
  EXPECT_THAT(
      ReadBody({"(%a: tensor<i8>)",
                "%0 = stablehlo.custom_call @foo(%a) {output_operand_aliases = "
                "[#stablehlo.output_operand_alias<>]} : (tensor<i8>) -> tensor<f32>\nreturn",
                nullptr}),
      HasSubstr("output_operand_aliases gives tensor<f32> the place of tensor<i8>"));
  EXPECT_THAT(call("has_side_effect"), HasSubstr("expected 'has_side_effect' to be true or false"));
  EXPECT_THAT(call("has_side_effect = false"), Not(HasSubstr("error")));
}

}  // namespace
}  // namespace affirm::hlo::stablehlo
