package org.vramkit.ptx.number;

/**
 * The value of an instruction for one lane. Operands are bits: those narrower than 64 bits are
 * zero-extended; unused ones are 0. Of the result, the bits of the destination count.
 */
@FunctionalInterface
public interface Op {
  long apply(long a, long b, long c);
}
