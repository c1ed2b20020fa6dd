// Acceptance cases, maps in XLA's text form, where a folder of them lies next to the repository.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>

#include "core/analysis/layout.h"
#include "core/simplify/simplify.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "tests/analysis/hlo_text.h"

namespace affirm {
namespace {

using testing::Parse;
using testing::Parsed;

constexpr const char* kCases = "../shared/cases/analysis.jsonl";

// The maps in a run of text: each from its own "(...) ->" up to the next one.
std::vector<std::string> SplitMaps(const std::string& text) {
  static const std::regex start(
      R"(\(\s*(?:[A-Za-z]\w*(?:\s*,\s*[A-Za-z]\w*)*)?\s*\)\s*(?:\[[^\]]*\])?\s*(?:\{[^}]*\})?\s*->)");
  std::vector<size_t> at;
  for (std::sregex_iterator it(text.begin(), text.end(), start), end; it != end; ++it) {
    at.push_back(it->position());
  }
  at.push_back(text.size());
  std::vector<std::string> maps;
  for (size_t i = 0; i + 1 < at.size(); ++i) maps.push_back(text.substr(at[i], at[i + 1] - at[i]));
  return maps;
}

// {operand id: printed maps}; "unknown indexing" becomes UNDEFINED, lists of runtime variables are
// skipped.
std::map<int64_t, std::vector<std::string>> Expected(const std::string& text) {
  std::map<int64_t, std::vector<std::string>> out;
  static const std::regex header(R"(operand id = (\d+))");
  std::sregex_iterator it(text.begin(), text.end(), header), end;
  for (; it != end; ++it) {
    int64_t id = std::stoll((*it)[1]);
    size_t from = it->position() + it->length();
    auto next = std::next(it);
    std::string body = text.substr(from, next == end ? std::string::npos : next->position() - from);
    body = body.substr(0, body.find("runtime variables:"));
    out[id] = SplitMaps(body);
    if (out[id].empty() && body.find("unknown") != std::string::npos) {
      out[id].push_back("UNDEFINED");
    }
  }
  return out;
}

void CheckCase(const llvm::json::Object& c) {
  Parsed p = Parse(c.getString("hlo")->str());
  ASSERT_TRUE(p.root) << p.error;
  Context context;
  bool to_input = *c.getString("direction") == "output_to_input";
  int64_t index = *c.getInteger("index");
  InstructionIndexing got =
      to_input ? OutputToInput(*p.root, index, context) : InputToOutput(*p.root, index, context);
  if (*c.getBoolean("physical")) {
    got = ToPhysical(*p.root, got, to_input ? Direction::kOutputToInput : Direction::kInputToOutput,
                     index, context);
  }
  for (const auto& [id, texts] : Expected(c.getString("expected")->str())) {
    ASSERT_LT(id, static_cast<int64_t>(got.maps.size()));
    EXPECT_EQ(got.maps[id].size(), texts.size()) << "operand " << id;
    for (const std::string& text : texts) {
      auto want = ParseIndexingMap(text, context);
      ASSERT_TRUE(bool(want)) << llvm::toString(want.takeError());
      // Simplified further than the case, where its constraints allow that.
      const IndexingMap simplified = Simplify(*want);
      bool found = false;
      std::string have;
      for (const LabeledMap& m : got.maps[id]) {
        const IndexingMap map = testing::WithoutSources(m.map);
        found |= map == *want || map == simplified;
        have += m.map.ToString() + "\n";
      }
      EXPECT_TRUE(found) << "operand " << id << ": want " << want->ToString() << "\nhave " << have;
    }
  }
}

TEST(Cases, AnalysisMapsAreReproduced) {
  auto file = llvm::MemoryBuffer::getFile(kCases);
  if (!file) GTEST_SKIP() << kCases << " is not there";
  llvm::StringRef rest = (*file)->getBuffer();
  while (!rest.trim().empty()) {
    auto [line, more] = rest.split('\n');
    rest = more;
    auto value = llvm::json::parse(line);
    ASSERT_TRUE(bool(value)) << llvm::toString(value.takeError());
    SCOPED_TRACE(value->getAsObject()->getString("name")->str());
    CheckCase(*value->getAsObject());
  }
}

}  // namespace
}  // namespace affirm
