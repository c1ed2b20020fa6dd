// Reads configurations of library calls.
#include "verify/calls/backend_config.h"

#include <cmath>

#include "core/hlo/scanner.h"
#include "core/symbolic/bounded_json.h"
#include "core/symbolic/error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace affirm::calls {

namespace {

// The fields beside the configuration of a library: when, where and in how many parts a call runs.
constexpr llvm::StringLiteral kScheduleKeys[] = {"operation_queue_id",
                                                 "wait_on_operation_queues",
                                                 "force_earliest_schedule",
                                                 "reification_cost",
                                                 "device_type",
                                                 "outer_dimension_partitions"};

llvm::Error WrongType(llvm::StringRef key, llvm::StringRef expected) {
  return MakeError("backend_config: '" + key + "' is no " + expected);
}

llvm::Expected<int64_t> IntegerOf(llvm::StringRef key, const llvm::json::Value& value) {
  if (std::optional<int64_t> number = value.getAsInteger()) return *number;
  int64_t number = 0;
  if (auto text = value.getAsString(); text && llvm::to_integer(*text, number, 10)) return number;
  return WrongType(key, "integer");
}

// The name of an attribute of MLIR, bare or in quotes. What its escapes stand for is not needed.
llvm::Expected<std::string> KeyOf(hlo::Scanner& scanner) {
  if (scanner.Peek() != '"') {
    const llvm::StringRef name = scanner.Identifier();
    if (name.empty())
      return scanner.FailHere("expected the name of an attribute, found " + scanner.Found());
    return name.str();
  }
  const size_t begin = scanner.pos();
  auto text = scanner.String();
  if (!text) return text.takeError();
  if (scanner.Since(begin).contains('\\'))
    return MakeError("backend_config: a name with escapes has no known meaning");
  return text;
}

}  // namespace

llvm::Expected<std::string> BackendConfigText(const hlo::Instruction& call) {
  const std::string* text = call.attributes.FindExtra("backend_config");
  if (text == nullptr) return std::string();
  hlo::Scanner scanner(*text, "backend_config", 0, text->size());
  return scanner.Peek() == '"' ? scanner.String() : llvm::Expected<std::string>(*text);
}

llvm::Expected<BackendConfig> BackendConfig::Of(const hlo::Instruction& call, llvm::StringRef key) {
  auto text = BackendConfigText(call);
  if (!text) return text.takeError();
  if (llvm::StringRef(*text).trim().empty()) return BackendConfig();
  auto value = ParseJson(*text);
  if (!value) return MakeError("backend_config: " + llvm::toString(value.takeError()));
  llvm::json::Object* object = value->getAsObject();
  if (object == nullptr) return MakeError("backend_config: expected a JSON object");
  llvm::json::Object* inner = key.empty() ? nullptr : object->getObject(key);
  if (inner == nullptr) return Of(std::move(*object));
  for (const auto& entry : *object) {
    const llvm::StringRef field = entry.first;
    if (field != key && !llvm::is_contained(kScheduleKeys, field))
      return MakeError("backend_config: '" + field + "' has no known meaning");
  }
  return Of(std::move(*inner));
}

llvm::Expected<BackendConfig> BackendConfig::Of(llvm::json::Object object) {
  BackendConfig config;
  config.object_ = std::move(object);
  return config;
}

llvm::Error BackendConfig::Allow(llvm::ArrayRef<llvm::StringLiteral> keys) const {
  for (const auto& entry : object_) {
    const llvm::StringRef key = entry.first;
    if (llvm::is_contained(keys, key)) continue;
    return MakeError("backend_config: '" + key + "' has no known meaning");
  }
  return llvm::Error::success();
}

llvm::Expected<double> BackendConfig::Number(llvm::StringRef key, double otherwise) const {
  const llvm::json::Value* value = object_.get(key);
  if (value == nullptr) return otherwise;
  // A number too large for a double is read as an infinity, which no one wrote.
  std::optional<double> number = value->getAsNumber();
  if (!number) return WrongType(key, "number");
  if (!std::isfinite(*number)) return WrongType(key, "finite number");
  return *number;
}

llvm::Expected<bool> BackendConfig::Flag(llvm::StringRef key) const {
  const llvm::json::Value* value = object_.get(key);
  if (value == nullptr) return false;
  if (std::optional<bool> flag = value->getAsBoolean()) return *flag;
  return WrongType(key, "boolean");
}

llvm::Expected<std::string> BackendConfig::Text(llvm::StringRef key,
                                                llvm::StringRef otherwise) const {
  const llvm::json::Value* value = object_.get(key);
  if (value == nullptr) return otherwise.str();
  if (auto text = value->getAsString()) return text->str();
  return WrongType(key, "string");
}

