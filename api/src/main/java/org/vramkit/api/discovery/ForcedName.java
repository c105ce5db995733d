package org.vramkit.api.discovery;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A request for a backend by name.
 *
 * @param name the name
 * @param origin the property or variable that set the name, as messages name it
 */
record ForcedName(String name, String origin) {
  ForcedName {
    Objects.requireNonNull(name, "name");
  }

  static ForcedName ofCall(String name) {
    return new ForcedName(name, "the call Backends.open");
  }

  /**
   * Returns the name set by the property or else the environment variable; blank values count as
   * unset.
   */
  static @Nullable ForcedName find(@Nullable String property, @Nullable String environment) {
    if (property != null && !property.isBlank()) {
      return new ForcedName(property.strip(), "the system property " + Backends.PROPERTY);
    }
    if (environment != null && !environment.isBlank()) {
      return new ForcedName(
          environment.strip(), "the environment variable " + Backends.ENVIRONMENT);
    }
    return null;
  }
}
