package org.vramkit.ptx.syntax;

/** A virtual register of a function. */
public final class Register {
  public final String name;
  public final Type type;

  /** Position among the registers of the function. */
  public final int index;

  Register(String name, Type type, int index) {
    this.name = name;
    this.type = type;
    this.index = index;
  }

  @Override
  public String toString() {
    return name;
  }
}
