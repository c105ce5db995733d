package org.vramkit.ptx.syntax;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A variable or parameter: its place in a state space, its size and its initial value. */
public final class Variable {
  public final String name;
  public final Space space;

  /** Type of an element. */
  public final Type type;

  public final int line;
  public long bytes;
  public int alignment;

  /** The declaration between space and name, such as {@code .u64 .ptr .global .align 4}. */
  public String declaration = "";

  /** True if the variable is declared as an array, and as one without a length. */
  public boolean array;

  public boolean unsized;
  public boolean external;

  /** The register that holds a parameter of a function; null for parameters in memory. */
  public @Nullable Register register;

  /** The initial value; null for zeros. */
  public byte @Nullable [] initial;

  public final List<Pointer> pointers = new ArrayList<>();

  Variable(String name, Space space, Type type, int line) {
    this.name = name;
    this.space = space;
    this.type = type;
    this.line = line;
  }

  /**
   * An address in an initial value.
   *
   * @param offset position in the variable
   * @param bytes width of the element
   * @param name the variable or function
   * @param addend number that is added to its address
   * @param shift bits that the address is shifted by, to the right
   */
  public record Pointer(int offset, int bytes, String name, long addend, int shift) {}
}
