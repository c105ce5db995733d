package org.vramkit.api.error;

import java.util.Objects;

/**
 * Thrown when a module cannot be loaded, because its PTX has errors, needs a newer driver or
 * another device, or is no PTX. {@link #getLog} returns the compiler's messages with line numbers.
 */
public class ModuleLoadException extends GpuException {
  private static final long serialVersionUID = 1L;

  private static final int INVALID_IMAGE = 200;
  private static final int NO_BINARY_FOR_GPU = 209;
  private static final int UNSUPPORTED_PTX_VERSION = 222;

  private final String log;

  /**
   * Creates the exception for a module that the driver refused.
   *
   * @param status the driver's status
   * @param log the error log of the driver's compiler; empty if it has none
   */
  public ModuleLoadException(DriverStatus status, String log) {
    super(
        "cannot load the module"
            + (log.isBlank() ? "" : ": " + log.strip())
            + remedy(Objects.requireNonNull(status, "status").code()),
        status,
        null);
    this.log = log;
  }

  private static String remedy(int code) {
    return switch (code) {
      case INVALID_IMAGE ->
          "; pass PTX that begins with .version, as nvcc -ptx writes it, or a cubin for this"
              + " device";
      case NO_BINARY_FOR_GPU -> "; the module has code for other devices only: compile it to PTX";
      case UNSUPPORTED_PTX_VERSION ->
          "; compile it with the toolkit of the driver or an older one, or update the driver";
      default -> "";
    };
  }

  /** Returns the error log of the driver's compiler; empty if it has none. */
  public String getLog() {
    return log;
  }
}
