package org.vramkit.sim.hazard;

import java.util.List;
import java.util.Locale;
import java.util.Objects;

/**
 * The access on one side of a hazard.
 *
 * @param operation name of the operation, such as {@code kernel relu}
 * @param index number of the operation among all operations of the backend
 * @param stream the stream to which the operation was submitted, or {@code host}
 * @param thread name of the host thread that submitted the operation
 * @param kind the kind of the access
 * @param address first accessed byte; 0 if there is none
 * @param bytes number of accessed bytes
 * @param stack the stack of the call that submitted the operation; empty unless the checker keeps
 *     stacks
 * @param code the line of the kernel that made the access, such as {@code sum.cu:12 (sum.ptx:88)};
 *     empty for other work
 */
public record Access(
    String operation,
    long index,
    String stream,
    String thread,
    AccessKind kind,
    long address,
    long bytes,
    List<StackTraceElement> stack,
    String code) {
  /** Copies the stack. */
  public Access {
    Objects.requireNonNull(operation, "operation");
    Objects.requireNonNull(stream, "stream");
    Objects.requireNonNull(thread, "thread");
    Objects.requireNonNull(kind, "kind");
    stack = List.copyOf(Objects.requireNonNull(stack, "stack"));
    Objects.requireNonNull(code, "code");
  }

  /** Creates an access of work other than a kernel of a module. */
  public Access(
      String operation,
      long index,
      String stream,
      String thread,
      AccessKind kind,
      long address,
      long bytes,
      List<StackTraceElement> stack) {
    this(operation, index, stream, thread, kind, address, bytes, stack, "");
  }

  @Override
  public String toString() {
    return "#%s %s on %s by thread %s%s".formatted(index, operation, stream, thread, touched());
  }

  private String touched() {
    String how = kind.name().toLowerCase(Locale.ROOT);
    if (bytes > 0) {
      return ": %s [0x%x, +%s)".formatted(how, address, bytes);
    }
    return address == 0 ? "" : ": %s at 0x%x".formatted(how, address);
  }
}
