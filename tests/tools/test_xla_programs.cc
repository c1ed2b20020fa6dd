// `affirm xla` and `affirm fuzz xla` with programs that they start: a compiler, a compiled program.
// Shell scripts stand in for these programs.
#include <gtest/gtest.h>

#include <algorithm>

#include "llvm/Support/JSON.h"
#include "tests/tools/dump_names.h"
#include "tests/tools/run_affirm.h"

namespace affirm::testing {
namespace {

// The script stands in for XLA's compiler: it turns sums into differences.
TEST(Xla, ReducesTheModuleOfWhatIsWrong) {
  const std::string program =
      "f() { while [ $1 != --out ]; do shift; done; shift 2; for file in \"$@\"; do "
      "d=${file%.hlo}; mkdir -p $d; "
      "cp $file $d/m.before_optimizations.txt; "
      "sed 's/ add(/ subtract(/' $file > $d/m.cpu_after_optimizations.txt; done; }; f";
  const std::string before =
      "HloModule m\nENTRY e {\n  p = s32[6,4] parameter(0)\n  q = s32[4,6] parameter(1)\n"
      "  n = s32[6,4] negate(p)\n  t = s32[6,4] transpose(q), dimensions={1,0}\n"
      "  s = s32[6,4] add(n, t)\n  r = s32[24] reshape(s)\n  c = s32[6,4] copy(p)\n"
      "  ROOT o = (s32[24], s32[6,4]) tuple(r, c)\n}\n";
  std::string after = before;
  after.replace(after.find(" add("), 5, " subtract(");
  TemporaryFolder dump({{"m.before_optimizations.txt", before},
                        {"m.cpu_after_optimizations.txt", after},
                        {"small.hlo", ""}});
  const std::string small = dump.path() + "/small.hlo";
  RunResult r = RunAffirm({"xla", dump.path(), "--reduce", small, "--compiler", program});
  EXPECT_EQ(r.status, 1) << r.out << r.err;
  EXPECT_NE(r.out.find("reduced from 8 instructions to "), std::string::npos) << r.out;
  EXPECT_NE(r.out.find(" && affirm xla dump/small --seed 0"), std::string::npos) << r.out;
  const std::string text = ReadFile(small);
  EXPECT_NE(text.find(" add("), std::string::npos) << text;
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 8) << text;
  r = RunAffirm({"xla", dump.path(), "--reduce", small, "--compiler", program, "--json"});
  auto answer = llvm::json::parse(r.out);
  ASSERT_TRUE(static_cast<bool>(answer)) << llvm::toString(answer.takeError());
  EXPECT_EQ(answer->getAsObject()->getObject("reduced")->getInteger("instructions_before"), 8);
  // A compiler that does nothing wrong, none, and a file that cannot be written.
  const std::string right = program.substr(0, program.find("sed ")) +
                            "cp $file $d/m.cpu_after_optimizations.txt; done; }; f";
  r = RunAffirm({"xla", dump.path(), "--reduce", small, "--compiler", right});
  EXPECT_EQ(r.status, 3) << r.out << r.err;
  EXPECT_NE(r.err.find("does not go wrong in the same place (pass all passes) again"),
            std::string::npos)
      << r.err;
  EXPECT_EQ(RunAffirm({"xla", dump.path(), "--reduce", small, "--compiler", "false"}).status, 3);
  EXPECT_EQ(
      RunAffirm({"xla", dump.path(), "--reduce", "/dev/null/x", "--compiler", program}).status, 3);
}

TEST(FuzzXla, WithoutItsCompilerEndsWithOneLine) {
  RunResult r = RunAffirm({"fuzz", "xla", "--runs", "1", "--compiler", "false"});
  EXPECT_EQ(r.status, 3) << r.out << r.err;
  EXPECT_NE(r.err.find("XLA's compiler cannot be started by 'false"), std::string::npos) << r.err;
  EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
}

// The script stands in for the compiler: it writes a dump of one file, refuses, or dies.
TEST(FuzzXla, ChecksWhatTheCompilerLeaves) {
  auto run = [](const std::string& each) {
    const std::string program =
        "f() { shift 4; for file in \"$@\"; do "
        "d=${file%.hlo}; " +
        each + "; done; }; f";
    return RunAffirm(
        {"fuzz", "xla", "--runs", "3", "--no-reduce", "--out", "", "--compiler", program});
  };
  RunResult r =
      run("mkdir -p $d; cp $file $d/m.before_optimizations.txt; cp $file "
          "$d/m.cpu_after_optimizations.txt");
  EXPECT_EQ(r.status, 0) << r.out << r.err;
  EXPECT_NE(r.out.find("3 runs, 3 fine"), std::string::npos) << r.out;
  r = run("mkdir -p $d; echo no > $d/refused.txt");
  EXPECT_EQ(r.status, 0) << r.out << r.err;
  r = run("kill -ABRT $$");
  EXPECT_EQ(r.status, 1) << r.out << r.err;
  EXPECT_NE(r.out.find("3 crash"), std::string::npos) << r.out;
}

// A script stands in for the compiled program: it copies the argument to the result.
TEST(Xla, RunsTheWholeProgram) {
  const std::string copies =
      "f() { s=0; while [ -e $1/$s.0.bin ]; do cp $1/$s.0.bin $1/$s.result.0.bin; s=$((s+1)); "
      "done; }; f";
  auto dump_of = [](const std::string& operation) {
    const std::string text =
        "HloModule m, is_scheduled=true\nENTRY e { x = f32[4] parameter(0)\n "
        "ROOT r = f32[4] " +
        operation + "(x) }\n";
    return TemporaryFolder::Files{{kPass + "before_optimizations.txt", text},
                                  {kPass + "cpu_after_optimizations.txt", text}};
  };
  const TemporaryFolder right(dump_of("copy")), wrong(dump_of("negate"));
  // x + x + x (m tanh(1) - m tanh(1)), of which roundings may make anything: x tells nothing.
  const std::string noise =
      "HloModule m, is_scheduled=true\nENTRY e { x = f32[4] parameter(0) k = f32[] constant(1e9) "
      "m = f32[4] broadcast(k), dimensions={} o = f32[] constant(1) s = f32[4] broadcast(o), "
      "dimensions={} h = f32[4] tanh(s) p = f32[4] multiply(h, m) "
      "q = f32[4] multiply(m, h) n = f32[4] subtract(p, q) f = f32[4] multiply(n, x) "
      "t = f32[4] add(x, x) ROOT r = f32[4] add(t, f) }\n";
  const TemporaryFolder noisy({{kPass + "before_optimizations.txt", noise},
                               {kPass + "cpu_after_optimizations.txt", noise}});
  RunResult untested = RunAffirm({"xla", noisy.path(), "--run", copies, "-v"});
  EXPECT_NE(untested.out.find("was not tested: roundings move it"), std::string::npos)
      << untested.out << untested.err;
  EXPECT_NE(untested.out.find("run: unknown"), std::string::npos) << untested.out;
  // No program could be judged, so that what is assumed is not unknown for it.
  untested = RunAffirm({"xla", noisy.path(), "--run", copies, "--assume", "*"});
  EXPECT_EQ(untested.status, 0) << untested.out << untested.err;
  RunResult r = RunAffirm({"xla", right.path(), "--run", copies, "-v"});
  EXPECT_NE(r.out.find("run: executed  the compiled program ran without a difference"),
            std::string::npos)
      << r.out << r.err;
  EXPECT_EQ(RunAffirm({"xla", wrong.path()}).status, 2);
  r = RunAffirm({"xla", wrong.path(), "--run", copies});
  EXPECT_EQ(r.status, 1) << r.out << r.err;
  EXPECT_NE(r.out.find("the run of the compiled program"), std::string::npos) << r.out;
  r = RunAffirm({"xla", right.path(), "--run", "kill -SEGV $$; true"});
  EXPECT_EQ(r.status, 1) << r.out << r.err;
  EXPECT_NE(r.out.find("Segmentation fault"), std::string::npos) << r.out;
  // Signals of the out-of-memory killer and of a user are no crash of the program.
  for (const char* signal : {"KILL", "TERM"}) {
    r = RunAffirm({"xla", right.path(), "--run", std::string("kill -") + signal + " $$; true"});
    EXPECT_EQ(r.status, 2) << r.out << r.err;
  }
  r = RunAffirm({"xla", right.path(), "--run", "echo no >&2; exit 77; true", "-v"});
  EXPECT_EQ(r.status, 2) << r.out << r.err;
  EXPECT_NE(r.out.find("run: unknown  exit status 77: no"), std::string::npos) << r.out;
}

// The dump of a module that is its own optimized one: what a program of it is told.
std::string RunOf(const std::string& copies, const std::string& results) {
  const std::string program =
      "f() { s=0; while [ -e $1/$s.0.bin ]; do " + copies + "; s=$((s+1)); done; }; f";
  const std::string text =
      "HloModule m, is_scheduled=true\nENTRY e { x = f32[4] parameter(0)\n c = f32[4] copy(x)\n "
      "ROOT r = " +
      results + "(c, c) }\n";
  const TemporaryFolder dump(
      {{kPass + "before_optimizations.txt", text}, {kPass + "cpu_after_optimizations.txt", text}});
  const RunResult r = RunAffirm({"xla", dump.path(), "--run", program, "--accept", "executed"});
  return std::to_string(r.status) + " " + r.out;
}

// Each result of each set is written, in its size, or the program ran for nothing.
TEST(Xla, RunsWriteEachResult) {
  const std::string both = "(f32[4], f32[4]) tuple";
  auto copy = [](const std::string& to) { return "cp $1/$s.0.bin $1/$s.result." + to + ".bin"; };
  EXPECT_EQ(RunOf(copy("0") + "; " + copy("1"), both).front(), '0');
  // One set alone, one array alone, none, and arrays that are too short or too long.
  std::string said = RunOf("[ $s -gt 0 ] || { " + copy("0") + "; " + copy("1") + "; }", both);
  EXPECT_EQ(said.front(), '2') << said;
  EXPECT_NE(said.find("the program ended well and wrote no 1.result.0.bin"), std::string::npos)
      << said;
  said = RunOf(copy("0"), both);
  EXPECT_EQ(said.front(), '2') << said;
  EXPECT_NE(said.find("wrote no 0.result.1.bin"), std::string::npos) << said;
  said = RunOf("true", both);
  EXPECT_EQ(said.front(), '2') << said;
  said = RunOf(copy("0") + "; printf 1234 > $1/$s.result.1.bin", both);
  EXPECT_EQ(said.front(), '2') << said;
  EXPECT_NE(said.find("wrote 4 bytes to 0.result.1.bin, expected 16"), std::string::npos) << said;
  said = RunOf(copy("0") + "; cat $1/$s.0.bin $1/$s.0.bin > $1/$s.result.1.bin", both);
  EXPECT_EQ(said.front(), '2') << said;
}

// A dot by the identity in this precision. The program copies x with as many low bytes of each
// number as zeros.
RunResult RunOfProduct(const std::string& precision, int zeros) {
  const std::string cut =
      "for at in 0 4 8 12; do dd if=/dev/zero of=$1/$s.result.0.bin bs=1 seek=$at count=" +
      std::to_string(zeros) + " conv=notrunc 2> /dev/null; done";
  const std::string program =
      "f() { s=0; while [ -e $1/$s.0.bin ]; do cp $1/$s.0.bin $1/$s.result.0.bin; " + cut +
      "; s=$((s+1)); done; }; f";
  const std::string text =
      "HloModule m, is_scheduled=true\nENTRY e { x = f32[4] parameter(0)\n i = f32[4,4] "
      "constant({{1,0,0,0},{0,1,0,0},{0,0,1,0},{0,0,0,1}})\n ROOT d = f32[4] dot(x, i), "
      "lhs_contracting_dims={0}, rhs_contracting_dims={0}, operand_precision={" +
      precision + "," + precision + "} }\n";
  const TemporaryFolder dump(
      {{kPass + "before_optimizations.txt", text}, {kPass + "cpu_after_optimizations.txt", text}});
  return RunAffirm({"xla", dump.path(), "--run", program, "-v"});
}

// A device may multiply matrices of f32 in default precision by instructions for bf16.
TEST(Xla, ProgramsRoundOperandsOfProducts) {
  for (const int zeros : {0, 1, 2, 3}) {
    const RunResult r = RunOfProduct("default", zeros), highest = RunOfProduct("highest", zeros);
    EXPECT_EQ(r.status, zeros == 3 ? 1 : 2) << zeros << r.out << r.err;
    EXPECT_EQ(r.out.find("run: executed") != std::string::npos, zeros < 3) << zeros << r.out;
    EXPECT_EQ(highest.status, zeros == 0 ? 2 : 1) << zeros << highest.out << highest.err;
  }
}

// The same of one result on given arguments.
TEST(Run, ResultsOfRoundedProductsAreNotWrong) {
  auto status_of = [](const std::string& precision, const std::string& result) {
    const TemporaryFolder files(
        {{"d.hlo",
          "HloModule m\nENTRY e { x = f32[2] parameter(0) y = f32[2] parameter(1) ROOT d = f32[] "
          "dot(x, y), lhs_contracting_dims={0}, rhs_contracting_dims={0}, operand_precision={" +
              precision + "," + precision + "} }\n"},
         {"x.txt", "{1.0001, 0}\n"},
         {"y.txt", "{1, 0}\n"},
         {"r.txt", result + "\n"}});
    return RunAffirm({"run", files.path() + "/d.hlo", "--input", files.path() + "/x.txt", "--input",
                      files.path() + "/y.txt", "--compare", files.path() + "/r.txt"})
        .status;
  };
  EXPECT_EQ(status_of("default", "1"), 2);  // executed
  EXPECT_EQ(status_of("default", "1.1"), 1);
  EXPECT_EQ(status_of("highest", "1"), 1);
}

}  // namespace
}  // namespace affirm::testing
