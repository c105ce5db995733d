package org.vramkit.cuda;

/** Versions of the driver, as it numbers them: 11020 is CUDA 11.2. */
final class DriverVersion {
  private DriverVersion() {}

  /** A version as people write it, such as {@code CUDA 11.2}. */
  static String text(int version) {
    return "CUDA " + version / 1000 + "." + version % 1000 / 10;
  }
}
