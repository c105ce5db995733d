package org.vramkit.api.device;

import java.util.List;

/**
 * Receives reports from allocators about blocks that they hand out and take back inside segments,
 * which the driver cannot see. The simulator's checker is one; a real device has {@link #NONE}.
 * Called by any thread on the hot path. Must not call back into an allocator.
 */
public interface MemoryObserver {

  /** An observer that ignores all reports. */
  MemoryObserver NONE =
      new MemoryObserver() {
        @Override
        public void allocated(long address, long bytes, Stream stream) {}

        @Override
        public void allocated(long address, long bytes, Stream stream, String tag) {}

        @Override
        public void used(long address, Stream stream) {}

        @Override
        public void freed(long address, Stream stream) {}
      };

  /**
   * Reports that a block was handed out, after the allocator has assigned it to the user.
   *
   * @param address first byte
   * @param bytes the requested size, which may be less than the block
   * @param stream the stream that the memory belongs to
   */
  void allocated(long address, long bytes, Stream stream);

  /**
   * Reports that a block with a tag was handed out. The tag is dropped unless this is overridden.
   *
   * @param tag the tag; empty for none
   */
  default void allocated(long address, long bytes, Stream stream, String tag) {
    allocated(address, bytes, stream);
  }

  /**
   * Reports that another stream uses the block, as recorded by {@code recordUse}.
   *
   * @param address first byte of the block
   * @param stream the other stream
   */
  void used(long address, Stream stream);

  /**
   * Reports that the user closed the block, before the allocator may hand it out again.
   *
   * @param address first byte
   * @param stream the stream that the memory belongs to
   */
  void freed(long address, Stream stream);

  /**
   * Begins work that the pool does for itself on the calling thread, until {@link #leavePool}. The
   * allocator may rely on the queries and waits that it makes there, but its user must not, because
   * whether they happen depends on what was cached. The same holds for waits that it submits to
   * streams and for memory that it frees. May be nested. Not called on the hot path. No effect
   * unless overridden.
   */
  default void enterPool() {}

  /** Ends the latest {@link #enterPool} of the calling thread. */
  default void leavePool() {}

  /**
   * Reports that page-locked memory was handed out. It belongs to no stream. No effect unless
   * overridden.
   *
   * @param address first byte
   * @param bytes the requested size, which may be less than the block
   */
  default void allocatedOnHost(long address, long bytes) {}

  /**
   * Reports that page-locked memory was closed, before the pool may hand it out again. {@link
   * #used} reports the streams whose copies use it. No effect unless overridden.
   *
   * @param address first byte
   */
  default void freedOnHost(long address) {}

  /**
   * Returns the stack trace of the allocation of a live block, for the message of an allocator that
   * cannot be closed. Not called on the hot path.
   *
   * @param address first byte of the block
   * @return frames of the user's code, innermost first; empty if they were not recorded
   */
  default List<StackTraceElement> whereAllocated(long address) {
    return List.of();
  }

  /**
   * Reports that an allocator took a segment from another allocator in order to hand out blocks of
   * it. Without this report each block would count as a second owner of the same bytes. Not needed
   * for segments from the driver. No effect unless overridden.
   *
   * @param address first byte
   * @param bytes size of the segment
   */
  default void segmentTaken(long address, long bytes) {}

  /**
   * Reports that an allocator is about to free a segment, none of whose blocks is in use.
   *
   * @param address the address passed to {@link #segmentTaken}
   */
  default void segmentGivenBack(long address) {}

  /**
   * An allocator is about to take the memory behind a range away for a while, and leaves the
   * addresses to the users of its blocks. Work must not touch them before memory is mapped there
   * again. Ignored unless this is overridden.
   *
   * @param address first byte
   * @param bytes size of the range, whole mappings
   */
  default void suspended(long address, long bytes) {}
}
