package org.vramkit.ptx;

/**
 * A parameter of a kernel.
 *
 * @param name its name in PTX
 * @param declaration its type in PTX, such as {@code .u64} or {@code .align 8 .b8 x[24]}
 * @param offset position of its first byte among the kernel's parameters
 * @param bytes its size
 * @param alignment a power of two
 * @param floating whether it is a floating-point number
 */
public record PtxParameter(
    String name, String declaration, int offset, int bytes, int alignment, boolean floating) {
  @Override
  public String toString() {
    return ".param " + declaration;
  }
}
