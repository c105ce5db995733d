package org.vramkit.tools;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Device;
import org.vramkit.api.discovery.BackendDescription;
import org.vramkit.api.discovery.Backends;
import org.vramkit.api.error.GpuException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.partition.device.ScoreFormula;
import org.vramkit.tools.report.DeviceEntry;
import org.vramkit.tools.report.DeviceReport;
import org.vramkit.tools.report.Style;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Implements {@code vramkit devices}: lists backends with their availability, and devices. */
@Command(
    name = "devices",
    mixinStandardHelpOptions = true,
    description = {
      "Lists the backends, why each is available or not, and the devices of the available ones.",
      "",
      "Fails if -Dvramkit.backend or VRAMKIT_BACKEND names a backend that cannot be used.",
      "",
      "A device's score is its number of multiprocessors times their clock in GHz. Scatters divide"
          + " work in proportion to it.",
      ""
    })
final class DevicesCommand implements Callable<Integer> {
  private static final String FFM = "ffm";
  private static final int FFM_FROM = 22;

  private final Errors errors;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(names = "--json", description = "Print one JSON document instead of tables.")
  private boolean json;

  DevicesCommand(Errors errors) {
    this.errors = errors;
  }

  @Override
  public Integer call() {
    List<BackendDescription> backends = withMissing(Backends.list(), Runtime.version().feature());
    List<DeviceEntry> devices = new ArrayList<>();
    int code = Errors.OK;
    for (BackendDescription description : backends) {
      if (description.available()) {
        code = Math.max(code, addDevices(description.name(), devices));
      }
    }
    spec.commandLine()
        .getOut()
        .print(
            json
                ? DeviceReport.json(backends, devices)
                : DeviceReport.text(
                    backends, devices, new Style(spec.commandLine().getColorScheme().ansi())));
    // Fails after the list is printed, so that an unusable configured backend is not overlooked.
    ConfiguredBackend.check();
    return code;
  }

  /**
   * Adds the ffm backend as unavailable if this JDK could use it but the build's JDK was too old.
   */
  static List<BackendDescription> withMissing(List<BackendDescription> found, int running) {
    if (running < FFM_FROM || found.stream().anyMatch(each -> each.name().equals(FFM))) {
      return found;
    }
    List<BackendDescription> all = new ArrayList<>(found);
    all.add(
        new BackendDescription(
            FFM,
            0,
            /* available= */ false,
            "missing: a JDK before "
                + FFM_FROM
                + " made this build; run ./mvnw clean and build again with this JDK "
                + running));
    return all;
  }

  /**
   * Adds the devices of a backend to {@code devices}. A backend that fails is reported and left
   * out.
   */
  private int addDevices(String name, List<DeviceEntry> devices) {
    try (Backend backend = Backends.open(name)) {
      for (Device device : backend.getDevices()) {
        devices.add(
            new DeviceEntry(
                name,
                device.getOrdinal(),
                device.getProperties(),
                freeBytes(device),
                device.getCapabilities().stream()
                    .sorted()
                    .map(c -> c.name().toLowerCase(Locale.ROOT).replace('_', '-'))
                    .toList(),
                ScoreFormula.DEFAULT.getScore(device)));
      }
      return Errors.OK;
    } catch (InvalidArgumentException e) {
      return errors.on("backend '" + name + "': ", e);
    } catch (GpuException e) {
      errors.print("backend '" + name + "': " + e.getMessage());
      return Errors.OK;
    }
  }

  private @Nullable Long freeBytes(Device device) {
    try {
      return device.getMemoryInfo().freeBytes();
    } catch (GpuException e) {
      errors.print(
          "device " + device.getOrdinal() + " does not report its free memory: " + e.getMessage());
      return null;
    }
  }
}
