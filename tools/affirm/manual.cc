// The manual page, from the table of options.
#include "llvm/ADT/StringExtras.h"
#include "tools/affirm/option_table.h"

namespace affirm::cli {
namespace {

// Text as roff prints it: a minus for each hyphen, which people copy, and no requests at the start
// of a line.
std::string Plain(llvm::StringRef text) {
  std::string plain;
  for (char c : text) {
    if (c == '\\') {
      plain += "\\e";
    } else if (c == '-') {
      plain += "\\-";
    } else if (c == '\'' || c == '.') {
      plain += (plain.empty() || plain.back() == '\n' ? "\\&" : "") + std::string(1, c);
    } else {
      plain += c;
    }
  }
  return plain;
}

std::string Term(const OptionEntry& option) {
  std::vector<std::string> names;
  names.reserve(option.names.size());
  for (const std::string& name : option.names) names.push_back("\\fB" + Plain(name) + "\\fR");
  std::string term = llvm::join(names, ", ");
  if (!option.values.empty()) return term + " " + Plain(llvm::join(option.values, "|"));
  return option.value.empty() || option.positional()
             ? term
             : term + " \\fI" + Plain(option.value) + "\\fR";
}

// As it stands, line by line.
std::string Lines(const std::string& text) {
  return text.empty() ? "" : ".PP\n.nf\n" + Plain(text) + "\n.fi\n";
}

}  // namespace

std::string ManualPage(const OptionTable& table, const std::string& version) {
  std::string upper = llvm::StringRef(table.program).upper();
  std::string text = ".TH " + upper + " 1 \"\" \"" + version + "\"\n.SH NAME\n" + table.program +
                     " \\- " + Plain(table.about) + "\n.SH SYNOPSIS\n.B " + table.program +
                     "\n\\fIVERB\\fR [\\fIOPTIONS\\fR] [\\fIFILES\\fR]\n.SH VERBS\n";
  for (const VerbEntry& verb : table.verbs) {
    text += ".SS " + verb.name + "\n" + Plain(verb.help) + ".\n";
    for (const OptionEntry& option : verb.options)
      text += ".TP\n" + Term(option) + "\n" + Plain(option.help) + "\n";
    text += Lines(verb.footer);
  }
  return text + ".SH EXIT STATUS\n" + Lines(table.footer);
}

}  // namespace affirm::cli
