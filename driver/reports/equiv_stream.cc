// affirm equiv --jsonl: a stream of questions, answered in order.
#include <cstdio>
#include <optional>

#include "core/symbolic/bounded_json.h"
#include "core/symbolic/error.h"
#include "driver/errors.h"
#include "driver/exit_status.h"
#include "driver/parallel.h"
#include "driver/progress.h"
#include "driver/reports/affine_text.h"
#include "driver/reports/equiv.h"
#include "driver/shell_command.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace affirm::driver {
namespace {

struct Line {
  std::string text;
  int64_t number = 0;
  bool too_long = false;
};

// A line of standard input without its end; nullopt at the end of the input. Of a line that is too
// long only the beginning is kept.
std::optional<Line> ReadLine(int64_t number) {
  constexpr size_t kMaxLine = size_t{64} << 20;
  Line line{.text = "", .number = number};
  int c;
  while ((c = getc_unlocked(stdin)) != EOF && c != '\n') {
    if (line.text.size() < kMaxLine) {
      line.text.push_back(static_cast<char>(c));
    } else {
      line.too_long = true;
    }
  }
  if (c == EOF && line.text.empty()) return std::nullopt;
  return line;
}

struct Reply {
  std::string text;
  int status = kSuccess;
  std::optional<ReportRecord> record = std::nullopt;
};

struct StreamAnswer {
  MapProofResult answer;
  ReportRecord record;
  std::string reading;
};

llvm::Expected<AffinePair> ReadPair(llvm::StringRef lhs, llvm::StringRef rhs, Context& context,
                                    const std::string& lhs_where, const std::string& rhs_where) {
  if (LooksAffine(lhs) || LooksAffine(rhs))
    return ReadAffinePair(lhs, rhs, context, lhs_where, rhs_where);
  auto a = ParseIndexingMap(lhs, context, lhs_where);
  if (!a) return a.takeError();
  auto b = ParseIndexingMap(rhs, context, rhs_where);
  if (!b) return b.takeError();
  if (llvm::Error error = CheckSamePoints(*a, *b, rhs_where + ":1:1")) return error;
  return AffinePair{std::move(*a), std::move(*b), ""};
}

llvm::Expected<StreamAnswer> AnswerObject(const llvm::json::Object& object, const EquivQuery& query,
                                          const std::string& where, int64_t line) {
  auto lhs = object.getString("lhs"), rhs = object.getString("rhs");
  if (!lhs || !rhs) {
    return MakeError(where + ":1: error: expected the strings \"lhs\" and \"rhs\"");
  }
  Context context;  // per line, so that memory does not grow with the stream
  auto maps = ReadPair(*lhs, *rhs, context, where + ":lhs", where + ":rhs");
  if (!maps) return maps.takeError();
  StreamAnswer of{.answer = query.Ask(maps->a, maps->b), .record = {}, .reading = maps->reading};
  const llvm::json::Value* id = object.get("id");
  std::string subject;
  if (const auto text = id ? id->getAsString() : std::nullopt) subject = text->str();
  if (id && subject.empty()) llvm::raw_string_ostream(subject) << *id;
  if (!id) subject = "line " + std::to_string(line);
  if (llvm::Error error = WriteCertificate(query, subject, of.answer, maps->a, maps->b))
    return error;
  // Lines move, and a baseline tells pairs without an id apart by what they say.
  of.record = RecordOf(query.relation, of.answer, maps->a, id ? subject : "", {"<stdin>", line, 0});
  of.record.aspect = lhs->str() + " and " + rhs->str();
  of.record.replay = "affirm equiv --relation " + query.relation + " --map-a " + ShellQuoted(*lhs) +
                     " --map-b " + ShellQuoted(*rhs);
  return of;
}

Reply ReplyTo(const Line& line, const EquivQuery& query) {
  std::string where = "<stdin>:" + std::to_string(line.number);
  llvm::json::Value id = nullptr;
  int64_t named = query.shard.IsWhole() ? 0 : line.number;
  auto fail = [&](const std::string& message) {
    RunReport report = BadInputReport("equiv", "<stdin>", message);
    report.records.front().subject = "line " + std::to_string(line.number);
    return Reply{ErrorLine(id, message, named), kBadInput, std::move(report.records.front())};
  };
  bool ours = query.shard.Has(static_cast<uint64_t>(line.number - 1));
  if (!ours || llvm::StringRef(line.text).trim().empty()) return {};
  if (line.too_long) return fail(where + ":1: error: line is too long, expected {id, lhs, rhs}");
  auto value = ParseJson(line.text);
  if (!value) return fail(where + ":1: error: not JSON: " + MessageOf(value.takeError()));
  const llvm::json::Object* object = value->getAsObject();
  if (!object) return fail(where + ":1: error: expected a JSON object {id, lhs, rhs}");
  if (const llvm::json::Value* given = object->get("id")) id = *given;
  auto of = AnswerObject(*object, query, where, line.number);
  if (!of) return fail(MessageOf(of.takeError()));
  return {AnswerLine(id, query, of->answer, named, of->reading), StatusOf(of->answer.verdict),
          std::move(of->record)};
}

// The options that answers depend on, as the report of a shard names them.
std::string AskedOf(const EquivQuery& query) {
  return "--relation " + query.relation + (query.decide.cross_check ? " --cross-check" : "");
}

}  // namespace

int EquivStream(const EquivQuery& query, bool print, const OnPair& on_pair) {
  int status = kSuccess;
  int64_t number = 0, lines = 0, answers = 0;
  bool is_asked = false;
  Progress progress;
  InputDigest input;
  OrderedParallelFor<Line, Reply>(
      query.jobs,
      [&] {
        std::optional<Line> line = ReadLine(++number);
        if (line) input.Add(line->text);
        is_asked |= line && !llvm::StringRef(line->text).trim().empty();
        return line;
      },
      [&](Line& line) { return ReplyTo(line, query); },
      [&](Reply& reply) {
        progress.Clear();
        if (print) {
          llvm::outs() << reply.text;
          llvm::outs().flush();
        } else if (reply.status == kBadInput) {
          llvm::errs() << reply.text;
        }
        if (reply.record) on_pair(std::move(*reply.record));
        answers += reply.text.empty() ? 0 : 1;
        progress.Show("line " + llvm::Twine(++lines));
        status = Worse(status, reply.status);
      });
  if (!is_asked) {
    const std::string error =
        "<stdin>:1:1: error: holds no question, expected lines {id, lhs, rhs}";
    (print ? llvm::outs() : llvm::errs()) << ErrorLine(nullptr, error);
    on_pair(std::move(BadInputReport("equiv", "<stdin>", error).records.front()));
    return kBadInput;
  }
  // The end of a shard, by which `merge` sees that it has all of the run, and nothing of another.
  if (print && !query.shard.IsWhole()) {
    llvm::outs() << llvm::json::Value(llvm::json::Object{{"shard", ToString(query.shard)},
                                                         {"lines", lines},
                                                         {"answers", answers},
                                                         {"asked", AskedOf(query)},
                                                         {"input", input.text()}})
                 << "\n";
  }
  return status;
}

}  // namespace affirm::driver
