// Reads launch files.
#include <map>

#include "core/hlo/shape_text.h"
#include "core/symbolic/bounded_json.h"
#include "core/symbolic/error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "verify/kernel/json_parts.h"
#include "verify/kernel/launch.h"
#include "verify/kernel/scalar_value.h"

namespace affirm::kernel {
namespace {

namespace json = llvm::json;

// Line and column of a place in a text, as "where:line:column".
std::string PlaceText(llvm::StringRef text, llvm::StringRef where, size_t pos) {
  llvm::StringRef before = text.take_front(pos);
  const size_t line = before.count('\n') + 1;
  const size_t column = pos - (before.rfind('\n') + 1) + 1;
  return (where + ":" + llvm::Twine(line) + ":" + llvm::Twine(column)).str();
}

std::string At(llvm::StringRef text, llvm::StringRef where, size_t pos) {
  return PlaceText(text, where, pos) + ": error: ";
}

class Reader {
 public:
  Reader(llvm::StringRef text, llvm::StringRef where) : text_(text), where_(where) {}

  llvm::Expected<Launch> Read() {
    llvm::Expected<json::Value> value = ParseJson(text_);
    if (!value) return SyntaxError(value.takeError());
    const json::Object* object = value->getAsObject();
    if (object == nullptr) return Fail("", "a launch must be an object {\"kernel\": ...}");
    const std::vector<JsonMember> members = JsonMembers(text_);
    if (llvm::Error error = CheckMembers(members, kOfLaunch, "the launch")) return error;
    Launch launch;
    if (llvm::Error error = ReadText(*object, members, "kernel", "the launch", launch.kernel))
      return error;
    if (llvm::Error error = ReadSizes(*object, "grid", launch.grid)) return error;
    if (llvm::Error error = ReadSizes(*object, "threads", launch.threads)) return error;
    if (const json::Value* shared = object->get("shared")) {
      auto bytes = shared->getAsInteger();
      if (!bytes) return Fail("shared", "\"shared\" must be a number of bytes");
      launch.shared_bytes = *bytes;
    }
    if (llvm::Error error = ReadParams(*object, launch)) return error;
    if (llvm::Error error = CheckLaunch(launch, where_)) return error;
    return launch;
  }

 private:
  // JSON's errors begin "[line:column, byte=n]: ".
  llvm::Error SyntaxError(llvm::Error error) {
    std::string message = llvm::toString(std::move(error));
    llvm::StringRef rest = message;
    size_t byte = 0;
    size_t at = rest.find("byte=");
    if (at != llvm::StringRef::npos) rest.drop_front(at + 5).consumeInteger(10, byte);
    auto [place, what] = rest.split("]: ");
    if (what.empty()) what = rest;
    return MakeError(At(text_, where_, std::min(byte, text_.size())) + what +
                     ", expected a launch as JSON");
  }

  // An error at the first mention of a key, or where the text begins.
  llvm::Error Fail(llvm::StringRef key, const llvm::Twine& message) {
    size_t pos = key.empty() ? 0 : text_.find(("\"" + key + "\"").str());
    return MakeError(At(text_, where_, pos == llvm::StringRef::npos ? 0 : pos) + message);
  }

  llvm::Error ReadSizes(const json::Object& object, llvm::StringRef key,
                        std::array<int64_t, 3>& sizes) {
    const json::Value* value = object.get(key);
    if (value == nullptr) return llvm::Error::success();
    const json::Array* list = value->getAsArray();
    if (list == nullptr || list->empty() || list->size() > 3) {
      return Fail(key, "\"" + key + "\" must be a list [x, y, z]");
    }
    sizes = {1, 1, 1};
    for (auto [k, entry] : llvm::enumerate(*list)) {
      auto size = entry.getAsInteger();
      if (!size) return Fail(key, "\"" + key + "\" must be a list of integers");
      sizes[k] = *size;
    }
    // Zeros stand for sizes that nothing says.
    if (sizes == std::array<int64_t, 3>{0, 0, 0})
      return Fail(key, "\"" + key + "\" must not be zeros");
    return llvm::Error::success();
  }

