package org.vramkit.api.discovery;

import java.util.ServiceConfigurationError;
import org.vramkit.api.spi.BackendProvider;

/** Describes in one line why a backend failed to load, with the remedy if it is known. */
final class LoadErrors {

  /** Maximum number of causes to follow; a longer chain is probably a cycle. */
  private static final int MAX_CAUSES = 16;

  private static final String UNEQUAL_VERSIONS =
      " (probably unequal versions of vramkit-api and the backend: use one version of all Vramkit"
          + " artifacts, for example by importing org.vramkit:vramkit-bom)";

  private LoadErrors() {}

  /**
   * Describes the error and its root cause, which says more than the error if a native library
   * fails.
   */
  static String describe(Throwable error) {
    Throwable root = error;
    boolean unequal = indicatesUnequalVersions(error);
    for (int i = 0; i < MAX_CAUSES && root.getCause() != null; i++) {
      root = root.getCause();
      unequal |= indicatesUnequalVersions(root);
    }
    return (root == error ? line(error) : line(error) + ", caused by " + line(root))
        + (unequal ? UNEQUAL_VERSIONS : "")
        + (isOfAnotherApi(error) ? anotherApi() : "");
  }

  /** Returns whether a provider implements another copy of {@link BackendProvider}. */
  private static boolean isOfAnotherApi(Throwable error) {
    return error instanceof ServiceConfigurationError
        && String.valueOf(error.getMessage()).endsWith("not a subtype");
  }

  private static String anotherApi() {
    return " (it was loaded with its own copy of vramkit-api, beside "
        + BackendCandidate.originOf(BackendProvider.class)
        + "; load both from the same copy)";
  }

  /**
   * Returns whether a class of Vramkit lacks another class or member of Vramkit. A class that
   * failed to initialize is named with dots and does not count.
   */
  private static boolean indicatesUnequalVersions(Throwable error) {
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
