package org.vramkit.ptx.syntax;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** An operand of an instruction. */
public sealed interface Operand {
  /** A register; {@code selector} is a part of it, such as {@code b0}, or empty. */
  record Reg(Register register, String selector) implements Operand {}

  /** A special register, such as {@code %tid.x}. */
  record Special(String name) implements Operand {}

  /** A number; {@code kind} is i for an integer, f for bits of a float, d for bits of a double. */
  record Literal(long bits, char kind) implements Operand {
    /** Returns the value as a number. */
    public double toDouble() {
      return switch (kind) {
        case 'i' -> bits;
        case 'f' -> Float.intBitsToFloat((int) bits);
        default -> Double.longBitsToDouble(bits);
      };
    }

    /** Returns the bits that stand for the number in a type; integers in halves are bits. */
    public long toBits(Type type) {
      return switch (type) {
        case F64 -> kind == 'd' ? bits : Double.doubleToRawLongBits(toDouble());
        case F32 -> kind == 'f' ? bits : Float.floatToRawIntBits((float) toDouble()) & 0xffffffffL;
        default -> bits;
      };
    }
  }

  /** A variable, label, function or unknown name, plus a number of bytes. */
  record Name(String name, @Nullable Variable variable, long offset) implements Operand {}

  /** An address in brackets; {@code more} are further operands within them. */
  record Address(Operand base, long offset, List<Operand> more) implements Operand {}

  /** Elements in braces. */
  record Vector(List<Operand> elements) implements Operand {}

  /** Two destinations, as in {@code p|q}. */
  record Pair(Operand first, Operand second) implements Operand {}

  /** A negated predicate. */
  record Not(Operand operand) implements Operand {}

  /** The ignored destination {@code _}. */
  record Sink() implements Operand {}

  /** Operands in parentheses, of a call. */
  record Group(List<Operand> elements) implements Operand {}
}
