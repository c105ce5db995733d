package org.vramkit.cuda;

import org.jspecify.annotations.Nullable;
import org.vramkit.api.error.BackendNotAvailableException;

/**
 * Explains in one line why a binding's native libraries failed to load. The message of the dynamic
 * linker is deep in the chain of causes or, in one binding, inside another message.
 */
final class LoadFailure {
  /** Maximum number of causes to follow; a longer chain is probably a cycle. */
  private static final int MAX_CAUSES = 16;

  /** The dynamic linker's message about a missing version such as {@code GLIBC_2.34}. */
  private static final String TOO_NEW = "not found (required by";

  private LoadFailure() {}

  static String explain(Throwable error, String natives) {
    if (error instanceof BackendNotAvailableException) {
      return String.valueOf(error.getMessage());
    }
    String text = everything(error);
    if (text.contains("libcuda.so.1: cannot open") || text.contains("nvcuda.dll")) {
      return "no NVIDIA driver (libcuda.so.1 not found); install it, or start the container with"
          + " GPUs";
    }
    if (text.contains("libcudart.so") || text.contains("cudart64")) {
      return "no matching CUDA runtime: "
          + line(text, "cudart")
          + "; put the folder of the CUDA toolkit's libraries on LD_LIBRARY_PATH, or add"
          + " org.bytedeco:cuda-redist to the class path";
    }
    if (text.contains(TOO_NEW)) {
      return "the binding's native libraries are newer than this system's: "
          + line(text, TOO_NEW)
          + "; use a newer system or container image, or an older release of "
          + natives;
    }
    if (text.contains("Could not find jni") || text.contains("in java.library.path")) {
      return "the binding's native libraries are not on the class path; add " + natives;
    }
    if (indicatesUnequalVersions(error, text)) {
      return "the jars of Vramkit are probably of unequal versions: "
          + deepest(error)
          + "; give all of Vramkit one version, as importing org.vramkit:vramkit-bom does";
    }
    if (error instanceof NoClassDefFoundError) {
      return "the binding's classes are not on the class path: "
          + missingClass(error)
          + "; add the backend with its dependencies, and "
          + natives;
    }
    return "the binding does not load: " + deepest(error);
  }

  /** Returns whether a class of Vramkit lacks another class or member of Vramkit. */
  private static boolean indicatesUnequalVersions(Throwable error, String text) {
    return text.contains("NoClassDefFoundError: org/vramkit/")
        || (error instanceof IncompatibleClassChangeError && text.contains("org.vramkit."));
  }

  /** Returns the name of the class that the error misses, without the names of exceptions. */
  private static String missingClass(Throwable error) {
    String text = deepest(error);
    return text.substring(text.lastIndexOf(' ') + 1).replace('/', '.');
  }

  private static String everything(Throwable error) {
    StringBuilder text = new StringBuilder();
    Throwable each = error;
    for (int i = 0; each != null && i < MAX_CAUSES; i++) {
      text.append(each).append('\n');
      each = each.getCause();
    }
    return text.toString();
  }

  private static String line(String text, String part) {
    return text.lines()
        .filter(each -> each.contains(part))
        .reduce((a, b) -> b)
        .orElse(part)
        .strip();
  }

  private static String deepest(Throwable error) {
    @Nullable Throwable cause = error.getCause();
    Throwable root = error;
    for (int i = 0; cause != null && i < MAX_CAUSES; i++) {
      root = cause;
      cause = root.getCause();
    }
    return root.toString().lines().findFirst().orElse(root.getClass().getName());
  }
}
