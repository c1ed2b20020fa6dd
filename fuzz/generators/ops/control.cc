// Instances of tuples, of the ops that call computations, of the asynchronous forms, and of those
// that talk to the host.
#include "fuzz/generators/op_instances.h"
#include "fuzz/generators/ops/families.h"

namespace affirm::fuzz {

namespace {

Shape Token() {
  Shape token;
  token.type = PrimitiveType::kToken;
  return token;
}

// One to three arrays, one of them in a tuple of its own now and then.
Shape AnyTuple(OpBuilder& b) {
  std::vector<Shape> elements;
  for (int64_t n = b.Small(1, 3); n > 0; --n) {
    elements.push_back(b.choices().OneIn(5) ? Shape::Tuple({AnyArray(b), AnyArray(b)})
                                            : AnyArray(b));
  }
  return Shape::Tuple(std::move(elements));
}

Instruction* Tuple(OpBuilder& b, Opcode opcode) {
  std::vector<Instruction*> operands;
  for (int64_t n = b.Small(1, 3); n > 0; --n) {
    const bool again = !operands.empty() && b.choices().OneIn(4);
    operands.push_back(again                  ? operands.back()
                       : b.choices().OneIn(5) ? b.Operand(AnyTuple(b))
                                              : b.MainOperand());
  }
  return b.Add(opcode, operands);
}

Instruction* GetTupleElement(OpBuilder& b, Opcode opcode) {
  Instruction* tuple = b.Operand(AnyTuple(b));
  Attributes attributes;
  attributes.tuple_index = static_cast<int64_t>(b.choices().Below(tuple->shape.tuple.size()));
  return b.Add(opcode, {tuple}, attributes);
}

// A few operations, the arrays between them included in the result now and then.
Instruction* Body(OpBuilder& body) {
  const Opcode opcode =
      body.AnyOpcode({Opcode::kNegate, Opcode::kTranspose, Opcode::kSlice, Opcode::kBroadcast,
                      Opcode::kReverse, Opcode::kPad, Opcode::kReduce, Opcode::kConcatenate,
                      Opcode::kDynamicSlice, Opcode::kReshape});
  Instruction* first = GenerateOp(body, opcode);
  if (!first->shape.IsArray() || body.choices().OneIn(3)) return first;
  // Complex numbers have no maximum.
  const Opcode join = hlo::IsComplex(first->shape.type) ? Opcode::kAdd : Opcode::kMaximum;
  Instruction* twice = body.Add(join, {first, first});
  if (!body.limits().tuples || body.Flip()) return twice;
  return body.Add(Opcode::kTuple, {twice, first});
}

std::vector<Instruction*> Arguments(OpBuilder& b, const Computation& callee) {
  std::vector<Instruction*> operands;
  operands.reserve(callee.parameters.size());
  for (const Instruction* parameter : callee.parameters) {
    operands.push_back(b.Operand(parameter->shape));
  }
  return operands;
}

Instruction* Call(OpBuilder& b, Opcode opcode) {
  Computation* callee = b.AddComputation("callee", Body);
  Attributes attributes;
  const bool fusion = opcode == Opcode::kFusion;
  if (fusion) attributes.fusion_kind = b.choices().Pick({"kLoop", "kInput", "kOutput"});
  return b.Add(opcode, Arguments(b, *callee), attributes, {},
               {{fusion ? "calls" : "to_apply", callee}});
}

// start gives ((operands), result, context), done the result.
Instruction* AsyncStart(OpBuilder& b, Opcode opcode) {
  Computation* callee = b.AddComputation("callee", Body);
  const std::vector<Instruction*> operands = Arguments(b, *callee);
  std::vector<Shape> shapes;
  shapes.reserve(operands.size());
  for (const Instruction* operand : operands) shapes.push_back(operand->shape);
  return b.Add(opcode, operands, {},
               Shape::Tuple({Shape::Tuple(shapes), callee->root->shape,
                             Shape::Array(PrimitiveType::kU32, {})}),
               {{"calls", callee}});
}

Instruction* AsyncUpdate(OpBuilder& b, Opcode opcode) {
  Instruction* start = AsyncStart(b, Opcode::kAsyncStart);
  return b.Add(opcode, {start}, {}, start->shape);
}

Instruction* AsyncDone(OpBuilder& b, Opcode opcode) {
  Instruction* start = AsyncStart(b, Opcode::kAsyncStart);
  return b.Add(opcode, {start}, {}, start->shape.tuple[1]);
}

Instruction* CopyStart(OpBuilder& b, Opcode opcode) {
  Instruction* operand = b.MainOperand();
  return b.Add(
      opcode, {operand}, {},
      Shape::Tuple({operand->shape, operand->shape, Shape::Array(PrimitiveType::kU32, {})}));
}

Instruction* CopyDone(OpBuilder& b, Opcode opcode) {
  Instruction* start = CopyStart(b, Opcode::kCopyStart);
  return b.Add(opcode, {start}, {}, start->shape.tuple[0]);
}

Instruction* Element(OpBuilder& body, Instruction* tuple, int64_t index) {
  Attributes attributes;
  attributes.tuple_index = index;
  return body.Add(Opcode::kGetTupleElement, {tuple}, attributes);
}

hlo::Literal Scalar(int64_t value) {
  hlo::Literal literal(Shape::Array(PrimitiveType::kS32, {}));
  literal.SetInt(0, value);
  return literal;
}

// (counter, kept, changed): counts up to a limit; hands one array through, reverses the other.
Instruction* While(OpBuilder& b, Opcode opcode) {
  const Shape state =
      Shape::Tuple({Shape::Array(PrimitiveType::kS32, {}), AnyArray(b), AnyArray(b)});
  Computation* condition = b.AddComputation("condition", [&](OpBuilder& body) {
    Instruction* counter = Element(body, body.Parameter(state), 0);
    Attributes attributes;
    attributes.comparison_direction = "LT";
    return body.Add(Opcode::kCompare, {counter, body.AddConstant(Scalar(b.Small(0, 3)))},
                    attributes);
  });
  Computation* step = b.AddComputation("step", [&](OpBuilder& body) {
    Instruction* in = body.Parameter(state);
    Instruction* counter =
        body.Add(Opcode::kAdd, {Element(body, in, 0), body.AddConstant(Scalar(1))});
    Instruction* changed = Element(body, in, 2);
    Attributes attributes;
    attributes.dimensions = body.Subset(changed->shape.rank());
    Instruction* reversed = body.Add(Opcode::kReverse, {changed}, attributes, changed->shape);
    return body.Add(Opcode::kTuple, {counter, Element(body, in, 1), reversed});
  });
  return b.Add(opcode, {b.Operand(state)}, {}, {}, {{"condition", condition}, {"body", step}});
}

// A branch gives its argument, reversed, or broadcast from a scalar.
Instruction* Conditional(OpBuilder& b, Opcode opcode) {
  Instruction* first = b.MainOperand();
  const Shape result = first->shape;
  const bool by_number = b.Flip();
  const int64_t count = by_number ? b.Small(1, 3) : 2;
  std::vector<Instruction*> operands = {
      b.Operand(Shape::Array(by_number ? PrimitiveType::kS32 : PrimitiveType::kPred, {}))};
  std::vector<std::pair<std::string, Computation*>> branches;
  for (int64_t k = 0; k < count; ++k) {
    const bool from_scalar = b.choices().OneIn(3);
    const Shape argument = from_scalar ? Shape::Array(result.type, {}) : result;
    Computation* branch = b.AddComputation("branch", [&](OpBuilder& body) {
      Attributes attributes;
      Instruction* in = body.Parameter(argument);
      if (from_scalar) return body.Add(Opcode::kBroadcast, {in}, attributes, result);
      attributes.dimensions = body.Subset(result.rank());
      return body.Add(Opcode::kReverse, {in}, attributes, result);
    });
    const char* key = by_number ? "branch_computations"
                      : k == 0  ? "true_computation"
                                : "false_computation";
    branches.emplace_back(key, branch);
    operands.push_back(k == 0 && !from_scalar ? first : b.Operand(argument));
  }
  return b.Add(opcode, operands, {}, {}, branches);
}

Instruction* AddDependency(OpBuilder& b, Opcode opcode) {
  Instruction* operand = b.MainOperand();
  return b.Add(opcode, {operand, b.Operand(Token())});
}

Instruction* AfterAll(OpBuilder& b, Opcode opcode) {
  std::vector<Instruction*> operands;
  for (int64_t n = b.Small(0, 2); n > 0; --n) operands.push_back(b.Operand(Token()));
  return b.Add(opcode, operands);
}

Instruction* Barrier(OpBuilder& b, Opcode opcode) {
  return b.Add(opcode, {b.Operand(AnyTuple(b))});
}

Instruction* Domain(OpBuilder& b, Opcode opcode) {
  Attributes attributes;
  attributes.extra = {{"domain", "{kind=\"sharding\", entry={maximal device=0}, exit={}}"}};
  return b.Add(opcode, {b.MainOperand()}, attributes);
}

Instruction* CustomCall(OpBuilder& b, Opcode opcode) {
  Attributes attributes;
  attributes.custom_call_target = "target";
  std::vector<Instruction*> operands = {b.MainOperand()};
  if (b.Flip()) operands.push_back(b.Operand(AnyTuple(b)));
  return b.Add(opcode, operands, attributes, b.Flip() ? AnyTuple(b) : AnyArray(b));
}

Attributes Channel() {
  Attributes attributes;
  attributes.extra = {{"channel_id", "1"}};
  return attributes;
}

Instruction* Infeed(OpBuilder& b, Opcode opcode) {
  Instruction* token = b.Operand(Token());
  return b.Add(opcode, {token}, {}, Shape::Tuple({AnyArray(b), Token()}));
}

Instruction* Outfeed(OpBuilder& b, Opcode opcode) {
  Instruction* value = b.MainOperand();
  Attributes attributes;
  attributes.extra = {{"outfeed_shape", value->shape.ToString()}};
  return b.Add(opcode, {value, b.Operand(Token())}, attributes, Token());
}

Instruction* Send(OpBuilder& b, Opcode opcode) {
  Instruction* value = b.MainOperand();
  return b.Add(opcode, {value, b.Operand(Token())}, Channel(),
               Shape::Tuple({value->shape, Shape::Array(PrimitiveType::kU32, {}), Token()}));
}

Instruction* SendDone(OpBuilder& b, Opcode opcode) {
  return b.Add(opcode, {Send(b, Opcode::kSend)}, Channel(), Token());
}

Instruction* Recv(OpBuilder& b, Opcode opcode) {
  return b.Add(opcode, {b.Operand(Token())}, Channel(),
               Shape::Tuple({AnyArray(b), Shape::Array(PrimitiveType::kU32, {}), Token()}));
}

Instruction* RecvDone(OpBuilder& b, Opcode opcode) {
  Instruction* start = Recv(b, Opcode::kRecv);
  return b.Add(opcode, {start}, Channel(), Shape::Tuple({start->shape.tuple[0], Token()}));
}

constexpr OpEntry kControlOps[] = {
    {Opcode::kAddDependency, AddDependency, InGraphs::kNever},
    {Opcode::kAfterAll, AfterAll, InGraphs::kNever},
    {Opcode::kAsyncDone, AsyncDone, InGraphs::kNever},
    {Opcode::kAsyncStart, AsyncStart, InGraphs::kNever},
    {Opcode::kAsyncUpdate, AsyncUpdate, InGraphs::kNever},
    {Opcode::kCall, Call},
    {Opcode::kConditional, Conditional, InGraphs::kGenerated},
    {Opcode::kCopyDone, CopyDone, InGraphs::kNever},
    {Opcode::kCopyStart, CopyStart, InGraphs::kNever},
    {Opcode::kCustomCall, CustomCall, InGraphs::kNever},
    {Opcode::kDomain, Domain},
    {Opcode::kFusion, Call, InGraphs::kNever},
    {Opcode::kGetTupleElement, GetTupleElement, InGraphs::kNever},
    {Opcode::kInfeed, Infeed, InGraphs::kNever},
    {Opcode::kOptimizationBarrier, Barrier},
    {Opcode::kOutfeed, Outfeed, InGraphs::kNever},
    {Opcode::kRecv, Recv, InGraphs::kNever},
    {Opcode::kRecvDone, RecvDone, InGraphs::kNever},
    {Opcode::kSend, Send, InGraphs::kNever},
    {Opcode::kSendDone, SendDone, InGraphs::kNever},
    {Opcode::kTuple, Tuple, InGraphs::kNever},
    {Opcode::kWhile, While, InGraphs::kGenerated},
};

}  // namespace

llvm::ArrayRef<OpEntry> ControlFamily() { return kControlOps; }

}  // namespace affirm::fuzz
