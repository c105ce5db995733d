package org.vramkit.ptx.step;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.vramkit.ptx.number.Op;
import org.vramkit.ptx.run.Frame;

/**
 * An operation on all lanes of a full warp. Each operation has a copy of the class {@link Template}
 * in which it is a constant, so the JIT compiles a loop for each, with the operation inlined.
 */
interface Loop {
  Map<String, Loop> COPIES = new ConcurrentHashMap<>();

  /** Applies the operation to registers; {@code mask} has the bits that the target keeps. */
  void compute(long[] target, long[] a, long[] b, long[] c, long mask);

  /** As {@link #compute}, with a predicate as the third operand. */
  void select(long[] target, long[] a, long[] b, int c, long mask);

  /** Returns the lanes for which the operation gives 1. */
  int test(long[] a, long[] b);

  /** Returns the loop of an operation; equal keys stand for equal operations. */
  static Loop of(String key, Op op) {
    return COPIES.computeIfAbsent(key, each -> copy(op));
  }

  private static Loop copy(Op op) {
    try (InputStream file = Loop.class.getResourceAsStream("Loop$Template.class")) {
      byte[] code = Objects.requireNonNull(file).readAllBytes();
      return (Loop)
          MethodHandles.lookup()
              .defineHiddenClassWithClassData(code, op, true)
              .lookupClass()
              .getDeclaredConstructor()
              .newInstance();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("the loop of an operation", e);
    }
  }

  /** The loops of one operation. */
  final class Template implements Loop {
    private static final Op OP = operation();

    private static Op operation() {
      try {
        return Objects.requireNonNull(
            MethodHandles.classData(MethodHandles.lookup(), "_", Op.class));
      } catch (IllegalAccessException e) {
        throw new LinkageError("the operation of a loop", e);
      }
    }

    @Override
    public void compute(long[] target, long[] a, long[] b, long[] c, long mask) {
      for (int i = 0; i < Frame.LANES; i++) {
        target[i] = OP.apply(a[i], b[i], c[i]) & mask;
      }
    }

    @Override
    public void select(long[] target, long[] a, long[] b, int c, long mask) {
      for (int i = 0; i < Frame.LANES; i++) {
        target[i] = OP.apply(a[i], b[i], c >>> i & 1) & mask;
      }
    }

    @Override
    public int test(long[] a, long[] b) {
      int bits = 0;
      for (int i = 0; i < Frame.LANES; i++) {
        bits |= (int) OP.apply(a[i], b[i], 0) << i;
      }
      return bits;
    }
  }
}
