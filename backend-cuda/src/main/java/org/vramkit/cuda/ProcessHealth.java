package org.vramkit.cuda;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.error.DriverStatus;
import org.vramkit.api.error.FatalDeviceException;

/**
 * The state of CUDA in this process. A kernel's illegal access on one device makes every call on
 * every device fail from then on, through whatever binding, and no reset helps; so it is known once
 * for the process, and nothing asks the driver again.
 */
final class ProcessHealth {
  /** That of this process. Others are for tests. */
  static final ProcessHealth OF_PROCESS = new ProcessHealth();

  private final AtomicReference<@Nullable DriverStatus> firstFatal = new AtomicReference<>();

  /** Refuses if CUDA is lost. */
  void require() {
    DriverStatus fatal = firstFatal.get();
    if (fatal != null) {
      throw lost(fatal);
    }
  }

  boolean isLost() {
    return firstFatal.get() != null;
  }

  /** Notes a fatal status, of which the first is kept. */
  FatalDeviceException lose(DriverStatus status) {
    firstFatal.compareAndSet(null, status);
    return lost(status);
  }

  private static FatalDeviceException lost(DriverStatus status) {
    return new FatalDeviceException(
        "CUDA is lost for this process, on all its GPUs; find the work that failed (compute-sanitizer"
            + " helps), and restart the process",
        status);
  }
}
