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
   * Begins a pool's own work: what the calling thread asks and waits for from here on is the
   * allocator's own matter, until {@link #leavePool}: it may rely on the answers when it hands
   * memory out again, and its user may not, because whether it asked depends on what it had cached.
   * The same goes for the waits that it makes streams do, and for memory that it gives back. Nests;
   * called beside the hot path only. Ignored unless this is overridden.
   */
  default void enterPool() {}

  /** Ends the latest {@link #enterPool} of the calling thread. */
  default void leavePool() {}

  /**
   * Page-locked memory was handed to a user. It belongs to no stream. Ignored unless this is
   * overridden.
   *
   * @param address first byte
   * @param bytes what the user asked for, which may be less than there is
   */
  default void allocatedOnHost(long address, long bytes) {}

  /**
   * A user closed such memory, before the pool may hand it out again; {@link #used} tells of the
   * streams whose copies use it. Ignored unless this is overridden.
   *
   * @param address first byte
   */
  default void freedOnHost(long address) {}

  /**
   * Returns the place where the user's code asked for a block that it has not closed yet. For the
   * message of an allocator that cannot be closed; not on the hot path.
   *
   * @param address first byte of the block
   * @return frames of the user's code, the nearest first; empty if they were not kept
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
