package org.vramkit.tools.trace;

/**
 * Something that happened beside allocations and frees.
 *
 * @param kind what
 * @param event how many events lie before it, without those that allocate what was held before
 * @param nanos when, in nanoseconds since the first event
 * @param address where; for {@link Kind#OUT_OF_MEMORY} the free memory of the device
 * @param size how many bytes
 * @param stream the trace's number of the stream
 * @param origin who
 */
public record Mark(
    Kind kind, int event, long nanos, long address, long size, int stream, Origin origin) {

  /** Kinds of events. */
  public enum Kind {
    /** The program was refused memory. */
    OUT_OF_MEMORY("out of memory"),
    /** The allocator took memory from the driver. */
    GROW("grow"),
    /** No memory lies at this address any more. */
    SHRINK("shrink"),
    /** Memory that lay elsewhere, or nowhere, lies at this address from now on. */
    MOVE("move"),
    /** Bytes went back to the driver, which a {@link #SHRINK} took from their address. */
    TRIM("trim"),
    /** The program waited for memory. */
    WAIT("wait");

    private final String label;

    Kind(String label) {
      this.label = label;
    }

    /** The name in reports. */
    public String getLabel() {
      return label;
    }
  }
}
