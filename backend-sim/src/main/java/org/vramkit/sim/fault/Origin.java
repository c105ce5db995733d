package org.vramkit.sim.fault;

/**
 * The place and size of a driver call or a piece of work.
 *
 * @param device ordinal of the device
 * @param stream handle of the stream; {@link #NO_STREAM} for none
 * @param bytes the size that the call names, or the bytes that the work accesses
 */
public record Origin(int device, long stream, long bytes) {
  public static final long NO_STREAM = -1;
}
