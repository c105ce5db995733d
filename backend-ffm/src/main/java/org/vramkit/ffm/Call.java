package org.vramkit.ffm;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import org.jspecify.annotations.Nullable;
import org.vramkit.cuda.driver.CudaDriver;

/**
 * A driver function, which returns a {@code CUresult}. Each subclass stands for one list of
 * parameters, which its name spells: {@code L} has 64 bits and is a pointer, handle, size or device
 * address; {@code I} is an int, unsigned int or enum; {@code B} is an unsigned char. So a call with
 * wrong arguments does not compile, and a pointer is a plain number, not an object.
 *
 * <p>The method handles are constants, which the JVM compiles into the calls; their first argument
 * is the function's address. A handle is linked by its first call, which takes milliseconds, so a
 * program links only the few that it needs.
 */
abstract class Call {
  /** Null if the installed driver lacks the function. */
  final @Nullable MemorySegment function;

  private Call(@Nullable MemorySegment function) {
    this.function = function;
  }

  boolean isAbsent() {
    return function == null;
  }

  /** Wraps an exception that driver calls never throw. */
  static RuntimeException unexpected(Throwable thrown) {
    if (thrown instanceof Error error) {
      throw error;
    }
    return thrown instanceof RuntimeException same ? same : new IllegalStateException(thrown);
  }

  /** {@code CUresult (void)}. */
  static final class None extends Call {
    private static final class Linked {
      static final MethodHandle HANDLE = Downcall.NONE.handle();
    }

    None(@Nullable MemorySegment function) {
      super(function);
    }

    int call() {
      MemorySegment to = function;
      if (to == null) {
        return CudaDriver.UNSUPPORTED;
      }
      try {
        return (int) None.Linked.HANDLE.invokeExact(to);
      } catch (Throwable thrown) {
        throw unexpected(thrown);
      }
    }
  }

  /** {@code CUresult (int)}. */
  static final class I extends Call {
    private static final class Linked {
      static final MethodHandle HANDLE = Downcall.I.handle();
    }

    I(@Nullable MemorySegment function) {
      super(function);
    }

    int call(int a) {
      MemorySegment to = function;
      if (to == null) {
        return CudaDriver.UNSUPPORTED;
      }
      try {
        return (int) I.Linked.HANDLE.invokeExact(to, a);
      } catch (Throwable thrown) {
        throw unexpected(thrown);
      }
    }
  }

  /** {@code CUresult (long)}. */
  static final class L extends Call {
    private static final class Linked {
      static final MethodHandle HANDLE = Downcall.L.handle();
    }

    L(@Nullable MemorySegment function) {
      super(function);
    }

    int call(long a) {
      MemorySegment to = function;
      if (to == null) {
        return CudaDriver.UNSUPPORTED;
      }
      try {
        return (int) L.Linked.HANDLE.invokeExact(to, a);
      } catch (Throwable thrown) {
        throw unexpected(thrown);
      }
    }
  }

  /** {@code CUresult (long, int)}. */
  static final class LI extends Call {
    private static final class Linked {
      static final MethodHandle HANDLE = Downcall.LI.handle();
    }

    LI(@Nullable MemorySegment function) {
      super(function);
    }

    int call(long a, int b) {
      MemorySegment to = function;
      if (to == null) {
        return CudaDriver.UNSUPPORTED;
      }
      try {
        return (int) LI.Linked.HANDLE.invokeExact(to, a, b);
      } catch (Throwable thrown) {
        throw unexpected(thrown);
      }
    }
  }

  /** {@code CUresult (int, long)}. */
  static final class IL extends Call {
    private static final class Linked {
      static final MethodHandle HANDLE = Downcall.IL.handle();
    }

    IL(@Nullable MemorySegment function) {
      super(function);
    }

    int call(int a, long b) {
      MemorySegment to = function;
      if (to == null) {
        return CudaDriver.UNSUPPORTED;
      }
      try {
        return (int) IL.Linked.HANDLE.invokeExact(to, a, b);
      } catch (Throwable thrown) {
        throw unexpected(thrown);
      }
    }
  }

  /** {@code CUresult (long, int, int)}. */
  static final class LII extends Call {
    private static final class Linked {
      static final MethodHandle HANDLE = Downcall.LII.handle();
    }

    LII(@Nullable MemorySegment function) {
      super(function);
    }

