package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.vramkit.api.device.Stream;
import org.vramkit.sim.driver.CostModel;
import org.vramkit.sim.hazard.CheckerOptions;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.hazard.HazardReport;
import org.vramkit.sim.hazard.Strictness;
import org.vramkit.sim.schedule.Schedule;

/**
 * Two small devices, three streams on the first, and a block of plain memory. A test writes a
 * program with {@link #write} and {@link #read}, and says which reports it must give.
 */
final class Scene implements AutoCloseable {
  /** Bytes of the block that every scene starts with. */
  static final long SIZE = 4096;

  /** What a kernel of a scene takes; host calls take nothing, so all of them overlap. */
  static final long KERNEL_NANOS = 1_000_000;

  /** Hand-overs between threads of the host have to be told. */
  static final CheckerOptions PEDANTIC = CheckerOptions.DEFAULT.withStrictness(Strictness.PEDANTIC);

  final SimBackend backend;
  final SimDevice device;
  final SimDevice other;
  final SimStream s1;
  final SimStream s2;
  final SimStream s3;
  final long block;

  Scene() {
    this(1);
  }

  Scene(long seed) {
    this(builder -> builder.seed(seed));
  }

  Scene(long seed, CheckerOptions options) {
    this(builder -> builder.seed(seed).checker(options));
  }

  /** With settings of its own. */
  Scene(UnaryOperator<SimBackend.Builder> settings) {
    backend =
        settings
            .apply(
                SimBackend.builder()
                    .device(DeviceProfile.SMALL_8GIB)
                    .device(DeviceProfile.SMALL_8GIB)
                    .costModel(CostModel.FREE))
            .build();
    device = backend.getDevice(0);
    other = backend.getDevice(1);
    s1 = device.createStream();
    s2 = device.createStream();
    s3 = device.createStream();
    block = device.getMemory().allocate(SIZE);
  }

  void write(SimStream stream, long address, long bytes) {
    stream.launch(SimKernel.named("write").writes(address, bytes).taking(KERNEL_NANOS).build());
  }

  void write(SimStream stream) {
    write(stream, block, SIZE);
  }

  void read(SimStream stream, long address, long bytes) {
    stream.launch(SimKernel.named("read").reads(address, bytes).taking(KERNEL_NANOS).build());
  }

  void read(SimStream stream) {
    read(stream, block, SIZE);
  }

  /** Orders all that {@code after} does from now on behind all that {@code before} did so far. */
  void order(SimStream before, SimStream after) {
    try (SimEvent event = device.createEvent()) {
      event.record(before);
      after.waitFor(event);
    }
  }

  /** Asks a stream until it is idle. */
  void askUntilIdle(SimStream stream) {
    while (!stream.isIdle()) {
      backend.advance(KERNEL_NANOS);
    }
  }

  /** Asks so often that a stream's first host function begins; none waits for its end. */
  void askUntilBegun(SimStream stream) {
    for (int i = 0; i < 2 * Schedule.QUESTIONS; i++) {
      stream.isIdle();
    }
  }

  /** What a pool tells of a block that it hands out. */
  void handOut(long address, long bytes, Stream stream) {
    device.getMemoryObserver().allocated(address, bytes, stream);
  }

  /** What a pool tells of a block that it takes back. */
  void takeBack(long address, Stream stream) {
    device.getMemoryObserver().freed(address, stream);
  }

  /** What a pool tells of a use that was recorded with it. */
  void recordUse(long address, Stream stream) {
    device.getMemoryObserver().used(address, stream);
  }

  /** Demands just these reports, in this order, and returns them. */
  List<HazardReport> expect(HazardCode... codes) {
    List<HazardReport> found = backend.getHazards();
    List<HazardCode> kinds = new ArrayList<>();
    found.forEach(report -> kinds.add(report.code()));
    assertEquals(List.of(codes), kinds, () -> found.toString());
    return found;
  }

  /** Gives back what every scene starts with. */
  void end() {
    List.of(s1, s2, s3).forEach(SimStream::close);
    device.getMemory().free(block);
  }

  @Override
  public void close() {
    backend.close();
  }
}
