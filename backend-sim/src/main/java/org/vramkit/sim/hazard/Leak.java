package org.vramkit.sim.hazard;

import java.util.List;
import java.util.Objects;
import org.vramkit.api.units.ByteSize;

/**
 * Something that is still held.
 *
 * @param kind what it is
 * @param device ordinal of the device it belongs to
 * @param handle its address or handle
 * @param name what its user calls it; empty for what has no name
 * @param bytes its size; 0 for what has none
 * @param stack where it was made; empty unless the checker was told to keep stacks
 * @param collected whether its object was garbage-collected: nobody can close it any more
 */
public record Leak(
    LeakKind kind,
    int device,
    long handle,
    String name,
    long bytes,
    List<StackTraceElement> stack,
    boolean collected) {
  /** How many frames of the stack its text shows. */
  private static final int FRAMES = 6;

  /** Copies the stack. */
  public Leak {
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(name, "name");
    stack = List.copyOf(Objects.requireNonNull(stack, "stack"));
  }

  /** The frames of the stack that are the user's code; all, if none of them is. */
  public List<StackTraceElement> getUserFrames() {
    return Frames.ofUser(stack, stack.size());
  }

  /** What it is, and with the first frames of the user's code where it was made. */
  @Override
  public String toString() {
    return describe(FRAMES);
  }

  /** The same with at most so many frames. */
  String describe(int frames) {
    StringBuilder text = new StringBuilder(80);
    text.append(collected ? "LEAK_BY_GC: " : "LEAK: ").append(kind.getWords());
    text.append(name.isEmpty() ? "" : " " + name);
    if (bytes > 0) {
      text.append(" of ").append(ByteSize.format(bytes));
    }
    text.append(", 0x%x of device %s".formatted(handle, device))
        .append(collected ? ", was garbage-collected without a close" : ", is still held");
    Frames.ofUser(stack, frames).forEach(frame -> text.append("\n    at ").append(frame));
    return text.toString();
  }
}
