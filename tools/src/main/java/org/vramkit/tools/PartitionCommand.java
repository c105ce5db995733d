package org.vramkit.tools;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Device;
import org.vramkit.api.discovery.Backends;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.partition.device.DevicePool;
import org.vramkit.partition.device.ScoreFormula;
import org.vramkit.partition.plan.BudgetTooSmallException;
import org.vramkit.partition.plan.Partitioner;
import org.vramkit.partition.plan.Plan;
import org.vramkit.partition.plan.Planner;
import org.vramkit.partition.scatter.Forecast;
import org.vramkit.partition.scatter.Schedule;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.tools.replay.UsageException;
import org.vramkit.tools.report.PartitionReport;
import org.vramkit.tools.report.Style;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Implements {@code vramkit partition}: divides work over devices and forecasts the time. */
@Command(
    name = "partition",
    mixinStandardHelpOptions = true,
    description = {
      "Divides units of work over devices and forecasts the time of a scatter for two schedules."
          + " Planned: each device gets one share, by its score. Guided: devices take chunks, sized"
          + " by measured rates.",
      "",
      "A score is an estimate, a rate the true speed: a device 300:100 is planned for three times"
          + " the work of a device 100:100, yet both do 100 units a second.",
      ""
    })
final class PartitionCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--units",
      required = true,
      paramLabel = "N",
      converter = WholeNumber.FromZero.class,
      description = "Units of work, from 0.")
  private long units;

  @Option(
      names = "--devices",
      split = ",",
      paramLabel = "SCORE[:RATE][@MEMORY]",
      converter = PartitionDevice.Converter.class,
      description =
          "Score of each device, its units a second (default: its score) and memory (default: 80GiB)."
              + " Default: the devices of the configured backend.")
  private @Nullable List<PartitionDevice> devices;

  @Option(
      names = "--bytes-per-unit",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      description = "Device memory of a unit. Tiles fill at most half of a device's memory.")
  private long bytesPerUnit;

  @Option(
      names = "--largest-remainder",
      description = "Round by largest remainder instead of by earliest finish.")
  private boolean largestRemainder;

  @Option(names = "--json", description = "Print one JSON document instead of tables.")
  private boolean json;

  @Override
  public Integer call() {
    List<PartitionDevice> wanted = devices == null ? ofBackend() : devices;
    if (wanted.isEmpty()) {
      throw new UsageException(
          "--devices is empty; write SCORE[:RATE][@MEMORY] for each device, such as 261:1000@80GiB,130");
    }
    double[] scores = wanted.stream().mapToDouble(PartitionDevice::score).toArray();
    double[] rates = wanted.stream().mapToDouble(PartitionDevice::unitsPerSecond).toArray();
    PartitionReport report =
        new PartitionReport(
            units,
            scores,
            rates,
            plan(wanted, scores),
            Forecast.of(units, Schedule.planned(), scores, rates),
            Forecast.of(units, Schedule.guided(), scores, rates));
    spec.commandLine()
        .getOut()
        .print(
            json
                ? report.json()
                : report.text(new Style(spec.commandLine().getColorScheme().ansi())));
    return Errors.OK;
  }

  /** Describes the devices of the configured backend; a device's rate is its score. */
  private static List<PartitionDevice> ofBackend() {
    try (Backend backend = Backends.open()) {
      List<PartitionDevice> all = new ArrayList<>();
      for (Device device : backend.getDevices()) {
        double score = ScoreFormula.DEFAULT.getScore(device);
        all.add(new PartitionDevice(score, score, device.getProperties().totalMemoryBytes()));
      }
      if (all.isEmpty()) {
        throw new UsageException(
            "backend '" + backend.getName() + "' has no device; describe devices by --devices");
      }
      return all;
    }
  }

  /** Plans on simulated devices that have the memory of {@code wanted}. */
  private Plan plan(List<PartitionDevice> wanted, double[] scores) {
    SimBackend.Builder builder = SimBackend.builder().bytes(false);
    for (PartitionDevice each : wanted) {
      builder.device(DeviceProfile.builder("device").memory(each.memoryBytes()).build());
    }
    Partitioner rounding =
        largestRemainder ? Partitioner.LARGEST_REMAINDER : Partitioner.FASTEST_FINISH;
    try (SimBackend backend = builder.build()) {
      DevicePool pool = DevicePool.of(backend.getDevices(), device -> scores[device.getOrdinal()]);
      return new Planner(rounding, bytesPerUnit).plan(pool, units);
    } catch (BudgetTooSmallException | InvalidArgumentException e) {
      throw new UsageException(String.valueOf(e.getMessage()));
    }
  }
}
