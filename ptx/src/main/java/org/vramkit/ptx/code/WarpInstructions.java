package org.vramkit.ptx.code;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.vramkit.ptx.number.Op;
import org.vramkit.ptx.run.Slot;
import org.vramkit.ptx.step.Control;
import org.vramkit.ptx.step.Predicates;
import org.vramkit.ptx.step.Shuffle;
import org.vramkit.ptx.step.Special;
import org.vramkit.ptx.step.WarpFunction;
import org.vramkit.ptx.step.WarpFunction.Registers;
import org.vramkit.ptx.syntax.Instruction;
import org.vramkit.ptx.syntax.Operand;
import org.vramkit.ptx.syntax.Type;

/** Translates barriers and functions of the warp. */
final class WarpInstructions {
  private final FunctionTranslator t;

  WarpInstructions(FunctionTranslator translator) {
    this.t = translator;
  }

  private Slot target(Instruction at, int index, Type type) {
    return t.required(at.operands.get(index), type, false);
  }

  private Slot word(Instruction at, int index) {
    return t.source(at.operands.get(index), Type.B32);
  }

  void activeMask(Instruction at) {
    t.emit(new Special(target(at, 0, Type.B32), (warp, frame, lane) -> warp.active()));
  }

  void barrier(Instruction at) {
    if (at.has("warp")) {
      t.emit(WarpFunction.barrier(word(at, 0)));
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
        Control.Barrier.Vote votes = new Control.Barrier.Vote(vote, target, operator);
        t.emit(new Control.Barrier(number, threads, true, votes));
      }
      return;
    }
    Slot number = at.operands.isEmpty() ? t.constant(0, 32) : word(at, 0);
    Slot threads = at.operands.size() > 1 ? word(at, 1) : null;
    t.emit(new Control.Barrier(number, threads, !at.has("arrive"), null));
  }

  /** Returns the registers of {@code result|predicate} and, if it has a type, of the source. */
  private Registers registers(Instruction at, @Nullable Type source) {
    Operand first = at.operands.get(0);
    Slot predicate = null;
    if (first instanceof Operand.Pair pair) {
      first = pair.first();
      predicate = t.target(pair.second(), Type.PRED, false);
    }
    Slot target = t.target(first, Type.B32, false);
    Slot from = source == null ? null : t.source(at.operands.get(1), source);
    return new Registers(target, predicate, from);
  }

  void shuffle(Instruction at) {
    Registers registers = registers(at, Type.B32);
    Slot distance = word(at, 2);
    Slot clamp = word(at, 3);
    Slot members = at.has("sync") ? word(at, 4) : null;
    String mode = at.firstOf("up", "down", "bfly", "idx");
    t.emit(new Shuffle(mode, registers, distance, clamp, members));
  }

  void vote(Instruction at) {
    String mode = at.firstOf("all", "any", "uni", "ballot");
    Slot target = target(at, 0, mode.equals("ballot") ? Type.B32 : Type.PRED);
    Predicates.Source source = t.predicate(at.operands.get(1));
    Slot members = at.has("sync") ? word(at, 2) : null;
    if (source == null) {
      return;
    }
    int flipped = source.negated() ? -1 : 0;
    WarpFunction.Function vote =
        (values, all) -> {
          int bits = (lanesWith(values, 1) ^ flipped) & all;
          boolean every = bits == all;
          long value =
              switch (mode) {
                case "all" -> every ? 1 : 0;
                case "any" -> bits != 0 ? 1 : 0;
                case "uni" -> every || bits == 0 ? 1 : 0;
                default -> bits;
              };
          Arrays.fill(values, value);
          return 0;
        };
    t.emit(new WarpFunction(vote, new Registers(target, null, source.slot()), members));
  }

  private static int lanesWith(long[] values, long value) {
    int lanes = 0;
    for (int i = 0; i < values.length; i++) {
      lanes |= values[i] == value ? 1 << i : 0;
    }
    return lanes;
  }

  void match(Instruction at) {
    boolean any = at.has("any");
    WarpFunction.Function match =
        (values, all) -> {
          long[] given = values.clone();
          int agreed = -1;
          for (int i = 0; i < given.length; i++) {
            int same = lanesWith(given, given[i]) & all;
            values[i] = any || same == all ? same : 0;
            agreed &= same == all || (all >>> i & 1) == 0 ? -1 : 0;
          }
          return agreed;
        };
    t.emit(new WarpFunction(match, registers(at, at.getType()), word(at, 2)));
  }

  void reduce(Instruction at) {
    Type type = at.getType();
    Op op = Integers.reduction(at.firstOf("add", "min", "max", "and", "or", "xor"), type);
    if (op == null || type.isFloat()) {
      t.program.refuse(at.name, at.place);
      return;
    }
    WarpFunction.Function reduction =
        (values, all) -> {
          long result = values[Integer.numberOfTrailingZeros(all)];
          for (int lanes = all & (all - 1); lanes != 0; lanes &= lanes - 1) {
            result = op.apply(result, values[Integer.numberOfTrailingZeros(lanes)], 0);
          }
          Arrays.fill(values, result);
          return 0;
        };
    Registers registers = new Registers(target(at, 0, type), null, word(at, 1));
    t.emit(new WarpFunction(reduction, registers, word(at, 2)));
  }

  void elect(Instruction at) {
    WarpFunction.Function first =
        (values, all) -> {
          Arrays.fill(values, Integer.numberOfTrailingZeros(all));
          return Integer.lowestOneBit(all);
        };
    t.emit(new WarpFunction(first, registers(at, null), word(at, 1)));
  }
}
