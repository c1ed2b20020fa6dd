// The maps that the scanner finds in MLIR text are those that MLIR's parser finds, for random
// programs of several parts; and what MLIR refuses, the scanner refuses.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "driver/reports/mlir_scanner.h"
#include "llvm/ADT/StringExtras.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

namespace affirm::driver {
namespace {

using Texts = std::vector<std::string>;

// The strings of the body of #xla.indexing_map as MLIR has it; without escapes.
std::string JoinedStrings(llvm::StringRef body) {
  std::string text;
  llvm::SmallVector<llvm::StringRef> parts;
  body.split(parts, '"');
  for (size_t i = 1; i < parts.size(); i += 2) text += parts[i].str();
  return text;
}

// In the order of the text, each as often as it stands there (Attribute::walk leaves out repeats).
void Collect(mlir::Attribute attribute, Texts& texts) {
  if (auto array = mlir::dyn_cast<mlir::ArrayAttr>(attribute)) {
    for (mlir::Attribute element : array) Collect(element, texts);
  } else if (auto dictionary = mlir::dyn_cast<mlir::DictionaryAttr>(attribute)) {
    for (mlir::NamedAttribute named : dictionary) Collect(named.getValue(), texts);
  } else if (auto opaque = mlir::dyn_cast<mlir::OpaqueAttr>(attribute)) {
    if (opaque.getAttrData().starts_with("indexing_map"))
      texts.push_back(JoinedStrings(opaque.getAttrData()));
  }
}

// By MLIR's parser, which knows no dialect but its own; nullopt where it refuses.
std::optional<Texts> MapsByMlir(llvm::StringRef text) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.allowUnregisteredDialects();
  context.getDiagEngine().registerHandler([](mlir::Diagnostic&) { return mlir::success(); });
  llvm::SmallVector<llvm::StringRef> programs;
  text.split(programs, "// -----\n");
  Texts texts;
  for (llvm::StringRef program : programs) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(program, &context);
    if (!module) return std::nullopt;
    module->walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation* op) {
      for (mlir::NamedAttribute named : op->getAttrs()) Collect(named.getValue(), texts);
    });
  }
  return texts;
}

std::optional<Texts> MapsByScanner(llvm::StringRef text) {
  auto maps = ScanMlirMaps(text, "m.mlir");
  if (!maps) {
    RC_LOG() << llvm::toString(maps.takeError()) << "\n";
    return std::nullopt;
  }
  Texts texts;
  for (const MlirMap& map : *maps) texts.push_back(map.text);
  return texts;
}

// Programs in the generic form of operations.
class Generator {
 public:
  std::string File() {
    std::string text;
    for (int parts = *rc::gen::inRange(1, 4); parts > 0; --parts) {
      text += Program();
      if (parts > 1) text += "// -----\n";
    }
    return text;
  }

 private:
  static int Below(int n) { return *rc::gen::inRange(0, n); }

  std::string Program() {
    names_.clear();
    text_.clear();
    for (int count = Below(5); count > 0; --count) {
      Noise();
      const std::string name = *rc::gen::element<std::string>("map", "map0", "map1", "a$b", "m-1",
                                                              "_x", "y_", "7", "12");
      // A few are defined again, which is wrong.
      if (names_.contains(name) && Below(8) != 0) continue;
      const std::string value = Value(2);
      text_ += "#" + name + *rc::gen::element<std::string>(" = ", "=", " =\n  ") + value + "\n";
      names_[name] = true;
    }
    Operations(2);
    std::string all;
    for (const auto& [name, unused] : names_) all += (all.empty() ? "#" : ", #") + name;
    text_ += "\"z.all\"() {a = [" + all + "]} : () -> ()\n";
    return text_;
  }

