#include "core/stablehlo/custom_call.h"

#include "core/stablehlo/computation.h"
#include "core/stablehlo/op_text.h"
#include "core/symbolic/error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace affirm::hlo::stablehlo {

using llvm::Expected;
using llvm::StringRef;
using Kind = Attribute::Kind;

namespace {

// In double quotes, with HLO's escapes.
std::string InQuotes(StringRef text) {
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (llvm::isPrint(c)) {
      quoted += c;
    } else if (c == '\n' || c == '\t') {
      quoted += c == '\n' ? "\\n" : "\\t";
    } else {
      const auto byte = static_cast<unsigned char>(c);
      quoted += {'\\', static_cast<char>('0' + (byte >> 6)),
                 static_cast<char>('0' + ((byte >> 3) & 7)), static_cast<char>('0' + (byte & 7))};
    }
  }
  return quoted + "\"";
}

// Whether a text is one pair of braces, which XLA prints without quotes around it. What HLO would
// take for a comment in it is none.
bool IsJsonObject(StringRef text) {
  if (!text.starts_with("{")) return false;
  int depth = 0;
  bool in_string = false;
  for (size_t at = 0; at < text.size(); ++at) {
    if (in_string) {
      if (text[at] == '\\')
        ++at;
      else if (text[at] == '"')
        in_string = false;
    } else if (text[at] == '"') {
      in_string = true;
    } else if (text[at] == '/') {
      return false;
    } else if (text[at] == '{') {
      ++depth;
    } else if (text[at] == '}' && --depth == 0) {
      return at + 1 == text.size();
    }
  }
  return false;
}

// The convention of the call, and what the library is told at compile time.
Expected<std::string> Convention(const Operation& op) {
  static constexpr StringRef kVersions[] = {
      "API_VERSION_UNSPECIFIED", "", "API_VERSION_STATUS_RETURNING",
      "API_VERSION_STATUS_RETURNING_UNIFIED", "API_VERSION_TYPED_FFI"};
  constexpr int64_t kTyped = 4;
  const Attribute* config = op.Find("backend_config");
  int64_t version = op.Find("api_version") == nullptr ? 1 : op.Find("api_version")->integer;
  if (version < 0 || version > kTyped)
    return MakeError("expected an api_version from 0 to 4, found " + llvm::Twine(version));
  // JAX has the dictionary of a typed call in a note.
  if (auto note = op.notes.find("mhlo.backend_config"); note != op.notes.end()) {
    const bool other =
        config != nullptr && (config->kind != Kind::kString || !config->text.empty());
    if (note->second.kind != Kind::kDictionary || version != 1 || other)
      return MakeError(
          "expected a dictionary as mhlo.backend_config, and with it neither a "
          "backend_config nor an api_version");
    config = &note->second;
    version = kTyped;
  }
  std::string text;
  if (!kVersions[version].empty()) text += ", api_version=" + kVersions[version].str();
  if (config == nullptr) return text;
  if (config->kind != (version == kTyped ? Kind::kDictionary : Kind::kString))
    return MakeError(
        "expected a dictionary as backend_config of a call with api_version 4, and a "
        "string of any other");
  if (version == kTyped) return text + ", backend_config=" + PrintAttribute(*config);
  if (config->text.empty()) return text;
  return text +
         ", backend_config=" + (IsJsonObject(config->text) ? config->text : InQuotes(config->text));
}

std::vector<Type> WithLayouts(std::vector<Type> types, const Attribute* layouts) {
  if (layouts == nullptr) return types;
  for (auto [type, layout] : llvm::zip(types, layouts->list)) {
    auto order = IntegersOf(layout);
    if (!order) {
      llvm::consumeError(order.takeError());
    } else if (!order->empty()) {
      type.layout = InBraces(*order);
    }
  }
  return types;
}

// ", output_to_operand_aliasing={{1}: (0, {})}"
Expected<std::string> Aliases(const Operation& op) {
  const Attribute* aliases = op.Find("output_operand_aliases");
  if (aliases == nullptr || aliases->list.empty()) return "";
  std::string text;
  for (const Attribute& alias : aliases->list) {
    auto indices = [&](const char* name) { return IntegersOf(alias.fields.at(name)); };
    auto output = indices("output_tuple_indices"), inside = indices("operand_tuple_indices");
    if (!output) return output.takeError();
    if (!inside) return inside.takeError();
    const int64_t operand = alias.fields.at("operand_index").integer;
    const size_t results = op.result_types.size();
    const bool known_result = results == 1 ? output->empty()
                                           : output->size() == 1 && (*output)[0] >= 0 &&
                                                 (*output)[0] < static_cast<int64_t>(results);
    if (!known_result || operand < 0 || operand >= static_cast<int64_t>(op.operand_types.size()) ||
        !inside->empty())
      return MakeError("output_operand_aliases names a result or an operand that is not there");
    const Type& result = op.result_types[output->empty() ? 0 : (*output)[0]];
    if (op.operand_types[operand] != result)
      return MakeError("output_operand_aliases gives " + result.Source() + " the place of " +
                       op.operand_types[operand].Source());
    text +=
        (text.empty() ? "" : ", ") + InBraces(*output) + ": (" + std::to_string(operand) + ", {})";
  }
  return ", output_to_operand_aliasing={" + text + "}";
}

