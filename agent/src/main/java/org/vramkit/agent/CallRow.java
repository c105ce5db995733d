package org.vramkit.agent;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A row of {@code functions.txt}, the table of all functions: what a call needs, and what it may
 * not do. The handler of a function is the method of its name in a class of the binding.
 *
 * @param function the name in C
 * @param needs what must be there, or is made, when it is called
 * @param inHostFunction whether a host function may call it
 * @param setsLastError whether {@code cudaGetLastError} returns its failures
 * @param reason why it is not simulated; empty if it is
 */
record CallRow(
    String function, Needs needs, boolean inHostFunction, boolean setsLastError, String reason) {
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

  /** Returns whether a name can be one of a function. */
  static boolean isFunction(String name) {
    return name.startsWith("cu") || name.startsWith("nvrtc") || name.equals("setLogLevel");
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
              simulated && rest.contains("in-host-function"),
              simulated && rest.contains("sets-last-error"),
              simulated ? "" : rest);
      if (rows.put(row.function, row) != null) {
        throw new IllegalStateException("two rows of " + row.function);
      }
    }
    return Map.copyOf(rows);
  }
}
