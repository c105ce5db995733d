package org.vramkit.api.spi;

/**
 * The answer of a backend whether it can be used on this machine, and why.
 *
 * @param available whether it can
 * @param reason one line for people: what it found, or what is missing and how to get it
 */
public record Availability(boolean available, String reason) {

  /** It can be used. */
  public static Availability yes(String reason) {
    return new Availability(true, reason);
  }

  /** It cannot be used. */
  public static Availability no(String reason) {
    return new Availability(false, reason);
  }
}
