package org.vramkit.partition.scatter;

import org.jspecify.annotations.Nullable;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.api.error.GpuException;
import org.vramkit.partition.plan.BudgetTooSmallException;

/**
 * Thrown when the GPUs cannot complete a batch and no user code failed, so the CPU may take over.
 */
final class GpusFailedException extends Exception {
  private static final long serialVersionUID = 1L;

  private final String reason;

  /**
   * Creates the exception.
   *
   * @param reason a description of the failure
   * @param failure the failure of the GPU; null if there is no GPU
   */
  GpusFailedException(String reason, @Nullable GpuException failure) {
    super(reason, failure);
    this.reason =
        failure instanceof FatalDeviceException
            ? reason + "; every GPU of this process is lost; restart the process to use them again"
            : reason;
  }

  /** Returns the failure and the remedy. */
  String reason() {
    return reason;
  }

  /** Returns the exception to throw if there is no CPU task. */
  RuntimeException unchecked() {
    return getCause() instanceof BudgetTooSmallException tooSmall
        ? tooSmall
        : new ScatterException(reason + "; no CPU task was given to take over", getCause());
  }
}
