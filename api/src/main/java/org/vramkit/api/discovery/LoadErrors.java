package org.vramkit.api.discovery;

/** Puts what kept a backend from loading into one line. */
final class LoadErrors {

  /** A chain of causes longer than this is a cycle or says nothing more. */
  private static final int MAX_CAUSES = 16;

  private LoadErrors() {}

  /** The error and its deepest cause, which is the informative one where a native library fails. */
  static String describe(Throwable error) {
    Throwable root = error;
    for (int i = 0; i < MAX_CAUSES && root.getCause() != null; i++) {
      root = root.getCause();
    }
    return root == error ? line(error) : line(error) + ", caused by " + line(root);
  }

  private static String line(Throwable error) {
    String message = error.getMessage();
    String name = error.getClass().getSimpleName();
    return message == null || message.isBlank() ? name : name + ": " + message.strip();
  }
}
