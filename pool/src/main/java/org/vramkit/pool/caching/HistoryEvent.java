package org.vramkit.pool.caching;

import java.util.List;

/**
 * An event of a caching allocator.
 *
 * @param action kind of the event
 * @param nanos time since {@link AllocatorHistory#getBegin}, by the allocator's clock
 * @param address first byte of the memory; 0 for none
 * @param size requested bytes of an allocation or a free, else the bytes of the memory
 * @param stream handle of the stream; 0 for the default stream or none
 * @param thread id of the thread, as of {@link Thread#getId}
 * @param tag tag of the allocation, or empty
 * @param stack stack of the caller, the nearest frame first; empty unless stacks are kept
 * @param pool private pool, by {@link PrivatePool#getId}; 0 for none
 */
public record HistoryEvent(
    Action action,
    long nanos,
    long address,
    long size,
    long stream,
    long thread,
    String tag,
    List<StackTraceElement> stack,
    long pool) {

  /** Kinds of events. */
  public enum Action {
    /** A block was allocated. */
    ALLOCATE,
    /** A block was closed. */
    FREE_REQUESTED,
    /**
     * A block is free: at once after the close if only its own stream used it, because stream order
     * suffices; else once the other streams have passed the close.
     */
    FREE_COMPLETED,
    /** New memory from the driver was mapped at this address. */
    GROW,
    /** Memory from another address, or kept unmapped, was mapped at this address. */
    MOVE,
    /** Memory was unmapped from this address, to be moved, kept or returned. */
    UNMAP,
    /** Memory was returned to the driver, from this address unless it is 0. */
    TRIM,
    /** The host has waited for a stream or the device. */
    WAIT,
    /** An allocation of this size failed. */
    OUT_OF_MEMORY
  }

  /** Creates an event outside of private pools. */
  public HistoryEvent(
      Action action,
      long nanos,
      long address,
      long size,
      long stream,
      long thread,
      String tag,
      List<StackTraceElement> stack) {
    this(action, nanos, address, size, stream, thread, tag, stack, 0);
  }

  /** Copies the stack. */
  public HistoryEvent {
    stack = List.copyOf(stack);
  }
}
