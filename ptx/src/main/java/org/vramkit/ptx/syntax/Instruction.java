package org.vramkit.ptx.syntax;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.ptx.report.CodeLine;

/** An instruction: the guard, the name with its modifiers, and the operands. */
public final class Instruction {
  public final @Nullable Register guard;
  public final boolean negated;

  /** The name without modifiers, such as {@code ld}. */
  public final String opcode;

  /** The whole name, such as {@code ld.global.f32}. */
  public final String name;

  public final List<String> modifiers;
  public final List<Operand> operands;
  public final int line;
  public final CodeLine place;

  /** A bit for each byte that a load needs; the others may be unwritten. */
  public final int usedBytes;

  /** The types among the modifiers, in their order. */
  public final List<Type> types = new ArrayList<>(2);

  public Instruction(
      @Nullable Register guard,
      boolean negated,
      String name,
      List<Operand> operands,
      CodeLine place,
      int usedBytes) {
    this.guard = guard;
    this.negated = negated;
    this.name = name;
    List<String> parts = List.of(name.split("\\.", -1));
    this.opcode = parts.get(0);
    this.modifiers = parts.subList(1, parts.size());
    this.operands = List.copyOf(operands);
    this.line = place.ptxLine();
    this.place = place;
    this.usedBytes = usedBytes;
    for (String each : modifiers) {
      Type type = Type.of(each);
      if (type != null) {
        types.add(type);
      }
    }
  }

  public boolean has(String modifier) {
    return modifiers.contains(modifier);
  }

  /** Returns the first of these modifiers that the instruction has, or the empty string. */
  public String firstOf(String... choices) {
    for (String each : modifiers) {
      for (String choice : choices) {
        if (each.equals(choice)) {
          return each;
        }
      }
    }
    return "";
  }

  /** Returns the last type, which is that of the sources; B32 if there is none. */
  public Type getType() {
    return types.isEmpty() ? Type.B32 : types.get(types.size() - 1);
  }
}
