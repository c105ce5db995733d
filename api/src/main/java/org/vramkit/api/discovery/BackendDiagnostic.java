package org.vramkit.api.discovery;

/**
 * Diagnostics of the choice of a backend. Every message and log line starts with the code. The
 * meaning of a code never changes.
 */
public enum BackendDiagnostic {
  /** {@code VRK-B001}, error: no backend is on the class path. Add one as a dependency. */
  NONE_PRESENT("VRK-B001"),
  /**
   * {@code VRK-B002}, error: backends are present but none is available; the message gives each
   * reason.
   */
  NONE_AVAILABLE("VRK-B002"),
  /**
   * {@code VRK-B003}, INFO: several backends are available; the message names the chosen one, the
   * reason, and the way to force another.
   */
  SEVERAL_AVAILABLE("VRK-B003"),
  /**
   * {@code VRK-B004}, error: no backend has the requested name; the message lists those present.
   */
  UNKNOWN_NAME("VRK-B004"),
  /**
   * {@code VRK-B005}, error: the requested backend is not available; the message gives its reason.
   */
  FORCED_NOT_AVAILABLE("VRK-B005"),
  /**
   * {@code VRK-B006}, error: two backends have the same name; the message gives their classes, jars
   * and loaders.
   */
  DUPLICATE_NAME("VRK-B006"),
  /**
   * {@code VRK-B007}: the simulator is in use. INFO if it was requested by name; WARNING, with the
   * reasons of the others, if it was chosen because no other backend is available.
   */
  SIMULATOR_IN_USE("VRK-B007"),
  /** {@code VRK-B008}, WARNING: an available backend failed to open and the next one is tried. */
  OPEN_FAILED("VRK-B008");

  private final String code;

  BackendDiagnostic(String code) {
    this.code = code;
  }

  /** Returns the stable code, such as {@code VRK-B001}. */
  public String getCode() {
    return code;
  }

  String message(String text) {
    return code + ": " + text;
  }
}
