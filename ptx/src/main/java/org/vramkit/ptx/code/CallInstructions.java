package org.vramkit.ptx.code;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.ptx.report.PtxException;
import org.vramkit.ptx.report.PtxStatus;
import org.vramkit.ptx.run.Arguments;
import org.vramkit.ptx.run.Arguments.Home;
import org.vramkit.ptx.run.Arguments.Value;
import org.vramkit.ptx.run.Code;
import org.vramkit.ptx.run.Slot;
import org.vramkit.ptx.step.Builtin;
import org.vramkit.ptx.step.Control;
import org.vramkit.ptx.syntax.Function;
import org.vramkit.ptx.syntax.Instruction;
import org.vramkit.ptx.syntax.Operand;
import org.vramkit.ptx.syntax.Space;
import org.vramkit.ptx.syntax.Type;
import org.vramkit.ptx.syntax.Variable;

/** Translates calls: direct ones, those through pointers, and those of the driver's functions. */
final class CallInstructions {
  private final FunctionTranslator t;

  CallInstructions(FunctionTranslator translator) {
    this.t = translator;
  }

  void translate(Instruction at) {
    List<Operand> operands = new ArrayList<>(at.operands);
    List<Operand> results = List.of();
    if (!operands.isEmpty() && operands.get(0) instanceof Operand.Group group) {
      results = group.elements();
      operands.remove(0);
    }
    Operand callee = operands.remove(0);
    List<Operand> arguments = List.of();
    if (!operands.isEmpty() && operands.get(0) instanceof Operand.Group group) {
      arguments = group.elements();
      operands.remove(0);
    }
    if (callee instanceof Operand.Name name) {
      direct(at, name.name(), results, arguments);
    } else {
      String list =
          operands.isEmpty() || !(operands.get(0) instanceof Operand.Name n) ? "" : n.name();
      indirect(t.source(callee, Type.U64), list, results, arguments);
    }
  }

  private void direct(Instruction at, String name, List<Operand> results, List<Operand> arguments) {
    Function function = t.program.function(name);
    if (function == null) {
      t.program.problems.add(at.line, "Call to '" + name + "' requires call prototype");
      t.program.problems.add(at.line, "Unknown symbol '" + name + "'");
      return;
    }
    if (results.size() != function.results.size()
        || arguments.size() != function.parameters.size()) {
      t.mismatch();
      return;
    }
    List<Value> passed = pair(function, function.parameters, arguments);
    List<Value> returned = pair(function, function.results, results);
    if (function.defined) {
      call(t.program.code(function), null, passed, returned);
    } else if (Builtin.provides(name)) {
      List<Home> given = passed.stream().map(Value::caller).toList();
      t.emit(new Builtin(name, given, returned.isEmpty() ? null : returned.get(0).caller()));
    } else {
      missing(at, name);
    }
  }

  private void missing(Instruction at, String name) {
    if (name.equals("cudaDeviceSynchronize")) {
      String message = "Unsupported Function '" + name + "' on arch 'sm_90' or higher";
      throw new PtxException(
          PtxStatus.UNSUPPORTED_DEVSIDE_SYNC,
          at.line,
          message,
          "ptxas application ptx input, line " + at.line + "; fatal   : " + message);
    }
    if (name.startsWith("cuda")) {
      t.program.refuse("call of " + name, at.place);
    } else {
      t.program.problems.add(0, "Unresolved extern function '" + name + "'");
    }
  }

  private void indirect(Slot pointer, String list, List<Operand> results, List<Operand> arguments) {
    t.program.addPointees();
    Function prototype = t.function.prototypes.get(list);
    List<String> targets = t.function.targets.get(list);
    if (prototype == null && targets != null && !targets.isEmpty()) {
      prototype = t.program.function(targets.get(0));
    }
    if (prototype == null
        || prototype.results.size() != results.size()
        || prototype.parameters.size() != arguments.size()) {
      t.mismatch();
      return;
    }
    call(
        null,
        pointer,
        pair(prototype, prototype.parameters, arguments),
        pair(prototype, prototype.results, results));
  }

  private void call(
      @Nullable Code code, @Nullable Slot pointer, List<Value> passed, List<Value> returned) {
    Arguments arguments = new Arguments(passed, returned, t.position() + 1);
    t.emit(new Control.Call(code, pointer, arguments));
  }

  /** Pairs what a caller gives or takes with the places that the function keeps it in. */
  private List<Value> pair(Function function, List<Variable> formal, List<Operand> actual) {
    List<Value> values = new ArrayList<>();
    FunctionTranslator.Places places = FunctionTranslator.Places.of(function);
    for (int i = 0; i < formal.size(); i++) {
      Variable inner = formal.get(i);
      Operand outer = actual.get(i);
      Slot register = null;
      int offset = 0;
      if (outer instanceof Operand.Name name
          && name.variable() != null
          && name.variable().space == Space.PARAM) {
        offset = t.localOffset(name.variable());
        if (name.variable().bytes != inner.bytes) {
          t.mismatch();
        }
      } else if (!(outer instanceof Operand.Sink)) {
        register = t.source(outer, inner.type.bits < 16 ? Type.B16 : inner.type, true);
      }
      Slot inside = inner.register == null ? null : Program.parameterSlot(function, inner);
      int calleeOffset = formal == function.results ? places.results()[i] : places.parameters()[i];
      int bytes = (int) inner.bytes;
      values.add(
          new Value(new Home(register, offset, bytes), new Home(inside, calleeOffset, bytes)));
    }
    return values;
  }
}
