package org.vramkit.sim.driver;

import java.util.Objects;
import org.vramkit.api.device.Stream;

/**
 * Selects the work that a rule of a {@link FaultPlan} applies to: kernels, fills and copies. All
 * conditions must hold. Counts begin when the plan is injected, and include the work that meets the
 * conditions of {@code where}, at its submission. Work of a graph belongs to the stream of the
 * launch.
 *
 * @param fromNth the number of the first selected piece of work, from 1; all later pieces are
 *     selected too
 * @param where the device, stream, thread, size, time and share
 */
public record WorkSelector(long fromNth, Selection where) {
  /** Checks the ranges. */
  public WorkSelector {
    Objects.requireNonNull(where, "where");
    Selection.requireCount(fromNth);
  }

  /** Selects all work. */
  public static WorkSelector any() {
    return new WorkSelector(1, Selection.ANY);
  }

  /** Selects all work of one device. */
  public static WorkSelector ofDevice(int ordinal) {
    return new WorkSelector(1, Selection.ANY.onDevice(ordinal));
  }

  /** Selects all work of one stream. */
  public static WorkSelector ofStream(Stream stream) {
    return new WorkSelector(1, Selection.ANY.onStream(stream));
  }

  private WorkSelector with(Selection other) {
    return new WorkSelector(fromNth, other);
  }

  /** Selects only work from the nth piece on, from 1. */
  public WorkSelector fromNth(long value) {
    return new WorkSelector(value, where);
  }

  /** Selects only work that threads with this name submit. */
  public WorkSelector onThread(String name) {
    return with(where.onThread(name));
  }

  /**
   * Selects only work that accesses at least {@code bytes}, 0 or more. A launch of PTX counts as
   * one of 0 bytes, because its accesses are not known before it runs.
   */
  public WorkSelector fromBytes(long bytes) {
    return with(where.fromBytes(bytes));
  }

  /** Selects only a random share. */
  public WorkSelector withProbability(double value) {
    return with(where.withProbability(value));
  }

  /** Selects only work from a virtual time on, in nanoseconds. */
  public WorkSelector from(long nanos) {
    return with(where.from(nanos));
  }

  /** Selects only work before a virtual time, in nanoseconds. */
  public WorkSelector until(long nanos) {
    return with(where.until(nanos));
  }

  @Override
  public String toString() {
    String place = where.placeWords();
    return (place.isEmpty() ? "any work" : "work" + place)
        + (fromNth > 1 ? ", from piece " + fromNth + " on" : "")
        + where.words();
  }
}
