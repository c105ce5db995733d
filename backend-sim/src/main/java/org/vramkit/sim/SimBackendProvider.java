package org.vramkit.sim;

import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.vramkit.api.device.Backend;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.spi.Availability;
import org.vramkit.api.spi.BackendProvider;
import org.vramkit.api.units.Count;
import org.vramkit.sim.hazard.LeakReport;

/**
 * Provides a simulator of H200 devices whose memory holds bytes. The property {@value
 * #DEVICES_PROPERTY} sets the number of devices. In a {@link SimScope} it has the highest priority,
 * and opens the simulator of the scope.
 */
public final class SimBackendProvider implements BackendProvider {
  /** The system property with the number of devices, 1 to {@value #MAX_DEVICES}. */
  public static final String DEVICES_PROPERTY = "vramkit.sim.devices";

  private static final int MAX_DEVICES = 64;

  /** Constructor for {@link java.util.ServiceLoader}. */
  public SimBackendProvider() {}

  @Override
  public String getName() {
    return SimBackend.NAME;
  }

  @Override
  public int getPriority() {
    return SimScope.current() == null ? SIMULATOR_PRIORITY : Integer.MAX_VALUE;
  }

  @Override
  public Availability probe() {
    return Availability.yes("simulated in this process, no GPU involved");
  }

  @Override
  public Backend open() {
    SimScope scope = SimScope.current();
    SimBackend borrowed = scope == null ? null : scope.lend();
    return borrowed == null ? discovered() : borrowed;
  }

  private static SimBackend discovered() {
    SimBackend.Builder builder = SimBackend.builder().onClose(warning());
    for (int count = devices(); count > 0; count--) {
      builder.device(DeviceProfile.H200);
    }
    return builder.build();
  }

  private static HazardWarning warning() {
    return new HazardWarning(
        text -> System.getLogger(SimBackend.class.getName()).log(Level.WARNING, text));
  }

  private static int devices() {
    String text = System.getProperty(DEVICES_PROPERTY);
    if (text == null) {
      return 1;
    }
    text = text.strip();
    if (text.matches("\\d{1,2}")) {
      int devices = Integer.parseInt(text);
      if (devices >= 1 && devices <= MAX_DEVICES) {
        return devices;
      }
    }
    throw new InvalidArgumentException(
        "the system property %s is a number of devices, 1 to %s, not '%s'; or leave it out"
            .formatted(DEVICES_PROPERTY, MAX_DEVICES, text));
  }

  /**
   * Warns once that a simulator was closed with hazards or leaks. Used for a simulator that a
   * program found on the class path, because no test reports them.
   */
  static final class HazardWarning implements Consumer<SimBackend> {
    private final Consumer<String> log;
    private final AtomicBoolean given = new AtomicBoolean();

    HazardWarning(Consumer<String> log) {
      this.log = log;
    }

    @Override
    public void accept(SimBackend closed) {
      long hazards = closed.getHazardCount();
      LeakReport leaks = closed.getLeakReport();
      if ((hazards > 0 || !leaks.isEmpty()) && given.compareAndSet(false, true)) {
        String found =
            hazards == 0
                ? ""
                : "the simulator was closed with "
                    + Count.of(hazards, "hazard")
                    + (hazards == 1 ? ": " : ", the first of them: ")
                    + closed.getHazards().get(0);
        String left = leaks.isEmpty() ? "" : "the simulator was closed with open handles, " + leaks;
        log.accept(
            found + left + "a test with @SimulatedGpu would fail and show the lines of your code");
      }
    }
  }
}
