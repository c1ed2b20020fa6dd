// Attributes of MLIR as typed values. Internal to the reader of StableHLO.
#ifndef AFFIRM_CORE_STABLEHLO_ATTRIBUTE_H_
#define AFFIRM_CORE_STABLEHLO_ATTRIBUTE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/hlo/scanner.h"
#include "core/stablehlo/type.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace affirm::hlo::stablehlo {

// One attribute. `dims = [1, 0]` is a kList of two kIntegers; `array<i64: 1, 0>` the same with the
// name "i64".
struct Attribute {
  enum class Kind : uint8_t {
    kUnit,        // a name alone
    kBool,        // `integer`
    kInteger,     // `integer`, and its type in `name` ("i64"; empty: none stated)
    kFloat,       // `text` as written, and its type in `name`
    kString,      // `text` without escapes
    kSymbol,      // `text` without '@'
    kWord,        // LT of `LT` and of #stablehlo<comparison_direction LT>, whose name is the former
    kList,        // `list`; the element type of array<..> in `name`
    kDictionary,  // `fields`
    kStruct,      // `fields` of #stablehlo.gather<..>, whose name is "stablehlo.gather"
    kDense,       // `text` between the brackets of dense<..>, and `type`
    kType,        // tensor<..>: `type`
    kOpaque,      // `text` as written: attributes of other dialects
  };
  Kind kind = Kind::kUnit;
  size_t at = 0;  // its position in the text
  int64_t integer = 0;
  std::string name, text;
  std::vector<Attribute> list;
  std::map<std::string, Attribute> fields;
  Type type = {};
};

using Attributes = std::map<std::string, Attribute>;

// Reads attributes and types, and keeps the aliases that the text gave them.
class AttributeReader {
 public:
  explicit AttributeReader(Scanner& scanner) : scanner_(scanner) {}

  // One attribute. `pretty`: where an operation's own syntax has it, so that `<..>` is a struct.
  llvm::Expected<Attribute> ReadAttribute(bool pretty = false);
  // `a = 1 : i64, "b.c"}` after its '{'. A name twice is an error.
  llvm::Expected<Attributes> ReadDictionary();
  // tensor<2x3xf32>, or an alias of it. Sizes that are not known, tokens and tuples are errors.
  llvm::Expected<Type> ReadType();
  // `#a = 1 : i64` and `!t = tensor<2xf32>` as long as there are any.
  llvm::Error ReadAliases();

 protected:
  Scanner& scanner_;

 private:
  llvm::Expected<Attribute> ReadHash();
  llvm::Expected<Attribute> ReadNumber();
  llvm::Expected<Attribute> ReadNamed(bool pretty);
  llvm::Expected<std::vector<Attribute>> ReadItems(char close, bool pretty);
  llvm::Error ReadFields(Attribute& into);

  std::map<std::string, Attribute> aliases_;
  std::map<std::string, Type> types_;
  int depth_ = 0;
};

// As MLIR prints it: `{a = 1 : i32, b = "q"}`. A name that stands for an attribute is resolved.
std::string PrintAttribute(const Attribute& attribute);

// The integers of a list, or of dense<..> row by row, a splat repeated. The error has no place.
llvm::Expected<std::vector<int64_t>> IntegersOf(const Attribute& attribute);

}  // namespace affirm::hlo::stablehlo

#endif  // AFFIRM_CORE_STABLEHLO_ATTRIBUTE_H_
