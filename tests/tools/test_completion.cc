// Completion in a shell, and the manual page: each verb and each option of `--help` is in them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/tools/run_affirm.h"

namespace affirm::testing {
namespace {

using ::testing::HasSubstr;

std::string Script(const std::string& shell) {
  const RunResult run = RunAffirm({"completion", shell});
  EXPECT_EQ(run.status, 0) << run.err;
  return run.out;
}

// The completions of bash behind the words, the last of which is being written.
std::string Completed(const std::string& words, int count) {
  const TemporaryFile script("affirm.bash", Script("bash"));
  const TemporaryFile answer("answer", "");
  const std::string command = "bash -c 'source " + script.path() + "; COMP_WORDS=(affirm " + words +
                              "); COMP_CWORD=" + std::to_string(count) +
                              "; _affirm; echo \"${COMPREPLY[*]}\"' > " + answer.path();
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  return ReadFile(answer.path());
}

TEST(Completion, OfBash) {
  EXPECT_EQ(Completed("che", 1), "check\n");
  EXPECT_EQ(Completed("check --tar", 2), "--target\n");
  EXPECT_EQ(Completed("check --target em", 3), "emulator\n");
  EXPECT_EQ(Completed("completion --h", 2), "--help\n");
  EXPECT_EQ(Completed("check corpus", 2), "\n");  // files, by default
}

TEST(Completion, HasAllThatHelpHas) {
  const std::string bash = Script("bash"), zsh = Script("zsh"), fish = Script("fish");
  const std::string manual = RunAffirm({"manual"}).out;
  for (const std::string verb : {"check", "xla", "audit", "fuzz"}) {
    const std::string help = RunAffirm({verb, "--help"}).out;
    int options = 0;
    for (size_t at = help.find("  --"); at != std::string::npos; at = help.find("  --", at + 1)) {
      if (help[at - 1] != '\n') continue;
      const std::string name = help.substr(at + 4, help.find_first_of(" ,\n", at + 4) - at - 4);
      SCOPED_TRACE(verb + " --" + name);
      EXPECT_THAT(bash, HasSubstr(" --" + name));
      EXPECT_THAT(zsh, HasSubstr("'--" + name + "["));
      EXPECT_THAT(fish, HasSubstr("'__fish_seen_subcommand_from " + verb + "' -l " + name));
      std::string hyphens;
      for (char c : name) hyphens += c == '-' ? "\\-" : std::string(1, c);
      EXPECT_THAT(manual, HasSubstr("\\fB\\-\\-" + hyphens + "\\fR"));
      ++options;
    }
    EXPECT_GT(options, 4) << help;
  }
}

TEST(Manual, IsSetWithoutAWarning) {
  const TemporaryFile page("affirm.1", RunAffirm({"manual"}).out);
  const TemporaryFile set("set", "");
  const std::string command =
      "groff -ww -man -Tascii -P-c " + page.path() + " > " + set.path() + " 2>&1";
  EXPECT_EQ(std::system(command.c_str()), 0);
  const std::string text = ReadFile(set.path());
  EXPECT_THAT(text, ::testing::Not(HasSubstr("warning:")));
  EXPECT_THAT(text, HasSubstr("$ affirm check corpus/hlo/softmax.hlo\n"));
}

}  // namespace
}  // namespace affirm::testing
