package org.vramkit.api.discovery;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Backend;

/**
 * Opens a backend that the class path offers. Providers are found by {@link
 * java.util.ServiceLoader}, first through the thread's context class loader, then through the one
 * that loaded this class. Where both have a copy of one provider, the context class loader's is
 * used.
 *
 * <p>Which one is opened, first match wins:
 *
 * <ol>
 *   <li>the name given to {@link #open(String)};
 *   <li>the system property {@value #PROPERTY}, unless blank;
 *   <li>the environment variable {@value #ENVIRONMENT}, unless blank;
 *   <li>the available backend of the highest priority; among equal priorities the first by name.
 * </ol>
 *
 * <p>A backend asked for by name is opened or is an error: nothing takes its place. A provider that
 * fails to load costs only itself. What can be reported, in errors and through the {@link
 * System.Logger} named after this class, is listed in {@link BackendDiagnostic}. Every call looks
 * anew; nothing is cached. Safe for any thread.
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
   * @throws org.vramkit.api.error.BackendNotAvailableException if there is none; the message tells
   *     the diagnostic's code, what was found and the remedy
   */
  public static Backend open() {
    return selector().open(forced());
  }

  /**
   * Opens the backend of this name, whatever the property and the environment say.
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
   * The name that the property or else the environment asks for, which {@link #open()} obeys; null
   * where neither is set. Whether there is such a backend only opening tells.
   */
  public static @Nullable String getConfiguredName() {
    ForcedName forced = forced();
    return forced == null ? null : forced.name();
  }

  /**
   * Everything on the class path, highest priority first, with its reason; then what failed to load
   * under the name {@link BackendDescription#UNNAMED}. Asks every provider, which may load native
   * code; opens none.
   */
  public static List<BackendDescription> list() {
    return selector().list();
  }

  private static @Nullable ForcedName forced() {
    return ForcedName.find(System::getProperty, System::getenv);
  }

  private static BackendSelector selector() {
    System.Logger logger = System.getLogger(Backends.class.getName());
    return new BackendSelector(BackendScan.of(loaders()), logger::log);
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