    int call(long a, int b, int c) {
      MemorySegment to = function;
      if (to == null) {
        return CudaDriver.UNSUPPORTED;
      }
      try {
        return (int) LII.Linked.HANDLE.invokeExact(to, a, b, c);
      } catch (Throwable thrown) {
        throw unexpected(thrown);
      }
    }
  }

  /** {@code CUresult (long, long)}. */
  static final class LL extends Call {
    private static final class Linked {
      static final MethodHandle HANDLE = Downcall.LL.handle();
    }

    LL(@Nullable MemorySegment function) {
      super(function);
    }

    int call(long a, long b) {
      MemorySegment to = function;
      if (to == null) {
        return CudaDriver.UNSUPPORTED;
      }
      try {
        return (int) LL.Linked.HANDLE.invokeExact(to, a, b);
      } catch (Throwable thrown) {
        throw unexpected(thrown);
      }
    }
  }

  /** {@code CUresult (long, long, int)}. */
  static final class LLI extends Call {
    private static final class Linked {
      static final MethodHandle HANDLE = Downcall.LLI.handle();
    }

    LLI(@Nullable MemorySegment function) {
      super(function);
    }

    int call(long a, long b, int c) {
      MemorySegment to = function;
      if (to == null) {
        return CudaDriver.UNSUPPORTED;
      }
      try {
        return (int) LLI.Linked.HANDLE.invokeExact(to, a, b, c);
      } catch (Throwable thrown) {
        throw unexpected(thrown);
      }
    }
  }

  /** {@code CUresult (long, long, long)}. */
  static final class LLL extends Call {
    private static final class Linked {
      static final MethodHandle HANDLE = Downcall.LLL.handle();
    }

    LLL(@Nullable MemorySegment function) {
      super(function);
    }

    int call(long a, long b, long c) {
      MemorySegment to = function;
      if (to == null) {
        return CudaDriver.UNSUPPORTED;
      }
      try {
        return (int) LLL.Linked.HANDLE.invokeExact(to, a, b, c);
      } catch (Throwable thrown) {
        throw unexpected(thrown);
      }
    }
  }

  /** {@code CUresult (long, int, long)}. */
  static final class LIL extends Call {
    private static final class Linked {
      static final MethodHandle HANDLE = Downcall.LIL.handle();
    }

    LIL(@Nullable MemorySegment function) {
      super(function);
    }

    int call(long a, int b, long c) {
      MemorySegment to = function;
      if (to == null) {
        return CudaDriver.UNSUPPORTED;
      }
      try {
        return (int) LIL.Linked.HANDLE.invokeExact(to, a, b, c);
      } catch (Throwable thrown) {
        throw unexpected(thrown);
      }
    }
  }

  /** {@code CUresult (long, long, int, long, long)}. */
  static final class LLILL extends Call {
    private static final class Linked {
      static final MethodHandle HANDLE = Downcall.LLILL.handle();
    }

    LLILL(@Nullable MemorySegment function) {
      super(function);
    }

    int call(long a, long b, int c, long d, long e) {
      MemorySegment to = function;
      if (to == null) {
        return CudaDriver.UNSUPPORTED;
      }
      try {
        return (int) LLILL.Linked.HANDLE.invokeExact(to, a, b, c, d, e);
      } catch (Throwable thrown) {
        throw unexpected(thrown);
      }
    }
  }

  /** {@code CUresult (long, byte, long, long)}. */
  static final class LBLL extends Call {
    private static final class Linked {
      static final MethodHandle HANDLE = Downcall.LBLL.handle();
    }

    LBLL(@Nullable MemorySegment function) {
      super(function);
    }

    int call(long a, byte b, long c, long d) {
      MemorySegment to = function;
      if (to == null) {
        return CudaDriver.UNSUPPORTED;
      }
      try {
        return (int) LBLL.Linked.HANDLE.invokeExact(to, a, b, c, d);
      } catch (Throwable thrown) {
        throw unexpected(thrown);
      }
    }
  }

  /** {@code CUresult (long, long, long, long)}. */
  static final class LLLL extends Call {
    private static final class Linked {
      static final MethodHandle HANDLE = Downcall.LLLL.handle();
    }

    LLLL(@Nullable MemorySegment function) {
      super(function);
    }

    int call(long a, long b, long c, long d) {
      MemorySegment to = function;
      if (to == null) {
        return CudaDriver.UNSUPPORTED;
      }
      try {
        return (int) LLLL.Linked.HANDLE.invokeExact(to, a, b, c, d);
      } catch (Throwable thrown) {
        throw unexpected(thrown);
      }
    }
  }

