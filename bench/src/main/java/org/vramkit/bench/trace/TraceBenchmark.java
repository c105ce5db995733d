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
 * Time of an event, an allocation or a free, of the recorded programs, in the allocator alone: over
 * a device whose calls cost nothing ({@link ClockDevice}). Pass after pass goes through the same
 * allocator; what the first pass of an allocator costs, {@link FirstPassBenchmark} tells.
 *
 * <p>Events that follow each other at once find code and data in the processor's caches, which a
 * program that works in between does not leave there: the swept methods time single events after a
 * {@link Sweep}; the median of their percentiles is hardly disturbed by what else runs. Reading the
 * clock is in these, some 50 ns, as {@code sweptMib=0} shows.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@State(Scope.Thread)
public class TraceBenchmark {
  /** Names of files in {@code traces}. */
  @Param({"gpt", "growing", "streams", "serve", "fixed", "gnn", "prefetch"})
  public String trace;

  /** {@code auto} for pages of virtual memory, {@code off} for segments. */
  @Param({"auto", "off"})
  public String virtualMemory;

  /**
   * Played as fast as possible a recording is a busy phase, in which caches grow; at the pace at
   * which the program ran it is none, and caches stay small.
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

  /** Ends the pass, and demands that nothing is live. */
  @TearDown(Level.Trial)
  public void close() {
    player.close();
  }

  /** The subject. */
  @Benchmark
  public void allocator() {
    player.step();
  }

  /** The least. */
  @Benchmark
  public void limit() {
    limitStep();
  }

  /** The subject, from cold caches. */
  @Benchmark
  @BenchmarkMode(Mode.SampleTime)
  public void sweptAllocator(Sweep sweep) {
    player.step();
  }

  /** The least from cold caches. */
  @Benchmark
  @BenchmarkMode(Mode.SampleTime)
  public void sweptLimit(Sweep sweep) {
    limitStep();
  }

  /** Plays events that are not timed. */
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
