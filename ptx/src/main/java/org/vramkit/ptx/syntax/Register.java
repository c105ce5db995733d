package org.vramkit.ptx.syntax;

/** A virtual register of a function. */
public final class Register {
  public final String name;
  public final Type type;

  Register(String name, Type type) {
    this.name = name;
    this.type = type;
  }

  @Override
  public String toString() {
    return name;
  }
}
