// Shell commands are run within their limits, whatever they do.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>

#include "driver/shell_command.h"

namespace affirm::driver {
namespace {

using End = ShellRun::End;

ShellRun Shell(const std::string& command, const std::string& input = "", ShellLimits limits = {}) {
  auto run = RunShell(command, input, limits);
  if (!run) {
    ADD_FAILURE() << llvm::toString(run.takeError());
    return {};
  }
  return std::move(*run);
}

double Seconds(std::chrono::steady_clock::time_point since) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - since).count();
}

TEST(ShellCommand, OutputErrorsAndStatusArrive) {
  ShellRun run = Shell("cat; echo oops >&2; exit 3", "text\n");
  EXPECT_EQ(run.end, End::kExited);
  EXPECT_EQ(run.status, 3);
  EXPECT_EQ(run.output, "text\n");
  EXPECT_EQ(run.errors, "oops\n");
  EXPECT_EQ(run.HowItEnded({}), "exit status 3");
}

TEST(ShellCommand, LargeInputsGoThrough) {
  const std::string input(8 << 20, 'x');
  EXPECT_EQ(Shell("cat", input).output, input);
  EXPECT_EQ(Shell("cat /dev/stdin | wc -c", input).output, "8388608\n");
}

TEST(ShellCommand, ReadingNothingIsNoError) {
  EXPECT_TRUE(Shell("true", std::string(8 << 20, 'x')).Succeeded());
  EXPECT_TRUE(Shell("exec <&-; true", std::string(8 << 20, 'x')).Succeeded());
}

TEST(ShellCommand, SignalsAreTold) {
  ShellRun run = Shell("kill -SEGV $$");
  EXPECT_EQ(run.end, End::kSignal);
  EXPECT_EQ(run.status, SIGSEGV);
  // One that the shell reports.
  run = Shell("sh -c 'kill -ABRT $$'; exit $?");
  EXPECT_EQ(run.end, End::kSignal);
  EXPECT_EQ(run.status, SIGABRT);
}

TEST(ShellCommand, OutputIsBounded) {
  ShellRun run = Shell("yes", "", {.seconds = 60, .bytes = 100000});
  EXPECT_EQ(run.end, End::kTooMuchOutput);
  EXPECT_EQ(run.output.size(), 100000u);
  run = Shell("yes >&2", "", {.seconds = 0.3});
  EXPECT_EQ(run.end, End::kTimeout);
  EXPECT_EQ(run.errors.size(), 4096u);
}

// Whether a process with this id exists that is no zombie.
bool IsAlive(const std::string& pid) {
  return Shell("ps -o stat= -p " + pid + " | grep -qv Z").Succeeded();
}

TEST(ShellCommand, TimeEndsTheWholeGroup) {
  auto start = std::chrono::steady_clock::now();
  // It ignores what can be ignored, has children, and one of them keeps the output open.
  ShellRun run =
      Shell("trap '' TERM INT HUP; sleep 100 & echo $!; sleep 100", "", {.seconds = 0.3});
  EXPECT_EQ(run.end, End::kTimeout);
  EXPECT_LT(Seconds(start), 20);
  EXPECT_FALSE(IsAlive(run.output.substr(0, run.output.find('\n')))) << run.output;
}

TEST(ShellCommand, WhatStaysBehindIsEnded) {
  // The shell ends at once; its child holds neither of the streams.
  ShellRun run = Shell("sleep 100 >/dev/null 2>&1 & echo $!");
  EXPECT_TRUE(run.Succeeded());
  EXPECT_FALSE(IsAlive(run.output.substr(0, run.output.find('\n')))) << run.output;
  // Closed streams are no end.
  run = Shell("exec >&- 2>&-; sleep 100", "", {.seconds = 0.3});
  EXPECT_EQ(run.end, End::kTimeout);
}

TEST(ShellCommand, QuotedTextIsOneWord) {
  const std::string text = "it's $HOME `x` \"y\"\\";
  EXPECT_EQ(Shell("printf %s " + ShellQuoted(text)).output, text);
  // Every byte, by itself and at both ends of a word.
  for (int byte = 1; byte < 256; ++byte) {
    const std::string one(1, static_cast<char>(byte)), word = one + "a" + one;
    EXPECT_EQ(Shell("printf %s " + ShellQuoted(one) + ShellQuoted(word)).output, one + word)
        << byte;
  }
  EXPECT_EQ(Shell("set -- " + ShellQuoted("") + " " + ShellQuoted("a b") + "; echo $#").output,
            "2\n");
}

TEST(ShellCommand, NamesAreNotQuotedWithoutNeed) {
  for (const char* name : {"m.hlo", "corpus/hlo/a-b_c.hlo", "I/N=1,2:3@4%5+6"})
    EXPECT_EQ(ShellQuoted(name), name);
  for (const char* name : {"", "a b", "~", "*", "a;b", "$x", "#", "!", "a\nb", "(x)"})
    EXPECT_NE(ShellQuoted(name), name);
}

}  // namespace
}  // namespace affirm::driver
