package org.vramkit.pressure;

/** The argument that a caller must not give. */
final class NullArgument {
  private NullArgument() {}

  @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"})
  static <T> T of() {
    return null;
  }
}
