package org.vramkit.bench.driver;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.stream.DoubleStream;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Backend;
import org.vramkit.cuda.CudaBackend;
import org.vramkit.cuda.DriverCallMeter;
import org.vramkit.sim.driver.CostModel;
import org.vramkit.sim.driver.DriverFunction;

/** Times of driver calls, a row for each function and case. */
final class CostTable {
  private static final int LONGEST_NAME = 66;

  private final @Nullable CudaBackend cuda;
  private final Map<String, Row> rows = new LinkedHashMap<>();

  private static final class Row {
    private final double modelled;
    private final DoubleStream.Builder micros = DoubleStream.builder();

    private Row(double modelled) {
      this.modelled = modelled;
    }
  }

  /** Creates a table. On a backend without a driver, a call is timed as a whole. */
  CostTable(Backend backend) {
    this.cuda = backend instanceof CudaBackend opened ? opened : null;
  }

  /** A function, the case that its row names, and the bytes of each mapping that it acts on. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Subject(DriverFunction function, String name, boolean busy, long... bytes) {
    private double modelledMicros() {
      CostModel model = CostModel.H200;
      return bytes.length > 1
          ? model.getRangeNanos(function, bytes, busy) / 1e3
          : model.getNanos(function, bytes.length == 0 ? 0 : bytes[0], busy) / 1e3;
    }

    private String row() {
      return function.getFunctionName() + (name.isEmpty() ? "" : ", " + name);
    }
  }

  /** Makes a call and adds its time. */
  void time(Subject subject, Runnable call) {
    time(
        subject,
        () -> {
          call.run();
          return 0;
        });
  }

  /** Makes a call, adds its time, and returns what it returned. */
  long time(Subject subject, LongSupplier call) {
    Row row = rows.computeIfAbsent(subject.row(), name -> new Row(subject.modelledMicros()));
    if (cuda == null) {
      long begin = System.nanoTime();
      long found = call.getAsLong();
      row.micros.add((System.nanoTime() - begin) / 1e3);
      return found;
    }
    try (DriverCallMeter meter = cuda.measure()) {
      long found = call.getAsLong();
      String function = subject.function.getFunctionName();
      long count = meter.getCounts().getOrDefault(function, 0L);
      if (count > 0) {
        row.micros.add(meter.getNanos().getOrDefault(function, 0L) / 1e3 / count);
      }
      return found;
    }
  }

  /** Prints the table. */
  void print(String device) {
    System.out.println("microseconds of a call, " + device + "; simulated H200");
    String format = "%-" + LONGEST_NAME + "s %6s %10s %10s %10s %10s%n";
    System.out.printf(Locale.ROOT, format, "call", "n", "mean", "p50", "p99", "simulated");
    rows.forEach((name, row) -> print(format, name, row));
  }

  private static void print(String format, String name, Row row) {
    double[] sorted = row.micros.build().sorted().toArray();
    System.out.printf(
        Locale.ROOT,
        format,
        name,
        sorted.length,
        two(Arrays.stream(sorted).average().orElse(Double.NaN)),
        two(at(sorted, 0.5)),
        two(at(sorted, 0.99)),
        two(row.modelled));
  }

  private static double at(double[] sorted, double part) {
    return sorted.length == 0 ? Double.NaN : sorted[(int) (part * (sorted.length - 1))];
  }

  private static String two(double micros) {
    return String.format(Locale.ROOT, "%.2f", micros);
  }
}
