package org.vramkit.ptx.code;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.vramkit.ptx.syntax.Function;
import org.vramkit.ptx.syntax.Instruction;
import org.vramkit.ptx.syntax.Operand;

/**
 * Divides a function into straight lines: instructions that run one after the other, even if a jump
 * that nothing else joins lies between them. A call ends a line.
 */
final class StraightLines {
  /** The place of an instruction: its line, and its position in it. */
  record Place(int line, int position) {}

  private final Map<Instruction, Place> places = new HashMap<>();
  private final Function function;
  private final List<Instruction> all;

  StraightLines(Function function) {
    this.function = function;
    this.all = function.instructions;
    int count = all.size();
    int[] entries = new int[count + 1];
    entries[0] = 1;
    for (int i = 0; i < count; i++) {
      for (int next : successors(i)) {
        entries[next]++;
      }
    }
    boolean[] follows = new boolean[count + 1];
    for (int i = 0; i < count; i++) {
      int[] next = successors(i);
      if (next.length == 1 && entries[next[0]] == 1 && !all.get(i).opcode.equals("call")) {
        follows[next[0]] = true;
      }
    }
    for (int i = 0; i < count; i++) {
      for (int at = i, position = 0; !follows[i] && at < count; position++) {
        places.put(all.get(at), new Place(i, position));
        int[] next = successors(at);
        at = next.length == 1 && follows[next[0]] ? next[0] : count;
      }
    }
  }

  private int[] successors(int at) {
    Instruction each = all.get(at);
    List<Integer> targets = new ArrayList<>();
    boolean falls = each.guard != null;
    switch (each.opcode) {
      case "bra" -> {
        if (!each.operands.isEmpty() && each.operands.get(0) instanceof Operand.Name name) {
          targets.add(function.labels.getOrDefault(name.name(), all.size()));
        }
      }
      case "brx" -> {
        if (each.operands.size() > 1 && each.operands.get(1) instanceof Operand.Name list) {
          for (String label : function.targets.getOrDefault(list.name(), List.of())) {
            targets.add(function.labels.getOrDefault(label, all.size()));
          }
        }
      }
      case "ret", "exit", "trap" -> {}
      default -> falls = true;
    }
    if (falls) {
      targets.add(at + 1);
    }
    return targets.stream().mapToInt(Integer::intValue).distinct().toArray();
  }

  /** Returns the place of an instruction; null if none leads to it. */
  @Nullable Place placeOf(Instruction instruction) {
    return places.get(instruction);
  }
}
