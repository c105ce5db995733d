package org.vramkit.api.spi;

/**
 * The result of a probe: whether a backend can be used on this machine, and why.
 *
 * @param available whether the backend can be used
 * @param reason one line of text: what the probe found, or what is missing and how to get it
 */
public record Availability(boolean available, String reason) {

  /** Returns that the backend can be used. */
  public static Availability yes(String reason) {
    return new Availability(true, reason);
  }

  /** Returns that the backend cannot be used. */
  public static Availability no(String reason) {
    return new Availability(false, reason);
  }
}
