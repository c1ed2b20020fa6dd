// The only file that includes CLI11.
#include "tools/affirm/command_line.h"

#include <CLI/CLI.hpp>
#include <optional>
#include <type_traits>

#include "driver/build_facts.h"
#include "driver/exit_status.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include "tools/affirm/numbers.h"

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
  const std::string range = std::to_string(least) + " to " + std::to_string(most);
  option_->check(
      [=](const std::string& text) {
        int64_t value = 0;
        const bool is_within = ReadNumber(text, value).empty() && least <= value && value <= most;
        return is_within ? "" : "'" + text + "', expected a number from " + range;
      },
      most == INT64_MAX ? "INT >= " + std::to_string(least)
                        : "INT in [" + std::to_string(least) + " - " + std::to_string(most) + "]");
  return *this;
}

namespace {

// A check of a number, as CLI11 wants it: the text of what is wrong.
auto NumberThat(bool (*holds)(double, double), double least, const char* expected) {
  return [=](const std::string& text) {
    double value = 0;
    if (ReadNumber(text, value).empty() && holds(value, least)) return std::string();
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

OptionHandle OptionHandle::Repeated() {
  option_->allow_extra_args(false);
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

namespace {

template <typename T>
struct ValueOf {
  using Type = T;
};
template <typename T>
struct ValueOf<std::optional<T>> {
  using Type = T;
};

// Before all checks: CLI11 reads integers in the base of their prefix, and takes what does not fit
// for the largest number and an empty text for 0. It gets no text but such as it reads alike.
template <typename T>
std::string MakeCanonical(std::string& text) {
  T value = 0;
  std::string wrong = ReadNumber(text, value);
  if (std::is_integral_v<T> && wrong.empty()) text = std::to_string(value);
  return wrong;
}

}  // namespace

template <typename T>
OptionHandle Verb::Option(const std::string& names, T& value, const std::string& help) {
  using Value = typename ValueOf<T>::Type;
  CLI::Option* option = app_->add_option(names, value, help);
  if constexpr (std::is_arithmetic_v<Value>)
    option->transform(CLI::Validator(MakeCanonical<Value>, ""));
  return OptionHandle(option);
}

OptionHandle Verb::Sizes(const std::string& names, std::vector<int64_t>& sizes,
                         const std::string& help) {
  CLI::Option* option = app_->add_option(
      names,
      [&sizes](const CLI::results_t& texts) { return ReadSizes(texts.front(), sizes).empty(); },
      help);
  option->type_name("INT,...");
  option->check([](const std::string& text) {
    std::vector<int64_t> read;
    return ReadSizes(text, read);
  });
  return OptionHandle(option);
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

OptionHandle Verb::Flag(const std::string& names, bool& value, const std::string& help) {
  return OptionHandle(app_->add_flag(names, value, help));
}

OptionHandle Verb::Count(const std::string& names, int& value, const std::string& help) {
  return OptionHandle(app_->add_flag(names, value, help));
}

OptionHandle Verb::Find(const std::string& name) { return OptionHandle(app_->get_option(name)); }

void Verb::Footer(const std::string& text) { app_->footer(text); }

void Verb::Run(std::function<int()> run) {
  app_->callback([run = std::move(run), status = status_] { *status = run(); });
}

CommandLine::CommandLine(const std::string& about, const std::string& name)
    : app_(std::make_unique<CLI::App>(about, name)) {
  app_->require_subcommand(0, 1);
  app_->set_version_flag("--version", driver::BuildFacts,
                         "Print the version and what it was built of");
}

CommandLine::~CommandLine() = default;

Verb CommandLine::Add(const std::string& name, const std::string& help) {
  return Verb(app_->add_subcommand(name, help), status_);
}

void CommandLine::Footer(const std::string& text) { app_->footer(text); }

namespace {

// ", did you mean 'check'?" for the nearest of some names, or nothing where none is near.
std::string Suggestion(llvm::StringRef written, const std::vector<std::string>& names) {
  const std::string* nearest = nullptr;
  unsigned least = static_cast<unsigned>(written.size()) / 3 + 2;  // this many edits are too many
  for (const std::string& name : names) {
    const unsigned distance = written.edit_distance(name, /*AllowReplacements=*/true, least);
    if (distance >= least) continue;
    least = distance;
    nearest = &name;
  }
  return nearest ? ", did you mean '" + *nearest + "'?" : "";
}

// The fault of arguments that CLI11 refuses, if it is an unknown name.
std::optional<std::string> UnknownName(CLI::App& app, int argc, char** argv) {
  if (app.get_subcommands().empty()) {
    if (argc < 2 || argv[1][0] == '-') return std::nullopt;
    std::vector<std::string> verbs;
    for (const CLI::App* verb : app.get_subcommands({})) verbs.push_back(verb->get_name());
    return std::string("no verb '") + argv[1] + "'" + Suggestion(argv[1], verbs);
  }
  const CLI::App& verb = *app.get_subcommands().front();
  for (const std::string& rest : verb.remaining()) {
    if (!llvm::StringRef(rest).starts_with("--")) continue;
    std::vector<std::string> options;
    for (const CLI::Option* option : verb.get_options()) {
      for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
    }
    const std::string name = llvm::StringRef(rest).split('=').first.str();
    return "no option '" + name + "' of " + verb.get_name() + Suggestion(name, options);
  }
  return std::nullopt;
}

}  // namespace

namespace {

OptionEntry EntryOf(const CLI::Option& option) {
  OptionEntry entry;
  for (const std::string& name : option.get_snames()) entry.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) entry.names.push_back("--" + name);
  if (entry.names.empty()) entry.names.push_back(option.get_single_name());
  entry.help = option.get_description();
  if (option.get_items_expected_max() == 0) return entry;
  // "TEXT:{bash,zsh,fish}", "INT:INT in [1 - 6]"
  const std::string type_name = option.get_type_name();
  auto [type, rest] = llvm::StringRef(type_name).split(':');
  entry.value = type.str();
  if (!rest.consume_front("{") || !rest.consume_back("}")) return entry;
  llvm::SmallVector<llvm::StringRef> values;
  rest.split(values, ',');
  entry.values.assign(values.begin(), values.end());
  return entry;
}

}  // namespace

OptionTable CommandLine::Table() const {
  OptionTable table{app_->get_name(), app_->get_description(), app_->get_footer(), {}};
  for (const CLI::App* verb : app_->get_subcommands([](const CLI::App*) { return true; })) {
    VerbEntry entry{verb->get_name(), verb->get_description(), verb->get_footer(), {}};
    for (const CLI::Option* option : verb->get_options()) entry.options.push_back(EntryOf(*option));
    table.verbs.push_back(std::move(entry));
  }
  return table;
}

int Written(int status) {
  llvm::outs().flush();
  if (!llvm::outs().has_error()) return status;
  const std::string why = llvm::outs().error().message();
  llvm::outs().clear_error();
  llvm::errs() << "affirm: error: cannot write the output: " << why << "\n";
  return driver::kBadInput;
}

int CommandLine::Run(int argc, char** argv) {
  // CLI11 reports by exceptions; they end here.
  try {
    app_->parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {  // --help, --version
      app_->exit(error);
      return Written(driver::kSuccess);
    }
    llvm::errs() << "affirm: error: " << UnknownName(*app_, argc, argv).value_or(error.what())
                 << "\n"
                 << "Run with --help for more information.\n";
    return driver::kBadInput;
  }
  if (app_->get_subcommands().empty()) llvm::outs() << app_->help();
  return Written(status_);
}

}  // namespace affirm::cli
