// The rooms and their one-way doors: every #include stays within the room or goes to a room above
// it.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

// From the top down; a room may use those before it.
const std::vector<std::string> kRooms = {
    "core/symbolic", "core/indexing",      "core/simplify", "core/hlo",    "core/analysis",
    "verify/decide", "verify/certificate", "verify/rules",  "verify/maps", "verify/hlo",
    "verify/width",  "verify/reference",   "emit",          "fuzz",        "tools",
};

std::optional<size_t> RoomOf(const std::string& path) {
  for (size_t i = 0; i < kRooms.size(); ++i) {
    if (path.starts_with(kRooms[i] + "/")) return i;
  }
  return std::nullopt;
}

// Why `file` may not include `header`; empty when it may.
std::string Violation(const std::string& file, const std::string& header) {
  bool in_emit = file.starts_with("emit/");
  bool in_verify = file.starts_with("verify/");
  if (header.starts_with("mlir/") && !in_emit) return "MLIR belongs to emit/";
  if ((header.starts_with("isl/") || header.starts_with("z3")) && !in_verify) {
    return "solvers belong to verify/";
  }
  auto from = RoomOf(file), to = RoomOf(header);
  bool checker =
      file.starts_with("verify/certificate/") || file.starts_with("tools/check_certificate/");
  if (checker &&
      (to ? kRooms[*to] != "verify/certificate" : header.find('/') != std::string::npos)) {
    return "the certificate checker stands alone";
  }
  if (!from || !to) return "";
  if (*to > *from) return kRooms[*from] + " is above " + kRooms[*to];
  if (kRooms[*from] == "core/hlo" &&
      (kRooms[*to] == "core/indexing" || kRooms[*to] == "core/simplify")) {
    return "core/hlo knows nothing of maps";
  }
  return "";
}

std::string IncludedBy(std::string line) {
  line.erase(0, line.find_first_not_of(" \t"));
  if (!line.starts_with("#include")) return "";
  size_t open = line.find_first_of("\"<");
  size_t close = line.find_last_of("\">");
  return open == std::string::npos || close <= open ? "" : line.substr(open + 1, close - open - 1);
}

std::vector<std::string> SourceFiles() {
  std::vector<std::string> files;
  for (const char* top : {"core", "verify", "emit", "fuzz", "tools"}) {
    for (const auto& entry : fs::recursive_directory_iterator(top)) {
      auto extension = entry.path().extension();
      if (extension == ".h" || extension == ".cc") files.push_back(entry.path().generic_string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

TEST(RoomsTest, DoorsAreOneWay) {
  int64_t includes = 0;
  for (const std::string& file : SourceFiles()) {
    std::ifstream in(file);
    int number = 0;
    for (std::string line; std::getline(in, line);) {
      ++number;
      std::string header = IncludedBy(line);
      if (header.empty()) continue;
      ++includes;
      EXPECT_EQ(Violation(file, header), "") << file << ":" << number << " includes " << header;
    }
  }
  EXPECT_GT(includes, 100) << "run in the source folder";
}

TEST(RoomsTest, EverySourceFileIsInARoom) {
  for (const std::string& file : SourceFiles()) EXPECT_TRUE(RoomOf(file)) << file;
}

// The check itself can fail.
TEST(RoomsTest, WrongDoorsAreSeen) {
  EXPECT_NE(Violation("core/symbolic/expr.h", "core/hlo/shape.h"), "");
  EXPECT_NE(Violation("core/analysis/indexing.cc", "verify/maps/maps.h"), "");
  EXPECT_NE(Violation("core/hlo/shape.h", "core/indexing/indexing_map.h"), "");
  EXPECT_NE(Violation("tools/affirm/main.cc", "mlir/IR/Builders.h"), "");
  EXPECT_NE(Violation("core/simplify/simplify.cc", "z3++.h"), "");
  EXPECT_NE(Violation("verify/certificate/check.cc", "core/symbolic/expr.h"), "");
  EXPECT_NE(Violation("tools/check_certificate/main.cc", "llvm/ADT/StringRef.h"), "");
  EXPECT_EQ(Violation("verify/certificate/check.cc", "verify/certificate/integers.h"), "");
  EXPECT_EQ(Violation("verify/decide/isl_decider.cc", "isl/set.h"), "");
  EXPECT_EQ(Violation("emit/kernel.cc", "core/hlo/module.h"), "");
  EXPECT_EQ(IncludedBy("  #include \"a/b.h\"  // why"), "a/b.h");
  EXPECT_EQ(IncludedBy("#include <vector>"), "vector");
}

}  // namespace
