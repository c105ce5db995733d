package org.vramkit.api.discovery;

/**
 * One backend that the class path offers, and whether it can be used here.
 *
 * @param name the name by which it is chosen; {@link #UNNAMED} when it failed before it could say
 * @param priority among available backends the highest wins
 * @param available whether it can be used on this machine
 * @param reason one line for people: what it found, or what is missing and how to get it
 */
public record BackendDescription(String name, int priority, boolean available, String reason) {

  /** The name of a backend whose provider could not be loaded; its reason says which and why. */
  public static final String UNNAMED = "unnamed";

  @Override
  public String toString() {
    return name
        + " (priority "
        + priority
        + ", "
        + (available ? "available: " : "not available: ")
        + reason
        + ")";
  }
}