  void Operations(int depth) {
    for (int count = Below(4); count > 0; --count) {
      Noise();
      switch (Below(5)) {
        case 0:
          if (depth > 0) {
            text_ += "builtin.module attributes {a.a = " + Value(1) + "} {\n";
            Operations(depth - 1);
            text_ += "}\n";
            break;
          }
          [[fallthrough]];
        case 1: {
          const std::string v = "%v" + std::to_string(next_++);
          text_ += v + ":2 = \"x.two\"() {a = " + Value(1) + "} : () -> (index, index)\n";
          text_ += "\"x.use\"(" + v + "#1, " + v + "#0) : (index, index) -> ()\n";
          break;
        }
        case 2:
          text_ += "\"x.s\"() {a = \"#map \\\" // \\\\\", b = " + Value(2) +
                   "} : () -> () loc(\"#map\":1:2)\n";
          break;
        default:
          text_ += "\"x.op\"() {a = " + Value(2) + ", b = " + Value(1) + "} : () -> ()" +
                   *rc::gen::element<std::string>("\n", "   // #map = 1\n", "\r\n", " ");
      }
    }
  }

  std::string Value(int depth) {
    switch (Below(depth > 0 ? 6 : 4)) {
      case 0:
      case 1: {
        std::string text = "#xla.indexing_map<";
        for (int parts = Below(3) + 1; parts > 0; --parts)
          text += "\"(d0) -> {" + std::to_string(Below(100)) + "}\"" +
                  *rc::gen::element<std::string>("", " ", "\n    ");
        return text + ">";
      }
      case 2:
      case 3: {
        // A few are defined nowhere, or later.
        if (names_.empty() && Below(8) != 0) return "42 : i64";
        if (names_.empty() || Below(30) == 0) return "#nowhere";
        auto at = names_.begin();
        std::advance(at, Below(static_cast<int>(names_.size())));
        return "#" + at->first;
      }
      case 4:
        return "[" + Value(depth - 1) + ", " + Value(depth - 1) + "]";
      default:
        return "{a = " + Value(depth - 1) + ", b = dense<[1, 2]> : tensor<2xi64>}";
    }
  }

  void Noise() {
    text_ += *rc::gen::element<std::string>("", "\n", "// #map = #xla.indexing_map<\"fake\">\n",
                                            "// \"unfinished {([<\n", "// ----- no end of a part\n",
                                            "  // -----=\n", "//-----\n");
  }

  std::map<std::string, bool> names_;
  std::string text_;
  int next_ = 0;
};

RC_GTEST_PROP(MlirScanner, FindsWhatTheParserFinds, ()) {
  const std::string text = Generator().File();
  RC_LOG() << text << "\n";
  const auto expected = MapsByMlir(text), found = MapsByScanner(text);
  RC_CLASSIFY(!expected.has_value(), "refused");
  RC_ASSERT(found == expected);
}

// Files with one character more, less or changed: whatever the scanner accepts, it reads as MLIR
// does where MLIR accepts it too.
RC_GTEST_PROP(MlirScanner, ReadsChangedFilesAsTheParserDoes, ()) {
  std::string text = Generator().File();
  const auto at = *rc::gen::inRange<size_t>(0, text.size());
  const char c =
      *rc::gen::element('"', '#', '{', '}', '<', '>', '=', '\\', '\n', ' ', '/', '(', 'x');
  switch (*rc::gen::inRange(0, 3)) {
    case 0:
      text.insert(at, 1, c);
      break;
    case 1:
      text.erase(at, 1);
      break;
    default:
      text[at] = c;
  }
  RC_LOG() << text << "\n";
  const auto found = MapsByScanner(text);
  if (!found) return;
  const auto expected = MapsByMlir(text);
  if (expected) RC_ASSERT(*found == *expected);
}

RC_GTEST_PROP(MlirScanner, UnescapesStringsAsMlirDoes, ()) {
  std::string literal = "\"";
  for (int parts = *rc::gen::inRange(0, 6); parts > 0; --parts) {
    literal += *rc::gen::element<std::string>("a", " ", "\\n", "\\t", "\\\"", "\\\\", "\\41",
                                              "\\e2", "é", "\\q", "\\4", "'");
  }
  literal += "\"";
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.getDiagEngine().registerHandler([](mlir::Diagnostic&) { return mlir::success(); });
  auto expected = mlir::dyn_cast_or_null<mlir::StringAttr>(mlir::parseAttribute(literal, &context));
  auto found = MapsByScanner("#xla.indexing_map<" + literal + ">");
  RC_LOG() << literal << "\n";
  RC_ASSERT(found.has_value() == (expected != nullptr));
  if (expected) RC_ASSERT(found->front() == expected.getValue().str());
}

