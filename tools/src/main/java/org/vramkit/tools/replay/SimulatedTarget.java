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

/** A target on a simulated H200 with any size of memory, without contents, in virtual time. */
final class SimulatedTarget implements ReplayTarget {
  private static final String LAUNCH = "cuLaunchKernel";

  private final SimBackend backend;
  private final SimDevice device;
  private final Duration kernelTime;
  private final boolean checked;

  /** Driver time in nanoseconds before the last {@link #startCounting}. */
  private long countedBefore;

  /**
   * Creates the device.
   *
   * @param kernelTime minimum time of the kernel after an allocation
   * @param checked whether the checker is on, which costs host time
   */
  SimulatedTarget(long memoryBytes, Duration kernelTime, boolean checked) {
    this.kernelTime = kernelTime;
    this.checked = checked;
    DeviceProfile profile =
        DeviceProfile.builder("simulated " + ByteSize.format(memoryBytes))
            .from(DeviceProfile.H200)
            .memory(memoryBytes)
            .build();
    CheckerOptions checker = checked ? CheckerOptions.DEFAULT : CheckerOptions.OFF;
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

  /** Returns simulated time plus driver time, because a program on a GPU waits for driver calls. */
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
    // All launches come from touch; the cost model counts no time for them.
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
    return checked ? backend.getHazardCount() : null;
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
