package org.vramkit.tools.replay;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.units.ByteSize;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.driver.DriverCallLog;
import org.vramkit.sim.hazard.CheckerOptions;

/**
 * A simulated H200 with a memory of any size, without bytes, in virtual time, with or without the
 * checker.
 */
final class SimulatedTarget implements ReplayTarget {
  private static final String LAUNCH = "cuLaunchKernel";

  private final SimBackend backend;
  private final SimDevice device;
  private final Duration kernelTime;
  private final boolean judged;

  /** Time of driver calls before they were counted anew. */
  private long countedBefore;

  /**
   * Makes the device.
   *
   * @param kernelTime how long the kernel after an allocation takes at least
   * @param judged whether the checker looks on, which costs host time
   */
  SimulatedTarget(long memoryBytes, Duration kernelTime, boolean judged) {
    this.kernelTime = kernelTime;
    this.judged = judged;
    DeviceProfile profile =
        DeviceProfile.builder("simulated " + ByteSize.format(memoryBytes))
            .from(DeviceProfile.H200)
            .memory(memoryBytes)
            .build();
    CheckerOptions checker = judged ? CheckerOptions.DEFAULT : CheckerOptions.OFF;
    backend = SimBackend.builder().device(profile).bytes(false).checker(checker).build();
    device = backend.getDevice(0);
  }

  @Override
  public Device getDevice() {
    return device;
  }

  @Override
  public long getTimeNanos() {
    return backend.getTimeNanos();
  }

  /** A driver call takes no virtual time; a program on a GPU waits for it. */
  @Override
  public LongSupplier getProgramClock() {
    return () ->
        backend.getTimeNanos() + countedBefore + backend.getDriverCalls().getEstimatedNanos();
  }

  @Override
  public void advanceTo(long nanos) {
    if (nanos > backend.getTimeNanos()) {
      backend.advanceTo(nanos);
    }
  }

  @Override
  public void touch(Stream stream, long address, long bytes) {
    SimKernel.Builder kernel = SimKernel.named("touch").writes(address, bytes);
    ((SimStream) stream)
        .launch(kernelTime.isZero() ? kernel.build() : kernel.taking(kernelTime.toNanos()).build());
  }

  @Override
  public void startCounting() {
    countedBefore += backend.getDriverCalls().getEstimatedNanos();
    backend.getDriverCalls().reset();
  }

  @Override
  public DriverFigures getFigures() {
    DriverCallLog log = backend.getDriverCalls();
    Map<String, Long> calls = new LinkedHashMap<>(log.getCounts());
    // Every launch is a touch; and work is not part of the estimate, which is of memory and order.
    calls.remove(LAUNCH);
    Map<String, Long> nanos = new LinkedHashMap<>();
    calls.keySet().forEach(call -> nanos.put(call, log.getEstimatedNanos(call)));
    return new DriverFigures(calls, log.getEstimatedNanos(), nanos);
  }

  @Override
  public Long getDriverNanos() {
    return backend.getDriverCalls().getEstimatedNanos();
  }

  @Override
  public @Nullable Long getHazards() {
    return judged ? backend.getHazardCount() : null;
  }

  @Override
  public @Nullable String getFirstHazard() {
    return backend.getHazards().stream()
        .findFirst()
        .map(hazard -> hazard.toString().strip().replaceAll("\\s*\\R\\s*", "; "))
        .orElse(null);
  }

  @Override
  public List<String> getLeaks() {
    return backend.getLeaks().stream()
        .map(
            leak ->
                String.format(
                    Locale.ROOT,
                    "%s 0x%x of %s",
                    leak.kind().name().toLowerCase(Locale.ROOT).replace('_', ' '),
                    leak.handle(),
                    ByteSize.format(leak.bytes())))
        .toList();
  }

  @Override
  public void close() {
    backend.close();
  }
}
