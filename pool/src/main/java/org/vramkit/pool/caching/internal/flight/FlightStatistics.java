package org.vramkit.pool.caching.internal.flight;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;
import jdk.jfr.FlightRecorder;
import jdk.jfr.FlightRecorderListener;
import jdk.jfr.Recording;
import jdk.jfr.RecordingState;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.allocator.Metric;
import org.vramkit.api.allocator.Metric.Kind;
import org.vramkit.api.allocator.Metric.Unit;
import org.vramkit.api.allocator.StreamStatistics;
import org.vramkit.api.allocator.TagUsage;
import org.vramkit.api.device.Device;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.GpuException;
import org.vramkit.api.flight.StatisticsEvent;
import org.vramkit.api.flight.StatisticsEvent.Label;
import org.vramkit.api.flight.StatisticsPublisher;
import org.vramkit.pool.caching.internal.event.PoolObserver;

/**
 * Publishes the statistics of all allocators of this JVM, their streams and their tags as periodic
 * events, and tells {@link PoolObserver.All} whether a recording is running.
 */
final class FlightStatistics extends StatisticsPublisher<FlightLog, FlightStatistics.Reading> {
  private static final FlightStatistics ALL = new FlightStatistics();

  static {
    FlightRecorder.addListener(
        new FlightRecorderListener() {
          @Override
          public void recorderInitialized(FlightRecorder recorder) {
            lookForRecordings();
          }

          @Override
          public void recordingStateChanged(Recording recording) {
            lookForRecordings();
          }
        });
  }

  private FlightStatistics() {
    super("allocator");
  }

  @Override
  protected Reading read(FlightLog log) {
    return Reading.of(log);
  }

  @Override
  protected List<StatisticsEvent<Reading, ?>> types() {
    return List.of(tags(), streams(), pools());
  }

  @Override
  protected int deviceOf(FlightLog log) {
    return log.device.getOrdinal();
  }

  @Override
  protected void gone(long number) {
    FlightLog.forget(number);
  }

  record Reading(String name, long total, long used, AllocatorStatistics statistics) {
    static Reading of(FlightLog log) {
      Device device = log.device;
      return new Reading(
          device.getProperties().name(),
          device.getProperties().totalMemoryBytes(),
          usedBytes(device),
          log.statistics.get());
    }

    private static long usedBytes(Device device) {
      try {
        return device.getMemoryInfo().getUsedBytes();
      } catch (GpuException | ClosedException e) {
        // The device is lost or its backend closed; the figures of the allocator are still valid.
        return -1;
      }
    }
  }

  private static StatisticsEvent<Reading, Reading> pools() {
    List<Metric<Reading>> metrics = new ArrayList<>();
    metrics.add(
        bytes(
            "device used",
            "Bytes of the device that all processes use; -1 if the driver cannot be queried",
            Reading::used));
    metrics.add(bytes("device total", "Bytes of the device", Reading::total));
    AllocatorStatistics.getMetrics().forEach(each -> metrics.add(each.of(Reading::statistics)));
    return new StatisticsEvent<>(
        "PoolStatistics",
        "Memory and calls of an allocator, and the memory of its device",
        List::of,
        List.of(new Label<>("device name", "Name of the device", Reading::name)),
        metrics);
  }

  private static StatisticsEvent<Reading, StreamStatistics> streams() {
    return new StatisticsEvent<>(
        "StreamStatistics",
        "Memory of a stream in an allocator, or of no stream (shared)",
        reading -> reading.statistics().streams(),
        List.of(new Label<>("stream", "Handle of the stream, or shared", StreamStatistics::stream)),
        List.of(
            bytes("live", "Bytes of its live and pending blocks", StreamStatistics::liveBytes),
            bytes("cached", "Free bytes in its caches", StreamStatistics::cachedBytes),
            bytes(
                "fragments",
                "Free bytes in the heap that so far only this stream may reuse",
                StreamStatistics::fragmentBytes)));
  }

  private static StatisticsEvent<Reading, TagUsage> tags() {
    return new StatisticsEvent<>(
        "TagStatistics",
        "Memory of a tag in an allocator",
        reading -> reading.statistics().tags(),
        List.of(new Label<>("tag", "The tag", TagUsage::tag)),
        List.of(
            bytes("live", "Bytes of its live blocks", TagUsage::liveBytes),
            bytes("peak", "Peak of these bytes", TagUsage::peakBytes),
            new Metric<>(
                "allocations",
                Unit.COUNT,
                Kind.COUNTER,
                "Allocations so far",
                TagUsage::allocations),
            new Metric<>(
                "allocated",
                Unit.BYTES,
                Kind.COUNTER,
                "Bytes of the allocations so far",
                TagUsage::allocatedBytes)));
  }

  private static <R> Metric<R> bytes(String name, String text, ToLongFunction<R> value) {
    return new Metric<>(name, Unit.BYTES, Kind.LEVEL, text, value);
  }

  private static void lookForRecordings() {
    ALL.forEach(FlightLog::manage);
    PoolObserver.All.setRecording(
        FlightRecorder.getFlightRecorder().getRecordings().stream()
            .anyMatch(each -> each.getState() == RecordingState.RUNNING));
  }

  static void add(FlightLog log) {
    ALL.show(log, log.number);
  }

  static void remove(FlightLog log) {
    ALL.hide(log.number);
  }
}
