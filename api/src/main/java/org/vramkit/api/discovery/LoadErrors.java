package org.vramkit.api.discovery;

import java.util.ServiceConfigurationError;
import org.vramkit.api.spi.BackendProvider;

/** Puts what kept a backend from loading into one line, with the remedy where it can be told. */
final class LoadErrors {

  /** A chain of causes longer than this is a cycle or says nothing more. */
  private static final int MAX_CAUSES = 16;

  private static final String UNEQUAL_VERSIONS =
      " (probably unequal versions of vramkit-api and the backend: give all of Vramkit one version,"
          + " as importing org.vramkit:vramkit-bom does)";

  private LoadErrors() {}

  /** The error and its deepest cause, which is the informative one where a native library fails. */
  static String describe(Throwable error) {
    Throwable root = error;
    boolean unequal = tellsOfUnequalVersions(error);
    for (int i = 0; i < MAX_CAUSES && root.getCause() != null; i++) {
      root = root.getCause();
      unequal |= tellsOfUnequalVersions(root);
    }
    return (root == error ? line(error) : line(error) + ", caused by " + line(root))
        + (unequal ? UNEQUAL_VERSIONS : "")
        + (isOfAnotherApi(error) ? anotherApi() : "");
  }

  /** Returns whether a provider implements another class than ours that has the same name. */
  private static boolean isOfAnotherApi(Throwable error) {
    return error instanceof ServiceConfigurationError
        && String.valueOf(error.getMessage()).endsWith("not a subtype");
  }

  private static String anotherApi() {
    return " (it was loaded with a copy of vramkit-api of its own, beside "
        + BackendCandidate.originOf(BackendProvider.class)
        + "; have one class loader see one copy of both)";
  }

  /**
   * Returns whether a class of Vramkit lacks another, or something of it. A class that merely fails
   * to initialise is named with dots.
   */
  private static boolean tellsOfUnequalVersions(Throwable error) {
    String message = String.valueOf(error.getMessage());
    return error instanceof NoClassDefFoundError
        ? message.startsWith("org/vramkit/")
        : error instanceof IncompatibleClassChangeError && message.contains("org.vramkit.");
  }

  private static String line(Throwable error) {
    String message = error.getMessage();
    String name = error.getClass().getSimpleName();
    return message == null || message.isBlank() ? name : name + ": " + message.strip();
  }
}
