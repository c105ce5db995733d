package org.vramkit.bench.trace;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.vramkit.bench.Limit;

/**
 * Time of an event (an allocation or a free) of a recorded program in the allocator alone, over a
 * {@link ClockDevice}. All passes use the same allocator; {@link FirstPassBenchmark} measures the
 * first pass.
 *
 * <p>Consecutive events find warm CPU caches, unlike those of a real program. The swept methods
 * therefore time single events after a {@link Sweep}. Use their median, which is robust. They
 * include about 50 ns for reading the clock, see {@code sweptMib=0}.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@State(Scope.Thread)
public class TraceBenchmark {
  /** Name of a file in {@code traces}. */
  @Param({"gpt", "growing", "streams", "serve", "fixed", "gnn", "prefetch"})
  public String trace;

  /** {@code auto} for pages of virtual memory, {@code off} for segments. */
  @Param({"auto", "off"})
  public String virtualMemory;

  /**
   * {@code recorded} uses the recording's times as the allocator's clock, from which the budget for
   * moves follows; {@code full} uses real time.
   */
  @Param({"recorded", "full"})
  public String pace;

  private Recording recording;
  private Player player;
  private long[] addresses;
  private int next;

  /** Reads the recording. */
  @Setup(Level.Trial)
  public void open() {
    recording = Recording.read(trace);
    player = new Player(recording, virtualMemory, pace);
    addresses = new long[recording.sizes.length];
  }

  /** Finishes the pass; fails if a block is live. */
  @TearDown(Level.Trial)
  public void close() {
    player.close();
  }

  /** Measures the allocator. */
  @Benchmark
  public void allocator() {
    player.step();
  }

  /** Measures the lower bound. */
  @Benchmark
  public void limit() {
    limitStep();
  }

  /** Measures the allocator with cold caches. */
  @Benchmark
  @BenchmarkMode(Mode.SampleTime)
  public void sweptAllocator(Sweep sweep) {
    player.step();
  }

  /** Measures the lower bound with cold caches. */
  @Benchmark
  @BenchmarkMode(Mode.SampleTime)
  public void sweptLimit(Sweep sweep) {
    limitStep();
  }

  /** Replays untimed events. */
  void skip(int events) {
    for (int i = 0; i < events; i++) {
      player.step();
      limitStep();
    }
  }

  private void limitStep() {
    int event = recording.events[next];
    if (event >= 0) {
      addresses[event] = Limit.allocate(recording.sizes[event]);
    } else {
      Limit.free(addresses[~event], recording.sizes[~event]);
    }
    next = next + 1 == recording.events.length ? 0 : next + 1;
  }
}