struct Case {
  const char* text;
  const char* result;  // the texts with commas between them, or the error
};

TEST(MlirScanner, Cases) {
  const Case cases[] = {
      {"#a = #xla.indexing_map<\"A\">\n\"o\"() {m = #a} : () -> ()\n// -----\n"
       "#a = #xla.indexing_map<\"B\">\n\"o\"() {m = #a} : () -> ()\n",
       "A,B"},
      {"#a = #xla.indexing_map<\"A\">\n#a = #xla.indexing_map<\"B\">\n",
       "m:2:1: error: '#a' is defined again; programs of one file are separated by lines '// "
       "-----'"},
      {"\"o\"() {m = #a} : () -> ()\n#a = #xla.indexing_map<\"A\">\n",
       "m:1:12: error: nothing in front of this defines '#a'"},
      {"module {\n#a = #xla.indexing_map<\"A\">\n}",
       "m:2:1: error: '#a' is defined inside of something else"},
      {"module {\n// -----\n}", "m:1:8: error: '{' is not closed"},
      {"x.loop (%a)[%i] -> (%r) in #xla.indexing_map<\"A,\" // one\n  \" B\"> {\n}\n", "A, B"},
      {"#xla.indexing_map<>",
       "m:1:19: error: expected the text of a map in quotes, and '>' behind it"},
      {"#xla.indexing_map", "m:1:18: error: expected '<' and the text of a map"},
      {"#xla<indexing_map<\"A\">>", "A"},
      {"{-#\n dialect_resources: { builtin: { a: \"0x#\" } }\n#-}\n#xla.indexing_map<\"A\">", "A"},
      {"func.func @\"f{\"() {\n  return loc(#l)\n}\n#l = loc(\"{\":1:2)\n#xla.indexing_map<\"A\">",
       "A"},
      {"#s = affine_map<(d0)[s0] -> (d0 + s0)>\n\"o\"() {m = #s}", "(d0)[s0] -> (d0 + s0)"},
      {"#s = affine_set<(d0) : (d0 - 4 >= 0)>\n#xla.indexing_map<\"A\">", "A"},
      {"#a = ", "m:1:6: error: expected the value of a name"},
      {"\"a\n\"", "m:1:1: error: this string does not end on its line"},
      {"\x01", "m:1:1: error: this character begins nothing in MLIR"},
      {"// -----// IR Dump After X //----- //\n#a = #xla.indexing_map<\"A\">\n"
       "// -----// IR Dump After Y //----- //\n#a = #xla.indexing_map<\"B\">\n",
       "A,B"},
  };
  for (const Case& c : cases) {
    auto maps = ScanMlirMaps(c.text, "m");
    std::string result;
    if (maps) {
      for (const MlirMap& map : *maps) result += (result.empty() ? "" : ",") + map.text;
    } else {
      result = llvm::toString(maps.takeError());
    }
    EXPECT_EQ(result, c.result) << c.text;
  }
}

// Names of names: any number of uses from a short text.
TEST(MlirScanner, UsesAreBounded) {
  std::string text = "#a0 = #xla.indexing_map<\"A\">\n";
  for (int i = 1; i < 64; ++i) {
    const std::string before = "#a" + std::to_string(i - 1);
    text += "#a" + std::to_string(i) + " = [" + before + ", " + before + "]\n";
  }
  auto maps = ScanMlirMaps(text, "m");
  ASSERT_FALSE(static_cast<bool>(maps));
  EXPECT_NE(llvm::toString(maps.takeError()).find("more than a million maps"), std::string::npos);
  text = std::string(1'000'000, '(') + std::string(1'000'000, ')');
  EXPECT_TRUE(static_cast<bool>(ScanMlirMaps(text, "m")));
}

}  // namespace
}  // namespace affirm::driver
