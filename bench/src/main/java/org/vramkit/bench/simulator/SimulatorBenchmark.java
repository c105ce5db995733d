package org.vramkit.bench.simulator;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** Simulated operations per second, with and without the checker. */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@State(Scope.Thread)
public class SimulatorBenchmark {
  /** Turns the checker on or off. */
  @Param({"true", "false"})
  public boolean checked;

  private SimulatedProgram program;

  /** Creates the program. */
  @Setup(Level.Trial)
  public void open() {
    program = new SimulatedProgram(1, checked);
  }

  /** Closes the program; fails if it had a hazard. */
  @TearDown(Level.Trial)
  public void close() {
    program.close();
  }

  /** Measures one step of the program. */
  @Benchmark
  @OperationsPerInvocation(SimulatedProgram.OPERATIONS_PER_STEP)
  public void operations() {
    program.step();
  }
}
