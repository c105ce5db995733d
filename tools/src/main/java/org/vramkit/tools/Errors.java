package org.vramkit.tools;

import java.io.PrintWriter;
import java.io.UncheckedIOException;
import org.vramkit.api.error.BackendNotAvailableException;
import org.vramkit.api.error.GpuException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.tools.replay.UsageException;
import org.vramkit.tools.trace.TraceException;
import picocli.CommandLine;

/** Prints errors, one line each, and maps them to exit codes. */
final class Errors {
  /** The command succeeded. */
  static final int OK = 0;

  /** The run itself failed. */
  static final int FAILED = 1;

  /** The request or the input cannot be used. */
  static final int BAD_INPUT = 2;

  private static final String DEBUG = "vramkit.debug";

  private final PrintWriter err;

  Errors(PrintWriter err) {
    this.err = err;
  }

  /** Prints a problem as one line; replaces control characters, which file names may contain. */
  void print(String problem) {
    String line = problem.strip().replaceAll("\\s*\\R\\s*", "; ");
    err.println("vramkit: " + line.replaceAll("\\p{Cntrl}", "?"));
    err.flush();
  }

  /** Prints a command line that picocli rejected. */
  int onUsage(CommandLine.ParameterException failure, String[] args) {
    print(UsageProblem.describe(failure));
    return BAD_INPUT;
  }

  /** Prints a failure and returns its exit code. */
  int on(Throwable failure) {
    return on("", failure);
  }

  /** Prints a failure with the prefix {@code where} and returns its exit code. */
  int on(String where, Throwable failure) {
    if (Boolean.getBoolean(DEBUG)) {
      failure.printStackTrace(err);
    }
    String message = String.valueOf(failure.getMessage());
    if (failure instanceof TraceException
        || failure instanceof UsageException
        || failure instanceof InvalidArgumentException
        || failure instanceof BackendNotAvailableException) {
      print(where + message);
      return BAD_INPUT;
    }
    if (failure instanceof GpuException || failure instanceof UncheckedIOException) {
      print(where + message);
      return FAILED;
    }
    if (failure instanceof OutOfMemoryError) {
      print(where + "the Java heap is too small; set JAVA_OPTS=-Xmx to more");
      return FAILED;
    }
    StackTraceElement[] stack = failure.getStackTrace();
    print(
        where
            + "internal error: "
            + failure
            + (stack.length == 0 ? "" : " at " + stack[0])
            + "; set JAVA_OPTS=-D"
            + DEBUG
            + "=true for the stack trace");
    return FAILED;
  }
}
