package org.vramkit.agent;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.error.CaptureException;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.GpuException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.error.NotSupportedException;

/** A refused call, which its caller sees as a status. */
final class CudaError extends RuntimeException {
  static final int INVALID_VALUE = 1;
  static final int OUT_OF_MEMORY = 2;
  static final int NOT_INITIALIZED = 3;
  static final int INVALID_PITCH_VALUE = 12;
  static final int INVALID_SYMBOL = 13;
  static final int INVALID_MEMCPY_DIRECTION = 21;
  static final int INCOMPATIBLE_CONTEXT = 49;
  static final int INVALID_DEVICE_FUNCTION = 98;
  static final int INVALID_DEVICE = 101;
  static final int INVALID_IMAGE = 200;
  static final int INVALID_CONTEXT = 201;
  static final int UNSUPPORTED_LIMIT = 215;
  static final int PEER_ACCESS_UNSUPPORTED = 217;
  static final int INVALID_PTX = 218;
  static final int FILE_NOT_FOUND = 301;
  static final int INVALID_HANDLE = 400;
  static final int ILLEGAL_STATE = 401;
  static final int NOT_FOUND = 500;
  static final int NOT_READY = 600;
  static final int PEER_ACCESS_ALREADY_ENABLED = 704;
  static final int PEER_ACCESS_NOT_ENABLED = 705;
  static final int CONTEXT_IS_DESTROYED = 709;
  static final int HOST_MEMORY_NOT_REGISTERED = 713;
  static final int COOPERATIVE_LAUNCH_TOO_LARGE = 720;
  static final int NOT_PERMITTED = 800;
  static final int NOT_SUPPORTED = 801;
  static final int CAPTURE_IMPLICIT = 906;
  static final int CAPTURED_EVENT = 907;
  static final int GRAPH_EXEC_UPDATE_FAILURE = 910;
  static final int CAPTURE_UNSUPPORTED = 900;
  static final int INVALID_CLUSTER_SIZE = 912;

  private static final long serialVersionUID = 1L;

  /** The names and texts of a status; names are null where an interface does not know it. */
  record Names(@Nullable String driver, @Nullable String runtime, String text) {}

  private static final Map<Integer, Names> NAMES = readNames();

  final int status;

  CudaError(int status) {
    super("status " + status, null, false, false);
    this.status = status;
  }

  /** Refuses a call unless a condition holds. */
  static void require(boolean condition, int status) {
    if (!condition) {
      throw new CudaError(status);
    }
  }

  /** Returns what was found, or refuses the call if it is null. */
  static <T> T found(@Nullable T value, int status) {
    if (value == null) {
      throw new CudaError(status);
    }
    return value;
  }

  /**
   * Returns the status for an exception of the simulator.
   *
   * @throws UnsupportedOperationException if the simulator lacks what the call asks for
   */
  static int statusOf(String function, RuntimeException thrown) {
    if (thrown instanceof CudaError refused) {
      return refused.status;
    }
    if (thrown instanceof NotSupportedException refused && refused.getStatus().code() == 0) {
      throw new UnsupportedOperationException(
          function + " is not simulated here: " + thrown.getMessage(), thrown);
    }
    if (thrown instanceof ClosedException) {
      return INVALID_HANDLE;
    }
    if (!(thrown instanceof GpuException error)) {
      throw thrown;
    }
    if (error.getStatus().code() != 0) {
      return error.getStatus().code();
    }
    if (error instanceof CaptureException) {
      return CAPTURE_UNSUPPORTED;
    }
    if (error instanceof InvalidArgumentException) {
      return INVALID_VALUE;
    }
    if (error instanceof DeviceOutOfMemoryException) {
      return OUT_OF_MEMORY;
    }
    throw thrown;
  }

  /** Returns the names of a status; null if there is none. */
  static @Nullable Names namesOf(int status) {
    return NAMES.get(status);
  }

  private static Map<Integer, Names> readNames() {
    Map<Integer, Names> names = new HashMap<>();
    for (String line : lines("errors.txt")) {
      String[] parts = line.split(" ", 4);
      String driver = parts[1].equals("-") ? null : parts[1];
      String runtime = parts[2].equals("-") ? null : parts[2];
      String named = Objects.requireNonNullElse(runtime, parts[1]);
      names.put(
          Integer.valueOf(parts[0]),
          new Names(driver, runtime, parts[3].equals("-") ? named : parts[3]));
    }
    return names;
  }

  /** Returns the lines of a table of this package, without empty ones and comments. */
  static Iterable<String> lines(String table) {
    InputStream file = Objects.requireNonNull(CudaError.class.getResourceAsStream(table), table);
    try (BufferedReader reader =
        new BufferedReader(new InputStreamReader(file, StandardCharsets.UTF_8))) {
      return reader
          .lines()
          .map(String::strip)
          .filter(line -> !line.isEmpty() && !line.startsWith("#"))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
