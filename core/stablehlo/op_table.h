// The table of StableHLO's operations: a row says the syntax, the attributes and the types.
// Internal to the reader.
#ifndef AFFIRM_CORE_STABLEHLO_OP_TABLE_H_
#define AFFIRM_CORE_STABLEHLO_OP_TABLE_H_

#include <string>
#include <vector>

#include "core/stablehlo/attribute.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace affirm::hlo::stablehlo {

enum class AttributeKind : uint8_t {
  kInteger,    // of type i64
  kInteger32,  // of type i32
  kIntegers,   // array<i64: ..>
  kPairs,      // dense<[[0, 1]]> : tensor<1x2xi64>
  kTable,      // the same with any number of columns
  kFloat,      // of any type
  kBool,
  kFlag,   // a name alone
  kBools,  // array<i1: ..>
  kString,
  kSymbol,
  kSymbols,
  kWord,       // one of `words`, behind the name of their kind: "precision DEFAULT HIGH"
  kWords,      // a list of those
  kStruct,     // with the fields of `words` behind the name: "stablehlo.gather offset_dims"
  kStructs,    // a list of those
  kDimLabels,  // #stablehlo.conv<..>, its text
  kLayouts,    // a list of dense<..> : tensor<2xindex>
  kConstant,   // dense<..>
  kAny,        // its meaning is the library's, or none
};

// How long a list must be.
enum class Length : uint8_t { kAny, kRank };  // kRank: a value for each dimension of operand 0

struct AttributeRow {
  llvm::StringRef name;
  AttributeKind kind;
  bool required = false;
  Length length = Length::kAny;
  // For kWord and kStruct, see there. A field is a list of integers; with '#' one integer, with '!'
  // an element type, with '?' a bool, with '.' a decimal, with '*' an attribute.
  llvm::StringRef words = {};
};

// Where the pretty form has the types.
enum class TypesForm : uint8_t {
  kSame,      // `: T` of all operands and results, or like kFunction
  kFunction,  // `: (T, T) -> T`
  kResult,    // `: T` of the result, and of the operand where there is one, or like kFunction
  kSelect,    // `: P, T`, or like kFunction
  kComplex,   // `: T` of the result, the operands being its parts, or like kFunction
  kArrow,     // `: T -> T`, or like kFunction
  kPairwise,  // `: T, T` of operands and of results
  kOperands,  // `: T, T` of operands; nothing where there are none
};

struct OpRow {
  llvm::StringRef name;
  // The pretty form up to its types: '%' is an operand, '%*' any number of them, '%+,' one or more
  // with a comma after each, '$a' the attribute a, '[' and ']' surround what may be missing, '!x'
  // has its own reader (ReadSpecial), anything else stands for itself. Empty: the generic form
  // alone.
  llvm::StringRef form;
  TypesForm types;
  int operands;  // how many; -1: any number
  int results;   // the same
  int regions;   // the same
  // The opcode in HLO, where it takes the same operands; empty: written by a function of its own.
  llvm::StringRef opcode;
  // Kinds of the elements of operand 0: p(red), s(igned), u(nsigned), f(loat), c(omplex), or x for
  // complex ones that XLA computes by other operations. Empty: any.
  llvm::StringRef elements = {};
  std::vector<AttributeRow> attributes = {};
};

// The row of an operation by its full name, "stablehlo.add", or null.
const OpRow* FindOpRow(llvm::StringRef name);

// An attribute of a row as its kind says: words without their dialect, symbols as strings.
// `pretty`: it stands in the operation's own syntax, where a list and a word are bare. The error
// has no place.
llvm::Expected<Attribute> Conform(Attribute attribute, const AttributeRow& row, bool pretty);

// Whether an attribute that is in no row changes no value: "jax.result_info", "sdy.sharding".
bool IsDiscardable(llvm::StringRef name);

}  // namespace affirm::hlo::stablehlo

#endif  // AFFIRM_CORE_STABLEHLO_OP_TABLE_H_
