package org.vramkit.ptx.code;

import java.util.function.LongBinaryOperator;
import org.jspecify.annotations.Nullable;
import org.vramkit.ptx.step.Control;
import org.vramkit.ptx.step.Predicates;
import org.vramkit.ptx.step.Slot;
import org.vramkit.ptx.step.Special;
import org.vramkit.ptx.step.WarpFunctions;
import org.vramkit.ptx.syntax.Instruction;
import org.vramkit.ptx.syntax.Operand;
import org.vramkit.ptx.syntax.Type;

/** Translates barriers and functions of the warp. */
final class WarpInstructions {
  private final FunctionTranslator t;

  WarpInstructions(FunctionTranslator translator) {
    this.t = translator;
  }

  boolean translate(Instruction at) {
    switch (at.opcode) {
      case "bar", "barrier" -> barrier(at);
      case "shfl" -> shuffle(at);
      case "vote" -> vote(at);
      case "match" -> match(at);
      case "redux" -> reduce(at);
      case "elect" -> elect(at);
      case "activemask" ->
          t.emit(new Special(target(at, 0, Type.B32), (warp, frame, lane) -> warp.active()));
      default -> {
        return false;
      }
    }
    return true;
  }

  private Slot target(Instruction at, int index, Type type) {
    return t.required(at.operands.get(index), type, false);
  }

  private Slot word(Instruction at, int index) {
    return t.source(at.operands.get(index), Type.B32);
  }

  private void barrier(Instruction at) {
    if (at.has("warp")) {
      t.emit(new WarpFunctions.Sync(word(at, 0)));
      return;
    }
    if (at.has("cluster")) {
      t.program.refuse(at.name, at.place);
      return;
    }
    if (at.has("red")) {
      int count = at.operands.size();
      Slot number = word(at, 1);
      Slot threads = count > 3 ? word(at, 2) : null;
      Predicates.Source vote = t.predicate(at.operands.get(count - 1));
      String operator = at.firstOf("popc", "and", "or");
      Slot target = target(at, 0, operator.equals("popc") ? Type.B32 : Type.PRED);
      if (vote != null) {
        t.emit(new Control.VotingBarrier(number, threads, vote, target, operator));
      }
      return;
    }
    Slot number = at.operands.isEmpty() ? t.constant(0, 32) : word(at, 0);
    Slot threads = at.operands.size() > 1 ? word(at, 1) : null;
    t.emit(new Control.Barrier(number, threads, !at.has("arrive"), null));
  }

  private void shuffle(Instruction at) {
    Operand first = at.operands.get(0);
    Slot valid = null;
    if (first instanceof Operand.Pair pair) {
      first = pair.first();
      valid = t.target(pair.second(), Type.PRED, false);
    }
    WarpFunctions.Shuffle.Registers registers =
        new WarpFunctions.Shuffle.Registers(
            t.target(first, Type.B32, false), valid, word(at, 1), word(at, 2), word(at, 3));
    Slot members = at.has("sync") ? word(at, 4) : null;
    t.emit(new WarpFunctions.Shuffle(at.firstOf("up", "down", "bfly", "idx"), registers, members));
  }

  private void vote(Instruction at) {
    String mode = at.firstOf("all", "any", "uni", "ballot");
    Slot target = target(at, 0, mode.equals("ballot") ? Type.B32 : Type.PRED);
    Predicates.Source source = t.predicate(at.operands.get(1));
    Slot members = at.has("sync") ? word(at, 2) : null;
    if (source != null) {
      t.emit(new WarpFunctions.Vote(mode, target, source, members));
    }
  }

  private void match(Instruction at) {
    Operand first = at.operands.get(0);
    Slot agreed = null;
    if (first instanceof Operand.Pair pair) {
      first = pair.first();
      agreed = t.target(pair.second(), Type.PRED, false);
    }
    Slot target = t.required(first, Type.B32, false);
    Slot source = t.source(at.operands.get(1), at.getType());
    t.emit(new WarpFunctions.Match(at.has("any"), target, agreed, source, word(at, 2)));
  }

  private void reduce(Instruction at) {
    Type type = at.getType();
    LongBinaryOperator op = reduction(at, type);
    if (op == null || type.isFloat()) {
      t.program.refuse(at.name, at.place);
      return;
    }
    t.emit(new WarpFunctions.Reduce(op, target(at, 0, type), word(at, 1), word(at, 2)));
  }

  private static @Nullable LongBinaryOperator reduction(Instruction at, Type type) {
    boolean signed = type.isSigned();
    return switch (at.firstOf("add", "min", "max", "and", "or", "xor")) {
      case "add" -> (a, b) -> a + b;
      case "min" -> (a, b) -> less(a, b, type, signed) ? a : b;
      case "max" -> (a, b) -> less(a, b, type, signed) ? b : a;
      case "and" -> (a, b) -> a & b;
      case "or" -> (a, b) -> a | b;
      case "xor" -> (a, b) -> a ^ b;
      default -> null;
    };
  }

  private static boolean less(long a, long b, Type type, boolean signed) {
    return Integers.less(Integers.extend(a, type), Integers.extend(b, type), signed);
  }

  private void elect(Instruction at) {
    Operand first = at.operands.get(0);
    Slot elected = null;
    if (first instanceof Operand.Pair pair) {
      first = pair.first();
      elected = t.target(pair.second(), Type.PRED, false);
    }
    t.emit(new WarpFunctions.Elect(t.target(first, Type.B32, false), elected, word(at, 1)));
  }
}
