package org.vramkit.sim.check;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.hazard.AccessKind;

/**
 * What one piece of captured work touches, and whose memory that was. Whether it may touch it at
 * all is judged when it is captured; whether it comes in order, and the memory is still there, with
 * every launch. Guarded by the backend's lock.
 */
public final class GraphNode {
  private record Part(long start, AccessKind kind, @Nullable OwnedBlock owner) {}

  private final List<Part> parts = new ArrayList<>(2);
  private boolean captured;

  /** The frames where it was captured; empty without stacks. */
  List<StackTraceElement> stack = List.of();

  public GraphNode() {}

  /** It is captured; whatever comes now is a launch. */
  void seal() {
    captured = true;
  }

  public boolean isCaptured() {
    return captured;
  }

  /** It touches a range, rightly. */
  public void touches(long start, AccessKind kind, @Nullable OwnedBlock owner) {
    parts.add(new Part(start, kind, owner));
  }

  /** Returns whether it touches a range rightly; what was wrong was told when it was captured. */
  boolean mayTouch(long start, AccessKind kind) {
    return find(start, kind) != null;
  }

  /** Returns whose memory that was; null if it was not known. */
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
