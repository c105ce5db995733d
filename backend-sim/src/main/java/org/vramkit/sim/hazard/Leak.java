package org.vramkit.sim.hazard;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.vramkit.api.owner.ProgramCode;
import org.vramkit.api.units.ByteSize;

/**
 * An object or memory that is still open.
 *
 * @param kind the kind of the leak
 * @param device ordinal of its device
 * @param handle its address or handle
 * @param name the user's name for the object; empty if it has none
 * @param bytes its size; 0 if it has none
 * @param stack the stack of the call that created the object; empty unless the checker keeps stacks
 * @param collected whether the Java object was garbage-collected, so that it can no longer be
 *     closed
 */
public record Leak(
    LeakKind kind,
    int device,
    long handle,
    String name,
    long bytes,
    List<StackTraceElement> stack,
    boolean collected) {
  /** Number of frames that the text shows. */
  private static final int FRAMES = 6;

  /** Copies the stack. */
  public Leak {
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(name, "name");
    stack = List.copyOf(Objects.requireNonNull(stack, "stack"));
  }

  /** Returns the frames of the user's code; all frames if there are none. */
  public List<StackTraceElement> getUserFrames() {
    return Frames.ofUser(stack, stack.size());
  }

  /**
   * Returns the owner: the innermost frame of the program, outside of the JDK and of frameworks;
   * empty if no frame is the program's.
   */
  public Optional<StackTraceElement> getOwner() {
    return ProgramCode.ownerOf(stack);
  }

  /** Describes the leak, with the first frames of the user's code that created the object. */
  @Override
  public String toString() {
    return describe(FRAMES);
  }

  /** Describes the leak with at most {@code frames} frames. */
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
