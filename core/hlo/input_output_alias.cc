#include "core/hlo/input_output_alias.h"

#include "core/hlo/leaves.h"
#include "core/hlo/scanner.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::hlo {

namespace {

class AliasReader {
 public:
  AliasReader(const Module& module, const char* attribute, llvm::StringRef text)
      : entry_(*module.entry), scanner_(text, attribute, 0, text.size()) {}

  llvm::Expected<std::vector<InputOutputAlias>> Read() {
    std::vector<InputOutputAlias> all;
    if (auto error = scanner_.Expect('{', "around the aliases")) return error;
    while (!scanner_.Consume('}')) {
      if (!all.empty()) {
        if (auto error = scanner_.Expect(',', "between aliases")) return error;
      }
      InputOutputAlias alias;
      if (auto error = ReadOne(alias)) return error;
      for (const InputOutputAlias& other : all) {
        const bool one_parameter =
            other.parameter == alias.parameter && other.parameter_leaf == alias.parameter_leaf;
        if (other.result_leaf == alias.result_leaf || one_parameter)
          return scanner_.FailHere("an array is aliased twice");
      }
      all.push_back(alias);
    }
    if (auto error = ExpectEnd()) return error;
    return all;
  }

  llvm::Expected<std::vector<BufferDonor>> ReadDonors() {
    std::vector<BufferDonor> all;
    if (auto error = scanner_.Expect('{', "around the donors")) return error;
    while (!scanner_.Consume('}')) {
      if (!all.empty()) {
        if (auto error = scanner_.Expect(',', "between donors")) return error;
      }
      if (auto error = scanner_.Expect('(', "around a parameter")) return error;
      auto donor = ReadParameter();
      if (!donor) return donor.takeError();
      if (auto error = scanner_.Expect(')', "behind a parameter")) return error;
      all.push_back(*donor);
    }
    if (auto error = ExpectEnd()) return error;
    return all;
  }

 private:
  llvm::Error ExpectEnd() {
    if (scanner_.AtEnd()) return llvm::Error::success();
    return scanner_.FailHere("expected nothing more, found " + scanner_.Found());
  }

  // 1, {2}: an array of a parameter.
  llvm::Expected<BufferDonor> ReadParameter() {
    auto number = scanner_.Integer("a parameter's number");
    if (!number) return number.takeError();
    if (*number < 0 || *number >= static_cast<int64_t>(entry_.parameters.size()))
      return scanner_.FailHere("there is no parameter " + llvm::Twine(*number));
    if (auto error = scanner_.Expect(',', "behind a parameter's number")) return error;
    auto leaf = ReadLeaf(entry_.parameters[*number]->shape, "the parameter");
    if (!leaf) return leaf.takeError();
    return BufferDonor{*number, *leaf};
  }

  llvm::Error ReadOne(InputOutputAlias& alias) {
    auto result = ReadLeaf(entry_.root->shape, "the result");
    if (!result) return result.takeError();
    if (auto error = scanner_.Expect(':', "before a parameter")) return error;
    if (auto error = scanner_.Expect('(', "around a parameter")) return error;
    auto given = ReadParameter();
    if (!given) return given.takeError();
    if (scanner_.Consume(',')) {
      const llvm::StringRef kind = scanner_.Identifier();
      if (kind != "may-alias" && kind != "must-alias")
        return scanner_.FailHere("expected may-alias or must-alias");
      alias.must = kind == "must-alias";
    }
    if (auto error = scanner_.Expect(')', "behind a parameter")) return error;
    alias.result_leaf = *result;
    alias.parameter = given->parameter;
    alias.parameter_leaf = given->parameter_leaf;
    const Shape &of_result = *LeafShape(entry_.root->shape, *result),
                &of_parameter =
                    *LeafShape(entry_.parameters[given->parameter]->shape, given->parameter_leaf);
    const auto differ = [&](const char* what) {
      return scanner_.FailHere(llvm::Twine("arrays of two ") + what + ": " + of_result.ToString() +
                               " and " + of_parameter.ToString());
    };
    if (of_result.NumElements() * ByteWidth(of_result.type) !=
        of_parameter.NumElements() * ByteWidth(of_parameter.type))
      return differ("sizes");
    // A caller counts on the array itself.
    if (alias.must && !of_result.SameIgnoringLayout(of_parameter)) return differ("shapes");
    return llvm::Error::success();
  }

  // {} or {1,0}: the number of an array among the leaves of the shape.
  llvm::Expected<int64_t> ReadLeaf(const Shape& shape, const char* of) {
    if (auto error = scanner_.Expect('{', "around an index")) return error;
    const Shape* part = &shape;
    int64_t leaf = 0;
    while (!scanner_.Consume('}')) {
      if (part != &shape) {
        if (auto error = scanner_.Expect(',', "between the numbers of an index")) return error;
      }
      auto element = scanner_.Integer("the number of an element");
      if (!element) return element.takeError();
      if (!part->IsTuple() || *element < 0 || *element >= static_cast<int64_t>(part->tuple.size()))
        return scanner_.FailHere(llvm::Twine(of) + " has no such element");
      leaf += FirstLeafOfElement(*part, *element);
      part = &part->tuple[*element];
    }
    if (!part->IsArray()) return scanner_.FailHere(llvm::Twine(of) + " has no array there");
    return leaf;
  }

  const Computation& entry_;
  Scanner scanner_;
};

}  // namespace

llvm::Expected<std::vector<InputOutputAlias>> InputOutputAliases(const Module& module) {
  for (const auto& [name, text] : module.extra_attributes) {
    if (name == "input_output_alias") return AliasReader(module, name.c_str(), text).Read();
  }
  return std::vector<InputOutputAlias>();
}

llvm::Expected<std::vector<BufferDonor>> BufferDonors(const Module& module) {
  for (const auto& [name, text] : module.extra_attributes) {
    if (name == "buffer_donor") return AliasReader(module, name.c_str(), text).ReadDonors();
  }
  return std::vector<BufferDonor>();
}

}  // namespace affirm::hlo
