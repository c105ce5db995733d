package org.vramkit.api.discovery;

/**
 * A backend on the class path, and whether it can be used on this machine.
 *
 * @param name the name that selects it; {@link #UNNAMED} if its provider failed before giving one
 * @param priority priority; the available backend with the highest priority is chosen
 * @param available whether it can be used on this machine
 * @param reason one line of text: what the probe found, or what is missing and how to get it
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
