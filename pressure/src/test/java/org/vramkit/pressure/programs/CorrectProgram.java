package org.vramkit.pressure.programs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.vramkit.pool.caching.Backup;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.hazard.HazardReport;
import org.vramkit.sim.schedule.Schedule;

/**
 * A random program that orders all of its accesses, over every kind of memory of two devices. It
 * reads what it has written, and the simulator reports nothing.
 */
final class CorrectProgram implements AutoCloseable {
  private final long seed;
  private final SplittableRandom random;
  private final SimBackend backend;
  private final Waits waits;
  private final Accesses accesses;
  private final List<Gpu> gpus = new ArrayList<>();
  private final List<Piece> pieces = new ArrayList<>();
  private final List<List<SpilledBytes>> spilled = List.of(new ArrayList<>(), new ArrayList<>());
  private final List<String> story = new ArrayList<>();

  CorrectProgram(long seed) {
    this(seed, Waits.NONE);
  }

  /** Prepares a program that is wrong if it needs the omitted wait. */
  CorrectProgram(long seed, int omittedWait) {
    this.seed = seed;
    this.random = new SplittableRandom(seed);
    List<Schedule> schedules = Schedule.all();
    this.backend =
        SimBackend.builder()
            .device(DeviceProfile.SMALL_8GIB)
            .device(DeviceProfile.SMALL_8GIB)
            .seed(seed)
            .schedule(schedules.get(random.nextInt(schedules.size())))
            .reuseAddresses(random.nextBoolean())
            .build();
    this.waits = new Waits(backend, random, omittedWait);
    this.accesses = new Accesses(random, waits);
    for (int i = 0; i < 2; i++) {
      gpus.add(new Gpu(backend, i, random));
    }
  }

  /**
   * Runs all steps, and closes everything but the simulator.
   *
   * @throws AssertionError if a step fails or reads what it has not written, with the seed
   */
  void run() {
    try {
      makeSteps();
      story.add("end");
      end();
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError(toString(), e);
    }
  }

  private void makeSteps() {
    int steps = 20 + random.nextInt(60);
    for (int i = 0; i < steps; i++) {
      // The second device has less to do.
      int ordinal = random.nextInt(4) / 3;
      SimStream stream = gpus.get(ordinal).anyStream();
      Step step = Step.any(random);
      story.add(step + " on " + stream);
      make(step, ordinal, stream);
    }
  }

  int waits() {
    return waits.count();
  }

  List<HazardReport> reports() {
    return backend.getHazards();
  }

  private void make(Step step, int ordinal, SimStream stream) {
    Gpu gpu = gpus.get(ordinal);
    switch (step) {
      case TAKE -> pieces.add(gpu.take(anySize(), stream));
      case CLOSE -> closePiece();
      case USE -> use(gpu, stream);
      case USE_SPILLABLE -> useSpillable(gpu, spilled.get(ordinal), stream);
      case SPILL -> gpu.store.spill(random.nextInt(100_000));
      case SUSPEND_OR_RESUME -> suspendOrResume(gpu, stream);
      case TRIM -> gpu.trim();
      case REPLACE_STREAM -> replaceStream(gpu);
      case CALL_HOST -> stream.callHost("function", () -> {});
      case CLOSE_GRAPH -> closeGraph();
      case SYNCHRONIZE -> stream.synchronize();
    }
  }

  private long anySize() {
    return 1L + random.nextInt(random.nextInt(16) == 0 ? 300_000 : 10_000);
  }

  private <T> T anyOf(List<T> list) {
    return list.get(random.nextInt(list.size()));
  }

  private void closePiece() {
    List<Piece> closable = pieces.stream().filter(each -> each.graphs == 0).toList();
    if (!closable.isEmpty()) {
      Piece any = anyOf(closable);
      story.add("  " + any);
      pieces.remove(any);
      any.close();
    }
  }

  private void use(Gpu gpu, SimStream stream) {
    List<Piece> usable =
        pieces.stream().filter(each -> each.gpu == gpu && each.isUsable()).toList();
    if (usable.isEmpty()) {
      return;
    }
    Piece to = anyOf(usable);
    List<Piece> sources =
        pieces.stream().filter(each -> each != to && each.isUsable() && each.isWritten).toList();
    story.add("  " + to);
    if (!to.isWritten) {
      accesses.write(to, stream);
    } else if (sources.isEmpty() || random.nextInt(3) == 0) {
      accesses.check(to, stream);
    } else {
      Piece from = anyOf(sources);
      story.add("  from " + from);
      accesses.copy(from, to, stream);
    }
  }

  private void useSpillable(Gpu gpu, List<SpilledBytes> buffers, SimStream stream) {
    if (buffers.isEmpty() || random.nextInt(3) == 0) {
      buffers.add(new SpilledBytes(gpu.store, anySize(), random.nextInt(3)));
    }
    anyOf(buffers).use(stream, random);
  }

  private void suspendOrResume(Gpu gpu, SimStream stream) {
    if (gpu.isSuspended()) {
      gpu.resume(stream);
    } else if (gpu.canSuspend() && !accesses.hasGraphs()) {
      Backup backup = random.nextInt(3) == 0 ? Backup.NONE : Backup.HOST;
      gpu.suspend(backup, stream);
      pieces.stream()
          .filter(each -> each.gpu == gpu && each.isSuspendable())
          .forEach(each -> each.isWritten &= backup == Backup.HOST);
    }
  }

  private void replaceStream(Gpu gpu) {
    if (!accesses.hasGraphs()) {
      SimStream old = gpu.replaceStream();
      pieces.forEach(each -> each.forget(old));
    }
  }

  private void closeGraph() {
    if (accesses.hasGraphs()) {
      accesses.closeGraph();
    }
  }

  private void end() {
    while (accesses.hasGraphs()) {
      accesses.closeGraph();
    }
    for (Gpu each : gpus) {
      if (each.isSuspended() && random.nextBoolean()) {
        each.resume(each.anyStream());
      }
    }
    pieces.forEach(Piece::close);
    spilled.forEach(each -> each.forEach(SpilledBytes::close));
    gpus.forEach(Gpu::close);
    waits.close();
    assertEquals(List.of(), backend.getLeaks(), "leaks");
  }

  @Override
  public void close() {
    backend.close();
  }

  @Override
  public String toString() {
    return "seed " + seed + " on " + backend.getSchedule() + ":\n" + String.join("\n", story);
  }
}
