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

/** {@code vramkit devices}: what there is, and why not what there is not. */
@Command(
    name = "devices",
    mixinStandardHelpOptions = true,
    description = {
      "Lists backends with the reason why each can be used or not, and the devices they reach.",
      "",
      "Fails if -Dvramkit.backend or VRAMKIT_BACKEND names a backend that cannot be used.",
      "",
      "The score of a device, by which work is divided, is its multiprocessors times their clock in"
          + " GHz.",
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
        code = Math.max(code, list(description.name(), devices));
      }
    }
    spec.commandLine()
        .getOut()
        .print(
            json
                ? DeviceReport.json(backends, devices)
                : DeviceReport.text(
                    backends, devices, new Style(spec.commandLine().getColorScheme().ansi())));
    // A list holds whatever there is; that a wanted backend cannot be used must not drown in it.
    ConfiguredBackend.check();
    return code;
  }

  /** Explains why a build for an older JDK lacks a backend that this JDK could use. */
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
            "not in this build, which a JDK before "
                + FFM_FROM
                + " made: run ./mvnw clean and build again with this JDK "
                + running));
    return all;
  }

  /**
   * Lists the devices of a backend. One that fails is left out with a message; one whose settings
   * are wrong makes the run fail.
   */
  private int list(String name, List<DeviceEntry> devices) {
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
