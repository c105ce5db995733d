package org.vramkit.agent;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A row of {@code functions.txt}, the table of all functions: what a call needs, and what it may
 * not do.
 *
 * @param function the name in C
 * @param needs what must be there, or is made, when it is called
 * @param marks what else the row says, by the words of the table
 * @param reason why it is not simulated; empty if it is
 */
record CallRow(String function, Needs needs, Set<String> marks, String reason) {
  private static final Map<String, CallRow> ROWS = read();

  /** The conditions of a call. */
  enum Needs {
    NOTHING {
      @Override
      void meet(CudaThread thread) {
        // Answered without a driver.
      }
    },
    /** A driver that {@code cuInit} has initialized. */
    INIT {
      @Override
      void meet(CudaThread thread) {
        CudaError.require(thread.process.initialized, CudaError.NOT_INITIALIZED);
      }
    },
    /** A current context. */
    CONTEXT {
      @Override
      void meet(CudaThread thread) {
        INIT.meet(thread);
        thread.context();
      }
    },
    /** The runtime, whose first call initializes the driver. */
    RUNTIME {
      @Override
      void meet(CudaThread thread) {
        thread.process.initialized = true;
      }
    },
    /** A current context, which the runtime makes of the device's primary one. */
    PRIMARY {
      @Override
      void meet(CudaThread thread) {
        thread.process.initialized = true;
        thread.useRuntimeContext();
      }
    };

    /** Makes what a call needs, or refuses the call. */
    abstract void meet(CudaThread thread);
  }

  /** Returns the name of the handler, which is that of another function if both do the same. */
  String handler() {
    return valueOf("as=", function);
  }

  /** Returns whether a host function may call it. */
  boolean inHostFunction() {
    return marks.contains("in-host-function");
  }

  /** Returns whether a thread may call it that captures a stream, in each mode. */
  boolean safeInCapture() {
    return !marks.contains("unsafe-in-capture");
  }

  /** Returns whether JCuda passes wrong arguments to the driver. */
  boolean onlyInJavaCpp() {
    return marks.contains("only-javacpp");
  }

  /** Returns whether {@code cudaGetLastError} returns its failures. */
  boolean setsLastError() {
    return marks.contains("sets-last-error");
  }

  /** Returns the status for null in the place of a kernel or a function. */
  int statusWithoutFunction() {
    return Integer.parseInt(valueOf("no-function=", String.valueOf(CudaError.INVALID_HANDLE)));
  }

  boolean isSimulated() {
    return reason.isEmpty();
  }

  /** Returns the row of a function; null if the table has none. */
  static @Nullable CallRow find(String function) {
    return ROWS.get(function);
  }

  static Map<String, CallRow> all() {
    return ROWS;
  }

  /** Returns the name of a parameter that JCuda refuses as null; null for each other one. */
  @Nullable String nameOf(int parameter) {
    String[] names = valueOf("null=", "").split(",", -1);
    String name = parameter < names.length ? names[parameter] : "";
    return name.isEmpty() || name.equals("-") ? null : name;
  }

  /** Returns why a function without a row is not simulated. */
  static String reasonOutside(String function) {
    return isFunction(function)
        ? "this version of the agent does not know it"
        : "arithmetic of CUDA's headers";
  }

  /** Returns whether a name can be one of a function. */
  static boolean isFunction(String name) {
    return name.matches("(cu|cuda|nvrtc)\\p{Upper}.*|setLogLevel");
  }

  private String valueOf(String key, String otherwise) {
    return marks.stream()
        .filter(each -> each.startsWith(key))
        .map(each -> each.substring(key.length()))
        .findFirst()
        .orElse(otherwise);
  }

  private static Map<String, CallRow> read() {
    Map<String, CallRow> rows = new HashMap<>();
    for (String line : CudaError.lines("functions.txt")) {
      String[] parts = line.split("\\s+", 3);
      boolean simulated = !parts[1].equals("-");
      String rest = parts.length < 3 ? "" : parts[2];
      CallRow row =
          new CallRow(
              parts[0],
              simulated ? Needs.valueOf(parts[1]) : Needs.NOTHING,
              simulated ? Set.of(rest.split("\\s+", -1)) : Set.of(),
              simulated ? "" : rest);
      if (rows.put(row.function, row) != null) {
        throw new IllegalStateException("two rows of " + row.function);
      }
    }
    return Map.copyOf(rows);
  }
}
