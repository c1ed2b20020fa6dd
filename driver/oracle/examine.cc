// Judges answers on several threads, then the answers to answers.
#include "driver/oracle/examine.h"

#include "driver/parallel.h"

namespace affirm::driver {
namespace {

std::vector<Judgment> JudgeAll(llvm::ArrayRef<std::string> maps, llvm::ArrayRef<Answer> answers,
                               const ExamineOptions& options) {
  std::vector<Judgment> judgments;
  OrderedParallelFor<Judgment>(
      options.jobs, static_cast<int64_t>(maps.size()),
      [&](int64_t i) {
        const auto at = static_cast<size_t>(i);
        return Judge(maps[at], answers[at], options.decide);
      },
      [&](Judgment& judgment) { judgments.push_back(std::move(judgment)); });
  return judgments;
}

// Asks about those answers that are right and are not what the program was asked about.
llvm::Error AskAboutAnswers(ProgramRunner& runner, llvm::ArrayRef<std::string> maps,
                            FailureBudget& budget, const ExamineOptions& options,
                            Examination& examination) {
  std::vector<size_t> numbers;
  std::vector<std::string> answers;
  for (size_t i = 0; i < maps.size(); ++i) {
    const Judgment& judgment = examination.judgments[i];
    if (judgment.verdict != Judgment::Kind::kEqual) continue;
    if (SameText(maps[i], judgment.answer)) continue;
    numbers.push_back(i);
    answers.push_back(judgment.answer);
  }
  auto again = Ask(runner, answers, budget);
  if (!again) return again.takeError();
  for (size_t i = 0; i < answers.size(); ++i) {
    const Answer& second = again->answers[i];
    if (second.kind == Answer::Kind::kText && SameText(answers[i], second.text)) continue;
    Judgment judgment = Judge(answers[i], second, options.decide);
    if (judgment.verdict == Judgment::Kind::kEqual) {
      Judgment& first = examination.judgments[numbers[i]];
      first.verdict = Judgment::Kind::kFault;
      first.kind = FaultKind::kNotIdempotent;
      first.detail = "asked about its answer it prints: " + second.text;
    } else if (judgment.verdict != Judgment::Kind::kNotAsked) {
      examination.own_answers.push_back({answers[i], std::move(judgment)});
    }
  }
  if (!examination.batch_failure) examination.batch_failure = std::move(again->batch_failure);
  return llvm::Error::success();
}

}  // namespace

llvm::Expected<Examination> Examine(ProgramRunner& runner, llvm::ArrayRef<std::string> maps,
                                    FailureBudget& budget, const ExamineOptions& options) {
  auto asked = Ask(runner, maps, budget);
  if (!asked) return asked.takeError();
  Examination examination;
  examination.judgments = JudgeAll(maps, asked->answers, options);
  examination.batch_failure = std::move(asked->batch_failure);
  if (options.idempotence) {
    if (llvm::Error error = AskAboutAnswers(runner, maps, budget, options, examination)) {
      return error;
    }
  }
  return examination;
}

}  // namespace affirm::driver
