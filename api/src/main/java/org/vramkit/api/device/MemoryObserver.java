package org.vramkit.api.device;

import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * Receives reports from allocators about the blocks that they allocate and free inside segments.
 * The driver sees only the segments. A simulated device passes the reports to its checker, if that
 * is on. A device of the {@code ffm} backend passes them to an attached NVTX tool, such as
 * compute-sanitizer. All other devices have {@link #NONE}. Called on any thread, on the hot path.
 * An observer must not call an allocator, nor wait for a thread that does.
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
   * Reports that a block was allocated. Called after the allocator has assigned the block to the
   * user.
   *
   * @param address first byte
   * @param bytes the requested size, which may be less than the block
   * @param stream the stream that the memory belongs to
   */
  void allocated(long address, long bytes, Stream stream);

  /**
   * Reports that a block with a tag was allocated. The default implementation drops the tag.
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
   * Reports that the user closed the block. Called before the allocator may reuse the block.
   *
   * @param address first byte
   * @param stream the stream that the memory belongs to
   */
  void freed(long address, Stream stream);

  /**
   * Begins a section in which the calling thread does work of the pool, until {@link #leavePool}.
   * Inside the section the pool queries streams, waits for them, submits waits and frees memory.
   * Only the pool may rely on the order that results. The user must not, because this work depends
   * on the contents of the caches. Sections may be nested. Not called on the hot path. The default
   * implementation does nothing.
   */
  default void enterPool() {}

  /** Ends the section that the latest {@link #enterPool} of the calling thread began. */
  default void leavePool() {}

  /** Makes calls inside a section of {@link #enterPool}, and returns their result. */
  default <T> T inPool(Supplier<T> calls) {
    Objects.requireNonNull(calls, "calls");
    enterPool();
    try {
      return calls.get();
    } finally {
      leavePool();
    }
  }

  /**
   * Reports that page-locked memory, which belongs to no stream, was allocated. The default
   * implementation does nothing.
   *
   * @param address first byte
   * @param bytes the requested size, which may be less than the block
   */
  default void allocatedOnHost(long address, long bytes) {}

  /**
   * Reports that the user closed page-locked memory. Called before the pool may reuse the memory.
   * {@link #used} reports the streams whose copies use it. The default implementation does nothing.
   *
   * @param address first byte
   */
  default void freedOnHost(long address) {}

  /**
   * Returns the stack trace of the call that allocated a live block. An allocator that cannot be
   * closed shows it in its message. Not called on the hot path.
   *
   * @param address first byte of the block
   * @return frames of the user's code, innermost first; empty if they were not recorded
   */
  default List<StackTraceElement> whereAllocated(long address) {
    return List.of();
  }

  /**
   * Reports that an allocator took a segment from another allocator in order to allocate blocks in
   * it. Without this report each block would count as a second owner of the same bytes. Not needed
   * for segments from the driver. The default implementation does nothing.
   *
   * @param address first byte
   * @param bytes size of the segment
   */
  default void segmentTaken(long address, long bytes) {}

  /**
   * Reports that an allocator is about to free a segment without blocks in use.
   *
   * @param address the address passed to {@link #segmentTaken}
   */
  default void segmentGivenBack(long address) {}

  /**
   * Reports that an allocator is about to unmap the memory of a range for a while. Live blocks keep
   * their addresses. Work must not access the range until memory is mapped there again. The default
   * implementation does nothing.
   *
   * @param address first byte
   * @param bytes size of the range, whole mappings
   */
  default void suspended(long address, long bytes) {}
}
