package org.vramkit.api.discovery;

import java.util.Map;

/** The backends of this project and the artifacts to add for them. */
final class ProjectBackends {

  private static final String FFM = "org.vramkit:vramkit-backend-ffm (JDK 22 or newer)";
  private static final String JAVACPP = "org.vramkit:vramkit-backend-javacpp and its natives";
  private static final String JCUDA = "org.vramkit:vramkit-backend-jcuda and its natives";

  /** The artifacts of a backend that uses a GPU, one of which suffices. */
  static final String ANY_OF_A_GPU = FFM + ", or " + JAVACPP + ", or " + JCUDA;

  private static final Map<String, String> BY_NAME =
      Map.of(
          "ffm",
          FFM,
          "javacpp",
          JAVACPP,
          "jcuda",
          JCUDA,
          "cuda",
          ANY_OF_A_GPU,
          "sim",
          "org.vramkit:vramkit-backend-sim");

  private ProjectBackends() {}

  /** Returns the advice for a name that no backend of the class path has. */
  static String adviceFor(String name) {
    String artifact = BY_NAME.get(name);
    return artifact == null
        ? "correct the name or add the backend as a dependency"
        : "add " + artifact + " as a dependency";
  }
}
