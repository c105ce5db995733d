package org.vramkit.api.discovery;

import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Backend;

/**
 * Opens a backend from the class path. Providers are found by {@link java.util.ServiceLoader},
 * first through the thread's context class loader, then through the loader of this class. If both
 * have a copy of a provider, the context class loader's copy is used.
 *
 * <p>The first match of this list is opened:
 *
 * <ol>
 *   <li>the name given to {@link #open(String)};
 *   <li>the system property {@value #PROPERTY}, unless blank;
 *   <li>the environment variable {@value #ENVIRONMENT}, unless blank;
 *   <li>the available backend of the highest priority; among equal priorities the first by name.
 * </ol>
 *
 * <p>If a backend that was requested by name cannot be opened, an exception is thrown; no other
 * backend replaces it. A provider that fails to load does not affect others. {@link
 * BackendDiagnostic} lists the diagnostics, which appear in exceptions and in the {@link
 * System.Logger} named after this class. Every call scans the class path again. Safe for any
 * thread.
 */
public final class Backends {

  /** The system property that names the backend to open. */
  public static final String PROPERTY = "vramkit.backend";

  /** The environment variable that names the backend to open. */
  public static final String ENVIRONMENT = "VRAMKIT_BACKEND";

  private Backends() {}

  /**
   * Opens the backend that the property or the environment names, else the best available one.
   *
   * @return a backend for the caller to close
   * @throws org.vramkit.api.error.BackendNotAvailableException if there is none; the message gives
   *     the diagnostic's code, what was found and the remedy
   */
  public static Backend open() {
    return selector().open(forced());
  }

  /**
   * Opens the backend of this name, regardless of the property and the environment variable.
   *
   * @param name the name, such as {@code sim}; case matters
   * @return a backend for the caller to close
   * @throws org.vramkit.api.error.BackendNotAvailableException if there is no such backend, or it
   *     cannot be used here
   */
  public static Backend open(String name) {
    return selector().open(ForcedName.ofCall(name));
  }

  /**
   * Returns the name set by the property or else the environment variable, which {@link #open()}
   * uses; null if neither is set. Does not check that a backend of this name exists.
   */
  public static @Nullable String getConfiguredName() {
    ForcedName forced = forced();
    return forced == null ? null : forced.name();
  }

  /**
   * Lists the backends on the class path by descending priority, then the providers that failed to
   * load, under the name {@link BackendDescription#UNNAMED}. Probes every provider, which may load
   * native code, and opens none.
   */
  public static List<BackendDescription> list() {
    return selector().list();
  }

  private static @Nullable ForcedName forced() {
    return ForcedName.find(System.getProperty(PROPERTY), System.getenv(ENVIRONMENT));
  }

  private static BackendSelector selector() {
    return new BackendSelector(BackendScan.of(loaders()), Backends::log);
  }

  /** Gets the logger only for a message, because the first logger of a JVM starts its logging. */
  private static void log(Level level, String message) {
    System.getLogger(Backends.class.getName()).log(level, message);
  }

  private static List<ClassLoader> loaders() {
    List<ClassLoader> loaders = new ArrayList<>();
    ClassLoader context = Thread.currentThread().getContextClassLoader();
    if (context != null) {
      loaders.add(context);
    }
    ClassLoader own = Backends.class.getClassLoader();
    if (own != null && own != context) {
      loaders.add(own);
    }
    return loaders;
  }
}
