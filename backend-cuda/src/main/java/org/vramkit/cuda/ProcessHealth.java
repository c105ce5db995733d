package org.vramkit.cuda;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.error.DriverStatus;
import org.vramkit.api.error.FatalDeviceException;

/**
 * The state of CUDA in this process: usable or lost. After an illegal access on one device every
 * call on every device and through every binding fails, and no reset helps. So the state is kept
 * once per process, and the driver is not called again.
 */
final class ProcessHealth {
  /** The state of this process; other instances are for tests. */
  static final ProcessHealth OF_PROCESS = new ProcessHealth();

  private final AtomicReference<@Nullable DriverStatus> firstFatal = new AtomicReference<>();

  /** Throws if CUDA is lost. */
  void require() {
    DriverStatus fatal = firstFatal.get();
    if (fatal != null) {
      throw lost(fatal);
    }
  }

  boolean isLost() {
    return firstFatal.get() != null;
  }

  /** Records a fatal status; the first one is kept. */
  FatalDeviceException lose(DriverStatus status) {
    firstFatal.compareAndSet(null, status);
    return lost(status);
  }

  private static FatalDeviceException lost(DriverStatus status) {
    return new FatalDeviceException(
        "CUDA is lost for this process, on all its GPUs; find the work that failed"
            + " (compute-sanitizer"
            + " helps), and restart the process",
        status);
  }
}
