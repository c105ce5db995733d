package org.vramkit.api.device;

import java.util.Objects;

/**
 * A parameter of a kernel, as its module declares it.
 *
 * @param type the PTX type, such as {@code .u64} or {@code .b8[24]}; a size such as {@code 8 bytes}
 *     if the module is binary and contains no types
 * @param name the name; empty if the module contains none
 * @param offset the offset in the parameter space in bytes
 * @param size the size in bytes
 * @param addressAlignment the alignment of the memory at the passed address, a power of two, if the
 *     parameter is declared as a pointer with one; otherwise 1
 */
public record KernelParameter(
    String type, String name, int offset, int size, int addressAlignment) {

  /** Checks for null. */
  public KernelParameter {
    Objects.requireNonNull(type, "type");
    Objects.requireNonNull(name, "name");
  }

  @Override
  public String toString() {
    return name.isEmpty() ? type : type + " " + name;
  }
}
