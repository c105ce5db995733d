package org.vramkit.sim.check;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.hazard.AccessKind;

/**
 * The accesses of one captured operation, and the owners of the memory. The capture checks whether
 * the operation may access the memory at all. Every launch checks the order, and whether the memory
 * still exists. Guarded by the backend's lock.
 */
public final class GraphNode {
  private record Part(long start, AccessKind kind, @Nullable OwnedBlock owner) {}

  private final List<Part> parts = new ArrayList<>(2);
  private boolean captured;

  /** True if the accesses are known only when a launch has run, as those of a kernel's code. */
  private final boolean open;

  /** Frames of the call that captured the operation; empty unless stacks are kept. */
  List<StackTraceElement> stack = List.of();

  public GraphNode() {
    this(/* open= */ false);
  }

  /** Creates a node; {@code open} tells whether only its launches know its accesses. */
  public GraphNode(boolean open) {
    this.open = open;
  }

  boolean isOpen() {
    return open;
  }

  /** Ends the capture; further accesses belong to launches. */
  void seal() {
    captured = true;
  }

  public boolean isCaptured() {
    return captured;
  }

  /** Adds a legal access. */
  public void touches(long start, AccessKind kind, @Nullable OwnedBlock owner) {
    parts.add(new Part(start, kind, owner));
  }

  /** Returns whether an access is legal; the capture has reported illegal ones. */
  boolean mayTouch(long start, AccessKind kind) {
    return open || find(start, kind) != null;
  }

  /** Returns the owner at the capture; null if unknown. */
  @Nullable OwnedBlock ownerOf(long start, AccessKind kind) {
    Part part = find(start, kind);
    return part == null ? null : part.owner;
  }

  private @Nullable Part find(long start, AccessKind kind) {
    for (Part part : parts) {
      if (part.start == start && part.kind == kind) {
        return part;
      }
    }
    return null;
  }
}
