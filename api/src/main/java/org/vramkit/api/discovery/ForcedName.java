package org.vramkit.api.discovery;

import org.jspecify.annotations.Nullable;

/**
 * A request for a backend by name.
 *
 * @param name the name
 * @param origin who asked, for messages
 */
record ForcedName(String name, String origin) {

  static ForcedName ofCall(String name) {
    return new ForcedName(name, "the call Backends.open");
  }

  /** The name set from outside, the property before the environment; a blank one is not set. */
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
