// Reading rules in tests.
#ifndef AFFIRM_TESTS_RULES_RULE_FILES_H_
#define AFFIRM_TESTS_RULES_RULE_FILES_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "core/simplify/rule.h"
#include "llvm/Support/MemoryBuffer.h"

namespace affirm {

inline std::vector<Rule> Parse(llvm::StringRef text, llvm::StringRef where = "test.rules") {
  auto rules = ParseRules(text, where);
  if (!rules) {
    ADD_FAILURE() << llvm::toString(rules.takeError());
    return {};
  }
  return *rules;
}

// All rules of the .rules files of a folder, files in the order of their names.
inline std::vector<Rule> RulesIn(const std::string& folder) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".rules") paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  std::vector<Rule> all;
  for (const std::string& path : paths) {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    if (!buffer) {
      ADD_FAILURE() << "cannot read " << path;
      continue;
    }
    for (Rule& r : Parse((*buffer)->getBuffer(), path)) all.push_back(std::move(r));
  }
  return all;
}

}  // namespace affirm

#endif  // AFFIRM_TESTS_RULES_RULE_FILES_H_
