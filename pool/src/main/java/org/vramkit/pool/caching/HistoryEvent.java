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
 * @param thread {@linkplain Thread#getId id} of the thread
 * @param tag tag of the allocation, or empty
 * @param stack stack of the caller, the nearest frame first; empty unless stacks are kept
 * @param pool {@linkplain PrivatePool#getId id} of the private pool; 0 for none
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
     * A block became free. If only its own stream used the block, this happens at the close,
     * because stream order suffices. Otherwise it happens once the other streams have completed the
     * work before the close.
     */
    FREE_COMPLETED,
    /** New memory from the driver was mapped at this address. */
    GROW,
    /**
     * Memory that had been mapped at another address, or been kept unmapped, was mapped at this
     * address.
     */
    MOVE,
    /** Memory was unmapped from this address, to be moved, kept or returned. */
    UNMAP,
    /** Memory was returned to the driver. The address is 0 if the memory was not mapped. */
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
