package org.vramkit.pool.decorator;

import java.util.List;

/**
 * An open allocation.
 *
 * @param number its place in the order of allocation, from 1
 * @param address address of the first byte
 * @param size requested bytes
 * @param stream handle of its stream
 * @param thread name of the thread that allocated it
 * @param stack stack of the allocation, the caller of the allocator first; empty unless stacks are
 *     kept
 */
public record LiveAllocation(
    long number,
    long address,
    long size,
    long stream,
    String thread,
    List<StackTraceElement> stack) {

  /** Copies the stack. */
  public LiveAllocation {
    stack = List.copyOf(stack);
  }
}