  // An error at a part of the text.
  llvm::Error FailAt(llvm::StringRef part, const llvm::Twine& message) {
    return MakeError(At(text_, where_, PositionOf(part)) + message);
  }
  size_t PositionOf(llvm::StringRef part) const {
    return static_cast<size_t>(part.data() - text_.data());
  }

  static constexpr llvm::StringLiteral kOfLaunch[] = {"kernel", "grid", "threads", "shared",
                                                      "params"};
  static constexpr llvm::StringLiteral kOfParam[] = {"name",   "shape",    "role",      "bytes",
                                                     "memory", "argument", "starts_as", "alignment",
                                                     "value",  "range"};

  // Refuses a member that says nothing here, such as one with a letter wrong; and two members with
  // one name, of which llvm::json keeps one.
  llvm::Error CheckMembers(llvm::ArrayRef<JsonMember> members,
                           llvm::ArrayRef<llvm::StringLiteral> known, const llvm::Twine& of) {
    llvm::StringSet<> keys;
    for (const JsonMember& member : members) {
      if (!llvm::is_contained(known, member.key)) {
        return FailAt(member.key, of + " has \"" + member.key + "\", expected one of " +
                                      llvm::join(known.begin(), known.end(), ", "));
      }
      if (!keys.insert(member.key).second)
        return FailAt(member.key, of + " has \"" + member.key + "\" twice, expected it once");
    }
    return llvm::Error::success();
  }

  static std::optional<llvm::StringRef> TextOf(llvm::ArrayRef<JsonMember> members,
                                               llvm::StringRef key) {
    for (const JsonMember& member : members) {
      if (member.key == key) return member.value;
    }
    return std::nullopt;
  }

  // A member that may be missing, but not be anything else than a text.
  llvm::Error ReadText(const json::Object& object, llvm::ArrayRef<JsonMember> members,
                       llvm::StringRef key, const llvm::Twine& of, std::string& text) {
    const auto written = TextOf(members, key);
    if (!written) return llvm::Error::success();
    const auto value = object.getString(key);
    if (!value) return FailAt(*written, of + " needs a text as its \"" + key + "\"");
    text = value->str();
    return llvm::Error::success();
  }

  // An entry of "params": as it was read, and as it is written.
  struct Entry {
    const json::Object* object;
    llvm::StringRef text;
    std::vector<JsonMember> members;
    std::string which;  // "parameter 3"
    size_t place;

    // The text of a member; nullopt where there is none.
    std::optional<llvm::StringRef> Find(llvm::StringRef key) const { return TextOf(members, key); }
  };

  // A member that may be missing, but not be anything else than a whole number of at least 0.
  template <typename T>
  llvm::Error ReadNumber(const Entry& entry, llvm::StringRef key, T& number) {
    const auto written = entry.Find(key);
    if (!written) return llvm::Error::success();
    const int64_t value = entry.object->getInteger(key).value_or(-1);
    if (value < 0) {
      return FailAt(*written, entry.which + " needs a number of at least 0 as its \"" + key + "\"");
    }
    number = value;
    return llvm::Error::success();
  }

  llvm::Error ReadParams(const json::Object& object, Launch& launch) {
    const json::Array* params = object.getArray("params");
    if (params == nullptr) return Fail("params", "expected \"params\", a list of parameters");
    std::vector<llvm::StringRef> texts;
    for (const JsonMember& member : JsonMembers(text_)) {
      if (member.key == "params") texts = JsonElements(member.value);
    }
    if (texts.size() != params->size())
      return Fail("params", "expected one member \"params\", without escapes");
    for (auto [place, value] : llvm::enumerate(*params)) {
      Entry entry{value.getAsObject(), texts[place], JsonMembers(texts[place]),
                  "parameter " + std::to_string(place), place};
      if (llvm::Error error = ReadEntry(entry, launch)) return error;
    }
    for (const auto& [text, memory] : memories_of_scalars_) {
      for (size_t k = 0; k < launch.params.size(); ++k) {
        if (launch.params[k].memory == memory)
          return FailAt(text,
                        "the memory of a parameter that is passed by value is that of "
                        "parameter " +
                            llvm::Twine(launch.PlaceOf(k)) + ", expected none");
      }
    }
    return CountWithoutScalars(launch, texts);
  }

