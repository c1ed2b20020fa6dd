// First steps of a user of the library: simplify a map, prove two maps equal, check a module.
#include <affirm/check.h>
#include <affirm/hlo.h>
#include <affirm/interpret.h>
#include <affirm/kernels.h>
#include <affirm/maps.h>
#include <affirm/prove.h>

#include <cstdio>
#include <string>

namespace {

// Says on stderr what was expected, and makes the program fail.
int failures = 0;
void Expect(bool holds, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "consumer: %s\n", what.c_str());
  ++failures;
}

affirm::IndexingMap Parse(const char* text, affirm::Context& context) {
  return llvm::cantFail(affirm::ParseIndexingMap(text, context));
}

}  // namespace

int main() {
  affirm::Context context;
  affirm::IndexingMap map =
      Parse("(d0) -> (d0 floordiv 4, d0 mod 4), domain: d0 in [0, 3]", context);
  affirm::IndexingMap simple = affirm::Simplify(map);
  Expect(simple.ToString() == "(d0) -> (0, d0), domain: d0 in [0, 3]", simple.ToString());
  Expect(affirm::ProveEqual(map, simple).verdict == affirm::Verdict::kProved, "they are equal");
  affirm::IndexingMap other = Parse("(d0) -> (0, 3 - d0), domain: d0 in [0, 3]", context);
  Expect(affirm::ProveEqual(map, other).verdict == affirm::Verdict::kRefuted, "they differ");

  auto modules = affirm::hlo::ParseModules(R"(
    HloModule m
    ENTRY e {
      p = f32[4,8] parameter(0)
      t = f32[8,4] transpose(p), dimensions={1,0}
      ROOT n = f32[8,4] negate(t)
    })",
                                           "m.hlo");
  if (!modules) {
    std::fprintf(stderr, "%s\n", llvm::toString(modules.takeError()).c_str());
    return 1;
  }
  affirm::driver::Checker checker({});
  affirm::driver::ModuleReport report =
      checker.Check(*modules->front(), "m.hlo", [](llvm::StringRef) {});
  Expect(report.status() == 0, report.verdict());
  std::printf("%s\n%s\n", simple.ToString().c_str(), report.verdict().c_str());
  return failures != 0;
}
