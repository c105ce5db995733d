package org.vramkit.tools.trace;

/**
 * An event other than an allocation or a free.
 *
 * @param kind kind of event
 * @param event number of recorded allocations and frees before it
 * @param nanos nanoseconds since the first event
 * @param address address; for {@link Kind#OUT_OF_MEMORY} the device's free memory in bytes
 * @param size size in bytes
 * @param stream number of the stream in the trace
 * @param origin tag, thread and stack
 */
public record Mark(
    Kind kind, int event, long nanos, long address, long size, int stream, Origin origin) {

  /** Kinds of events. */
  public enum Kind {
    /** An allocation failed. */
    OUT_OF_MEMORY("out of memory"),
    /** The allocator mapped memory from the driver at this address. */
    GROW("grow"),
    /** The allocator unmapped the memory at this address. */
    SHRINK("shrink"),
    /**
     * The allocator mapped memory at this address that had been mapped at another one, or kept
     * unmapped.
     */
    MOVE("move"),
    /** The allocator returned memory to the driver that a {@link #SHRINK} had unmapped. */
    TRIM("trim"),
    /** An allocation waited for memory. */
    WAIT("wait");

    private final String label;

    Kind(String label) {
      this.label = label;
    }

    /** Returns the name in reports. */
    public String getLabel() {
      return label;
    }
  }
}