// `, frontend_attributes={mode="x"}`.
Expected<std::string> FrontendAttributes(const Operation& op) {
  const auto note = op.notes.find("mhlo.frontend_attributes");
  if (note == op.notes.end()) return "";
  std::string text;
  for (const auto& [name, value] : note->second.fields) {
    Scanner scanner(name, "", 0, name.size());
    if (value.kind != Kind::kString || scanner.Identifier() != name)
      return MakeError("expected strings with names as mhlo.frontend_attributes");
    text += (text.empty() ? "" : ",") + name + "=" +
            (IsJsonObject(value.text) ? value.text : InQuotes(value.text));
  }
  if (note->second.kind != Kind::kDictionary)
    return MakeError("expected a dictionary as mhlo.frontend_attributes");
  return text.empty() ? "" : ", frontend_attributes={" + text + "}";
}

// `, sharding={devices=[2,1]0,1}`: of a call it says which part of an array a device has.
Expected<std::string> Sharding(const Operation& op) {
  const auto note = op.notes.find("mhlo.sharding");
  if (note == op.notes.end()) return "";
  const StringRef text = note->second.text;
  if (note->second.kind != Kind::kString || !text.starts_with("{") || !text.ends_with("}"))
    return MakeError("expected a string as mhlo.sharding, with braces around it");
  return ", sharding=" + text.str();
}

}  // namespace

Expected<std::optional<std::string>> TopKAttributes(const Operation& op) {
  const auto note = op.notes.find("mhlo.attributes");
  if (note == op.notes.end()) return std::nullopt;
  if (note->second.kind == Kind::kDictionary && note->second.fields.empty()) return std::nullopt;
  const std::string target = op.Word("call_target_name");
  const auto version = op.notes.find("mhlo.version");
  // As XLA does, which leaves a call with anything else as it is.
  const bool alone = op.attributes.size() == 1 && op.notes.size() == 2;
  const bool known = target == "mhlo.topk" && alone && version != op.notes.end() &&
                     version->second.kind == Kind::kInteger && version->second.integer == 1 &&
                     note->second.kind == Kind::kDictionary;
  std::optional<int64_t> k;
  bool largest = true, read = known;
  for (const auto& [name, value] : note->second.fields) {
    if (name == "k" && value.kind == Kind::kInteger && value.name == "i64") {
      k = value.integer;
    } else if (name == "largest" && value.kind == Kind::kBool) {
      largest = value.integer != 0;
    } else {
      read = false;
    }
  }
  if (!read || !k)
    return MakeError("the mhlo.attributes of a call of '" + target + "' are not read");
  return ", k=" + std::to_string(*k) + ", largest=" + (largest ? "true" : "false");
}

std::vector<Type> ResultTypesWithLayouts(const Operation& operation) {
  return WithLayouts(operation.result_types, operation.Find("result_layouts"));
}

Expected<std::string> CustomCallAttributes(const Operation& op) {
  std::string attributes = ", custom_call_target=" + InQuotes(op.Word("call_target_name"));
  if (const Attribute* layouts = op.Find("operand_layouts"))
    attributes += ", operand_layout_constraints={" +
                  StringRef(TupleText(WithLayouts(op.operand_types, layouts)))
                      .drop_front()
                      .drop_back()
                      .str() +
                  "}";
  if (op.IsTrue("has_side_effect")) attributes += ", custom_call_has_side_effect=true";
  auto aliases = Aliases(op);
  if (!aliases) return aliases.takeError();
  auto convention = Convention(op);
  if (!convention) return convention.takeError();
  auto frontend = FrontendAttributes(op);
  if (!frontend) return frontend.takeError();
  auto sharding = Sharding(op);
  if (!sharding) return sharding.takeError();
  return attributes + *aliases + *convention + *frontend + *sharding;
}

}  // namespace affirm::hlo::stablehlo
