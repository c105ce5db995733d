package org.vramkit.api.device;

import java.util.List;

/**
 * Hears from allocators what they hand out and take back, which the driver cannot see because it
 * happens inside segments. The simulator's checker listens; a real device has {@link #NONE}. Called
 * by any thread, on the hot path: must not call back into an allocator.
 */
public interface MemoryObserver {

  /** Hears nothing. */
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
   * A block was handed to a user, after the allocator has made it the user's.
   *
   * @param address first byte
   * @param bytes what the user asked for, which may be less than the block
   * @param stream the stream that the memory belongs to
   */
  void allocated(long address, long bytes, Stream stream);

  /**
   * The same, of an allocator whose users name what they ask for. Tags are forgotten unless this is
   * overridden.
   *
   * @param tag what the user calls it; empty without one
   */
  default void allocated(long address, long bytes, Stream stream, String tag) {
    allocated(address, bytes, stream);
  }

  /**
   * A user told that another stream uses the block.
   *
   * @param address first byte of the block
   * @param stream the other stream
   */
  void used(long address, Stream stream);

  /**
   * A user closed the block, before the allocator may hand it out again.
   *
   * @param address first byte
   * @param stream the stream that the memory belongs to
   */
  void freed(long address, Stream stream);

  /**
   * Where the user's code asked for a block that it has not closed yet. For the message of an
   * allocator that cannot be closed; not on the hot path.
   *
   * @param address first byte of the block
   * @return frames of the user's code, the nearest first; empty where nobody kept them
   */
  default List<StackTraceElement> whereAllocated(long address) {
    return List.of();
  }

  /**
   * An allocator took memory to hand out blocks of it. Told of what another allocator handed out:
   * else each block would count as a second owner of the same bytes. Of the driver's memory it need
   * not be told. Ignored unless this is overridden.
   *
   * @param address first byte
   * @param bytes its size
   */
  default void segmentTaken(long address, long bytes) {}

  /**
   * An allocator is about to give a segment back, with no block of it in use any more.
   *
   * @param address what {@link #segmentTaken} was told
   */
  default void segmentGivenBack(long address) {}
}
