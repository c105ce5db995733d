package org.vramkit.api.discovery;

import org.jspecify.annotations.Nullable;

/**
 * A request for a backend by name.
 *
 * @param name the name
 * @param origin the source of the request, for messages
 */
record ForcedName(String name, String origin) {

  static ForcedName ofCall(String name) {
    return new ForcedName(name, "the call Backends.open");
  }

  /**
   * Returns the name set by the property or else the environment variable; blank values count as
   * unset.
   */
  static @Nullable ForcedName find(Lookup property, Lookup environment) {
    String name = property.get(Backends.PROPERTY);
    if (name != null && !name.isBlank()) {
      return new ForcedName(name.strip(), "the system property " + Backends.PROPERTY);
    }
    name = environment.get(Backends.ENVIRONMENT);
    if (name != null && !name.isBlank()) {
      return new ForcedName(name.strip(), "the environment variable " + Backends.ENVIRONMENT);
    }
    return null;
  }

  /** Reads one setting; null when it is not set. */
  interface Lookup {
    @Nullable String get(String key);
  }
}