  llvm::Error ReadEntry(const Entry& entry, Launch& launch) {
    if (entry.object == nullptr) return FailAt(entry.text, entry.which + " must be an object");
    if (llvm::Error error = CheckMembers(entry.members, kOfParam, entry.which)) return error;
    auto shape = ReadShape(entry);
    if (!shape) return shape.takeError();
    auto role = entry.object->getString("role");
    if (role && *role == "scalar") {
      llvm::Expected<ScalarParam> scalar = ReadScalar(entry, *shape);
      if (!scalar) return scalar.takeError();
      launch.scalars.push_back(std::move(*scalar));
      return llvm::Error::success();
    }
    if (!role || (*role != "input" && *role != "output")) {
      return FailAt(entry.text, entry.which + R"( needs the "role" "input", "output" or "scalar")");
    }
    for (llvm::StringRef key : {"value", "range"}) {
      if (auto text = entry.Find(key))
        return FailAt(*text, entry.which + " is in a buffer, and has a \"" + key +
                                 R"(", expected one of the "role" "scalar" only)");
    }
    Param param;
    param.shape = std::move(*shape);
    param.role = *role == "input" ? Param::kInput : Param::kOutput;
    if (llvm::Error error = ReadParam(entry, param)) return error;
    launch.params.push_back(std::move(param));
    return llvm::Error::success();
  }

  llvm::Expected<hlo::Shape> ReadShape(const Entry& entry) {
    auto text = entry.object->getString("shape");
    if (!text)
      return FailAt(entry.text, entry.which + " has no \"shape\", expected \"f32[4,8]{1,0}\"");
    hlo::Scanner scanner(*text, "shape of " + entry.which, 0, text->size());
    llvm::Expected<hlo::Shape> shape = hlo::ParseShape(scanner);
    if (!shape) return FailAt(entry.text, llvm::toString(shape.takeError()));
    if (!scanner.AtEnd() || !shape->IsArray()) {
      return FailAt(entry.text,
                    entry.which + " must have the shape of an array, not '" + *text + "'");
    }
    return shape;
  }

  llvm::Error ReadParam(const Entry& entry, Param& param) {
    param.bytes = DenseBytes(param.shape).value_or(-1);
    param.memory = static_cast<int64_t>(entry.place);
    param.argument = -1;
    if (llvm::Error error = ReadText(*entry.object, entry.members, "name", entry.which, param.name))
      return error;
    if (llvm::Error error = ReadNumber(entry, "bytes", param.bytes)) return error;
    if (llvm::Error error = ReadNumber(entry, "memory", param.memory)) return error;
    if (llvm::Error error = ReadNumber(entry, "argument", param.argument)) return error;
    if (llvm::Error error = ReadNumber(entry, "starts_as", param.starts_as)) return error;
    return ReadNumber(entry, "alignment", param.alignment);
  }

