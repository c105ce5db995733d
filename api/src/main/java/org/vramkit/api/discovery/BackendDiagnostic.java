package org.vramkit.api.discovery;

/**
 * Reports of the choice of a backend. Every message and log line starts with the code, which never
 * changes its meaning and is a stable thing to search for.
 */
public enum BackendDiagnostic {
  /** {@code VRK-B001}, error: no backend is on the class path. Add one as a dependency. */
  NONE_PRESENT("VRK-B001"),
  /**
   * {@code VRK-B002}, error: backends are present, none loads and is available; each with its
   * reason.
   */
  NONE_AVAILABLE("VRK-B002"),
  /** {@code VRK-B003}, INFO: several are available; which won, why, and how to force another. */
  SEVERAL_AVAILABLE("VRK-B003"),
  /** {@code VRK-B004}, error: the name asked for is not present; what is. */
  UNKNOWN_NAME("VRK-B004"),
  /** {@code VRK-B005}, error: the backend asked for is present but not available; its reason. */
  FORCED_NOT_AVAILABLE("VRK-B005"),
  /**
   * {@code VRK-B006}, error: two backends have one name; the classes of both, their jars and
   * loaders.
   */
  DUPLICATE_NAME("VRK-B006"),
  /**
   * {@code VRK-B007}: the simulator is in use. INFO when it was asked for by name, WARNING when it
   * won because nothing else is available, with the reasons of the others.
   */
  SIMULATOR_IN_USE("VRK-B007"),
  /** {@code VRK-B008}, WARNING: an available backend failed to open and the next one is tried. */
  OPEN_FAILED("VRK-B008");

  private final String code;

  BackendDiagnostic(String code) {
    this.code = code;
  }

  /** The stable code, such as {@code VRK-B001}. */
  public String getCode() {
    return code;
  }

  String message(String text) {
    return code + ": " + text;
  }
}
