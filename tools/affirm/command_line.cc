// The only file that includes CLI11.
#include "tools/affirm/command_line.h"

#include <CLI/CLI.hpp>
#include <cmath>
#include <optional>

#include "driver/exit_status.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

namespace affirm::cli {

OptionHandle OptionHandle::Required() {
  option_->required();
  return *this;
}

OptionHandle OptionHandle::OneOf(std::vector<std::string> values) {
  option_->check(CLI::IsMember(std::move(values)));
  return *this;
}

OptionHandle OptionHandle::Within(int64_t least, int64_t most) {
  option_->check(CLI::Range(least, most));
  return *this;
}

namespace {

// A check of a number, as CLI11 wants it: the text of what is wrong.
auto NumberThat(bool (*holds)(double, double), double least, const char* expected) {
  return [=](const std::string& text) {
    double value = 0;
    if (CLI::detail::lexical_cast(text, value) && std::isfinite(value) && holds(value, least)) {
      return std::string();
    }
    std::string wanted;
    llvm::raw_string_ostream(wanted)
        << "'" << text << "', expected a number " << expected << " " << llvm::format("%g", least);
    return wanted;
  };
}

}  // namespace

OptionHandle OptionHandle::Above(double least) {
  option_->check(NumberThat([](double v, double l) { return v > l; }, least, "above"));
  return *this;
}

OptionHandle OptionHandle::AtLeast(double least) {
  option_->check(NumberThat([](double v, double l) { return v >= l; }, least, "of at least"));
  return *this;
}

OptionHandle OptionHandle::Count(int least, int most) {
  option_->expected(least, most);
  return *this;
}

OptionHandle OptionHandle::Delimiter(char delimiter) {
  option_->delimiter(delimiter);
  return *this;
}

OptionHandle OptionHandle::ShowDefault() {
  option_->capture_default_str();
  return *this;
}

OptionHandle OptionHandle::Needs(OptionHandle other) {
  option_->needs(other.option_);
  return *this;
}

OptionHandle OptionHandle::Excludes(OptionHandle other) {
  option_->excludes(other.option_);
  return *this;
}

template <typename T>
OptionHandle Verb::Option(const std::string& names, T& value, const std::string& help) {
  return OptionHandle(app_->add_option(names, value, help));
}

template OptionHandle Verb::Option(const std::string&, std::string&, const std::string&);
template OptionHandle Verb::Option(const std::string&, int64_t&, const std::string&);
template OptionHandle Verb::Option(const std::string&, uint64_t&, const std::string&);
template OptionHandle Verb::Option(const std::string&, unsigned&, const std::string&);
template OptionHandle Verb::Option(const std::string&, double&, const std::string&);
template OptionHandle Verb::Option(const std::string&, std::optional<uint64_t>&,
                                   const std::string&);
template OptionHandle Verb::Option(const std::string&, std::optional<std::string>&,
                                   const std::string&);
template OptionHandle Verb::Option(const std::string&, std::vector<std::string>&,
                                   const std::string&);
template OptionHandle Verb::Option(const std::string&, std::vector<int64_t>&, const std::string&);

OptionHandle Verb::Flag(const std::string& names, bool& value, const std::string& help) {
  return OptionHandle(app_->add_flag(names, value, help));
}

OptionHandle Verb::Find(const std::string& name) { return OptionHandle(app_->get_option(name)); }

void Verb::Footer(const std::string& text) { app_->footer(text); }

void Verb::Run(std::function<int()> run) {
  app_->callback([run = std::move(run), status = status_] { *status = run(); });
}

CommandLine::CommandLine(const std::string& about, const std::string& name)
    : app_(std::make_unique<CLI::App>(about, name)) {
  app_->require_subcommand(1);
}

CommandLine::~CommandLine() = default;

Verb CommandLine::Add(const std::string& name, const std::string& help) {
  return Verb(app_->add_subcommand(name, help), status_);
}

void CommandLine::Footer(const std::string& text) { app_->footer(text); }

int CommandLine::Run(int argc, char** argv) {
  // CLI11 reports by exceptions; they end here.
  try {
    app_->parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {  // --help
      app_->exit(error);
      return driver::kSuccess;
    }
    llvm::errs() << "affirm: error: " << error.what() << "\n"
                 << "Run with --help for more information.\n";
    return driver::kBadInput;
  }
  return status_;
}

}  // namespace affirm::cli
