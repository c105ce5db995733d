package org.vramkit.pool.caching;

import java.util.List;

/**
 * One thing that happened in a caching allocator.
 *
 * @param action what it was
 * @param nanos when, since {@link AllocatorHistory#getBegin}, by the allocator's clock
 * @param address the first byte that it is about; 0 for none
 * @param size of an allocation and a free the bytes that were asked for, else those it is about
 * @param stream handle of the stream; 0, the default stream, also where it is about none
 * @param thread number of the thread, as of {@link Thread#getId}
 * @param tag the tag of the allocation, or empty
 * @param stack where the user's code called, the nearest frame first; empty unless stacks were
 *     asked for
 * @param pool the private pool that it happened in, by {@link PrivatePool#getId}; 0 for none
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

  /** What can happen. */
  public enum Action {
    /** A user got a block. */
    ALLOCATE,
    /** A user closed it. */
    FREE_REQUESTED,
    /**
     * The block can be used again. At once after the close, where only its own stream used it: that
     * stream's order is enough. Else once the others have passed the close.
     */
    FREE_COMPLETED,
    /** Memory new from the driver lies at this address from now on. */
    GROW,
    /** Memory that lay elsewhere, or that was kept unmapped, lies at this address from now on. */
    MOVE,
    /** No memory lies at this address any more: it moves, is kept, or goes back. */
    UNMAP,
    /** So many bytes went back to the driver; those at this address, where that is not 0. */
    TRIM,
    /** The allocator waited for a stream, or for the device, on the host; told when it was over. */
    WAIT,
    /** An allocation of this size was refused. */
    OUT_OF_MEMORY
  }

  /** An event outside of private pools. */
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