  llvm::Expected<ScalarParam> ReadScalar(const Entry& entry, const hlo::Shape& shape) {
    if (!shape.dims.empty() || !IsScalarType(shape.type)) {
      return FailAt(entry.text, entry.which + " is passed by value and has the shape " +
                                    shape.ToString() +
                                    ", expected that of one number, as in \"s32[]\"");
    }
    for (llvm::StringRef key : {"starts_as", "alignment"}) {
      if (auto text = entry.Find(key))
        return FailAt(*text, entry.which + " is passed by value, and has no \"" + key + "\"");
    }
    const int64_t width = hlo::ByteWidth(shape.type);
    if (auto text = entry.Find("bytes"); text && entry.object->getInteger("bytes") != width) {
      return FailAt(*text, entry.which + " has " + *text + " bytes, expected " +
                               llvm::Twine(width) + " of " + shape.ToString());
    }
    if (auto text = entry.Find("memory")) {
      int64_t memory = 0;
      if (llvm::Error error = ReadNumber(entry, "memory", memory)) return error;
      memories_of_scalars_.emplace_back(*text, memory);
    }
    ScalarParam scalar;
    if (llvm::Error error =
            ReadText(*entry.object, entry.members, "name", entry.which, scalar.name))
      return error;
    scalar.type = shape.type;
    scalar.place = entry.place;
    scalar.argument = static_cast<int64_t>(entry.place);
    if (llvm::Error error = ReadNumber(entry, "argument", scalar.argument)) return error;
    scalar.where = PlaceText(text_, where_, PositionOf(entry.text));
    if (llvm::Error error = ReadValues(entry, scalar)) return error;
    return scalar;
  }

  // The value of a scalar, or both ends of its range.
  llvm::Error ReadValues(const Entry& entry, ScalarParam& scalar) {
    auto value = entry.Find("value"), range = entry.Find("range");
    if (value.has_value() == range.has_value()) {
      return FailAt(entry.text, entry.which + " is passed by value and " +
                                    (value ? "has both \"value\" and \"range\""
                                           : "has neither \"value\" nor \"range\"") +
                                    ", expected \"value\": a number, or \"range\": [least, most]");
    }
    std::vector<llvm::StringRef> ends = {value.value_or("")};
    if (range) ends = JsonElements(*range);
    if (range && ends.size() != 2) {
      return FailAt(*range, "the \"range\" of " + entry.which +
                                " must be a list of two numbers [least, most]");
    }
    uint64_t* const to[] = {&scalar.lo, &scalar.hi};
    for (auto [k, end] : llvm::enumerate(ends)) {
      auto bits = ReadScalarValue(end, scalar.type);
      if (!bits) return FailAt(end, entry.which + ": " + llvm::toString(bits.takeError()));
      *to[k] = *bits;
    }
    if (!range) {
      scalar.hi = scalar.lo;
    } else if (hlo::IsFloat(scalar.type) && hlo::BitWidth(scalar.type) < 16) {
      return FailAt(*range, entry.which + " has a range of " + hlo::Name(scalar.type) +
                                ", expected its value");
    } else if (!IsAtMost(scalar.lo, scalar.hi, scalar.type)) {
      return FailAt(*range, "the \"range\" of " + entry.which +
                                " has no values, expected [least, most] without NaN");
    }
    return llvm::Error::success();
  }

  // "starts_as" counts scalars in the file, and none in a Launch.
  llvm::Error CountWithoutScalars(Launch& launch, llvm::ArrayRef<llvm::StringRef> texts) {
    if (launch.scalars.empty()) return llvm::Error::success();
    std::map<int64_t, int64_t> number_of;  // by place
    for (size_t k = 0; k < launch.params.size(); ++k)
      number_of[static_cast<int64_t>(launch.PlaceOf(k))] = static_cast<int64_t>(k);
    for (auto [k, param] : llvm::enumerate(launch.params)) {
      if (!param.starts_as) continue;
      auto found = number_of.find(*param.starts_as);
      if (found == number_of.end()) {
        const size_t place = launch.PlaceOf(k);
        return FailAt(texts[place], "parameter " + llvm::Twine(place) + " starts as parameter " +
                                        llvm::Twine(*param.starts_as) +
                                        ", expected one that is in a buffer");
      }
      param.starts_as = found->second;
    }
    return llvm::Error::success();
  }

  llvm::StringRef text_, where_;
  std::vector<std::pair<llvm::StringRef, int64_t>> memories_of_scalars_;
};

}  // namespace

llvm::Expected<Launch> ParseLaunch(llvm::StringRef json, llvm::StringRef where) {
  return Reader(json, where).Read();
}

}  // namespace affirm::kernel