  /** {@code CUresult (long, long, long, long, long)}. */
  static final class LLLLL extends Call {
    private static final class Linked {
      static final MethodHandle HANDLE = Downcall.LLLLL.handle();
    }

    LLLLL(@Nullable MemorySegment function) {
      super(function);
    }

    int call(long a, long b, long c, long d, long e) {
      MemorySegment to = function;
      if (to == null) {
        return CudaDriver.UNSUPPORTED;
      }
      try {
        return (int) LLLLL.Linked.HANDLE.invokeExact(to, a, b, c, d, e);
      } catch (Throwable thrown) {
        throw unexpected(thrown);
      }
    }
  }

  /** {@code CUresult (long, long, int, long)}. */
  static final class LLIL extends Call {
    private static final class Linked {
      static final MethodHandle HANDLE = Downcall.LLIL.handle();
    }

    LLIL(@Nullable MemorySegment function) {
      super(function);
    }

    int call(long a, long b, int c, long d) {
      MemorySegment to = function;
      if (to == null) {
        return CudaDriver.UNSUPPORTED;
      }
      try {
        return (int) LLIL.Linked.HANDLE.invokeExact(to, a, b, c, d);
      } catch (Throwable thrown) {
        throw unexpected(thrown);
      }
    }
  }

  /** {@code CUresult (long, long, long, long, long, int)}. */
  static final class LLLLLI extends Call {
    private static final class Linked {
      static final MethodHandle HANDLE = Downcall.LLLLLI.handle();
    }

    LLLLLI(@Nullable MemorySegment function) {
      super(function);
    }

    int call(long a, long b, long c, long d, long e, int f) {
      MemorySegment to = function;
      if (to == null) {
        return CudaDriver.UNSUPPORTED;
      }
      try {
        return (int) LLLLLI.Linked.HANDLE.invokeExact(to, a, b, c, d, e, f);
      } catch (Throwable thrown) {
        throw unexpected(thrown);
      }
    }
  }

  /** {@code CUresult (long, long, long, long, long, long, long, long, long)}. */
  static final class LLLLLLLLL extends Call {
    private static final class Linked {
      static final MethodHandle HANDLE = Downcall.LLLLLLLLL.handle();
    }

    LLLLLLLLL(@Nullable MemorySegment function) {
      super(function);
    }

    int call(long a, long b, long c, long d, long e, long f, long g, long h, long i) {
      MemorySegment to = function;
      if (to == null) {
        return CudaDriver.UNSUPPORTED;
      }
      try {
        return (int) LLLLLLLLL.Linked.HANDLE.invokeExact(to, a, b, c, d, e, f, g, h, i);
      } catch (Throwable thrown) {
        throw unexpected(thrown);
      }
    }
  }

  /** {@code CUresult (long, int, int, int, int, int, int, int, long, long, long)}. */
  static final class LIIIIIIILLL extends Call {
    private static final class Linked {
      static final MethodHandle HANDLE = Downcall.LIIIIIIILLL.handle();
    }

    LIIIIIIILLL(@Nullable MemorySegment function) {
      super(function);
    }

    int call(long a, int b, int c, int d, int e, int f, int g, int h, long i, long j, long k) {
      MemorySegment to = function;
      if (to == null) {
        return CudaDriver.UNSUPPORTED;
      }
      try {
        return (int) LIIIIIIILLL.Linked.HANDLE.invokeExact(to, a, b, c, d, e, f, g, h, i, j, k);
      } catch (Throwable thrown) {
        throw unexpected(thrown);
      }
    }
  }

  /**
   * {@code CUresult (long)} of a query that the driver answers at once. It is a critical call, in
   * which the thread does not change its state for the JVM, so it costs as much as in C. The
   * garbage collector waits for the call, as for Java code between two safepoints.
   */
  static final class Question extends Call {
    private static final class Linked {
      static final MethodHandle HANDLE = Downcall.QUESTION.handle();
    }

    private final boolean critical;

    Question(@Nullable MemorySegment function, boolean critical) {
      super(function);
      this.critical = critical;
    }

    int call(long a) {
      MemorySegment to = function;
      if (to == null) {
        return CudaDriver.UNSUPPORTED;
      }
      try {
        return critical
            ? (int) Question.Linked.HANDLE.invokeExact(to, a)
            : (int) L.Linked.HANDLE.invokeExact(to, a);
      } catch (Throwable thrown) {
        throw unexpected(thrown);
      }
    }
  }
}