llvm::Expected<std::vector<int64_t>> BackendConfig::Integers(llvm::StringRef key) const {
  std::vector<int64_t> numbers;
  const llvm::json::Value* value = object_.get(key);
  if (value == nullptr) return numbers;
  const llvm::json::Array* list = value->getAsArray();
  if (list == nullptr) return WrongType(key, "list");
  for (const llvm::json::Value& element : *list) {
    auto number = IntegerOf(key, element);
    if (!number) return number.takeError();
    numbers.push_back(*number);
  }
  return numbers;
}

llvm::Expected<std::vector<std::string>> BackendConfig::Texts(llvm::StringRef key) const {
  std::vector<std::string> texts;
  const llvm::json::Value* value = object_.get(key);
  if (value == nullptr) return texts;
  const llvm::json::Array* list = value->getAsArray();
  if (list == nullptr) return WrongType(key, "list");
  for (const llvm::json::Value& element : *list) {
    auto text = element.getAsString();
    if (!text) return WrongType(key, "list of strings");
    texts.push_back(text->str());
  }
  return texts;
}

llvm::Expected<BackendConfig> BackendConfig::Inner(llvm::StringRef key) const {
  const llvm::json::Value* value = object_.get(key);
  if (value == nullptr) return BackendConfig();
  const llvm::json::Object* object = value->getAsObject();
  if (object == nullptr) return WrongType(key, "object");
  return Of(*object);
}

llvm::Expected<TypedConfig> TypedConfig::Of(const hlo::Instruction& call,
                                            llvm::ArrayRef<llvm::StringLiteral> keys) {
  TypedConfig config;
  const std::string* text = call.attributes.FindExtra("backend_config");
  if (text == nullptr || llvm::StringRef(*text).trim() == "\"\"") return config;
  hlo::Scanner scanner(*text, "backend_config", 0, text->size());
  if (scanner.AtEnd()) return config;
  if (llvm::Error error = scanner.Expect('{', "before the attributes")) return error;
  while (!scanner.Consume('}')) {
    auto name = KeyOf(scanner);
    if (!name) return name.takeError();
    if (!llvm::is_contained(keys, *name))
      return MakeError("backend_config: '" + *name + "' has no known meaning");
    if (llvm::Error error = scanner.Expect('=', "after a name")) return error;
    auto value = scanner.RawValue();
    if (!value) return value.takeError();
    Value read = {.text = value->str(), .type = ""};
    if (scanner.Consume(':')) {
      auto type = scanner.RawValue();
      if (!type) return type.takeError();
      read.type = type->str();
    }
    if (!config.values_.try_emplace(*name, std::move(read)).second)
      return MakeError("backend_config: '" + *name + "' is given twice");
    if (!scanner.Consume(',') && scanner.Peek() != '}')
      return scanner.FailHere("expected ',' or '}' after an attribute, found " + scanner.Found());
  }
  if (!scanner.AtEnd()) return scanner.FailHere("expected the end of the attributes");
  return config;
}

llvm::Error CheckNoConfig(const hlo::Instruction& call) {
  return TypedConfig::Of(call, {}).takeError();
}

std::optional<llvm::StringRef> TypedConfig::Find(llvm::StringRef key,
                                                 llvm::ArrayRef<llvm::StringLiteral> types) const {
  const auto found = values_.find(key);
  if (found == values_.end() || !llvm::is_contained(types, found->second.type)) return std::nullopt;
  return llvm::StringRef(found->second.text);
}

char TypedConfig::Letter(llvm::StringRef key) const {
  const auto text = Find(key, {"ui8"});
  int64_t code = 0;
  const bool is_number = text && llvm::to_integer(*text, code, 10);
  return is_number && code > 0 && code < 128 ? static_cast<char>(code) : '\0';
}

std::optional<bool> TypedConfig::Flag(llvm::StringRef key) const {
  const auto text = Find(key, {""});
  if (!text || (*text != "true" && *text != "false")) return std::nullopt;
  return *text == "true";
}

std::optional<double> TypedConfig::Number(llvm::StringRef key) const {
  // MLIR has bits as hexadecimal digits, and a point in all other floats.
  const auto text = Find(key, {"", "f64"});
  double number = 0;
  if (!text || !text->contains('.') || text->contains_insensitive("x") ||
      !llvm::to_float(*text, number) || !std::isfinite(number)) {
    return std::nullopt;
  }
  return number;
}

}  // namespace affirm::calls
