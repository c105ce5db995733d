package org.vramkit.testkit.sim;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.vramkit.sim.hazard.Strictness;

/**
 * Runs tests on simulated GPUs and fails them on hazards and leaks.
 *
 * <pre>{@code
 * @SimulatedGpu
 * class PipelineTest {
 *   @Test
 *   void consumerWaits(SimDevice device, SimStream producer, SimStream consumer) { ... }
 * }
 * }</pre>
 *
 * <p>Parameters of a test, of its {@code @BeforeEach} and {@code @AfterEach} methods and, from
 * JUnit 5.12 on, of its constructor may be a {@code SimBackend} or {@code Backend}, a {@code
 * SimDevice} or {@code Device}, a {@code SimStream} or {@code Stream}. All parameters belong to one
 * simulator, which is created for this test. Every stream parameter is a new stream, which is
 * closed after the test. Reports name a stream after its parameter if classes are compiled with
 * {@code -parameters}, otherwise by its position among the test's streams, from 1. {@link Ordinal}
 * selects a device other than the first.
 *
 * <p>Hazards and leaks are checked last, after {@code @AfterEach} methods and after closing
 * {@code @AutoClose} fields. Hazards fail the test with a {@link HazardError}, leaks with a {@link
 * LeakError}. If the test has already failed, hazards become suppressed exceptions of its failure.
 * Exceptions of kernel bodies and host functions that no wait has rethrown fail the test with a
 * {@link WorkError}. Work that the test did not wait for runs before this check. Work that cannot
 * run, because a gate is closed or a fault plan hangs it, is published as report entries named
 * {@value Verdict#UNFINISHED}. Warnings are published as report entries named {@value
 * Verdict#WARNING}, and rules of a fault plan that were never applied as {@value
 * Verdict#UNUSED_FAULT}. Each is also logged once per test method, by the {@link System.Logger}
 * named after this annotation. Mark a test that contains hazards on purpose with {@link
 * ExpectHazard}.
 *
 * <p>On a class the annotation applies to all of its tests, including nested classes. If several
 * apply, only the innermost is used.
 *
 * <p>Code of the test that calls {@code Backends.open()} gets the same simulator, on the test's
 * thread and the threads that it starts. Other backends on the class path are used only if they are
 * requested by name. Closing the returned backend leaves the simulator open. Backends of {@code
 * SimBackend.builder()} and of threads that were started before the test are not checked.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ExtendWith(SimulatedGpuExtension.class)
public @interface SimulatedGpu {

  /**
   * The number of devices, at least 1, or the number of {@link #profile profiles} if that is
   * larger.
   */
  int devices() default 1;

  /**
   * Names of constants of {@link org.vramkit.sim.DeviceProfile}: one for all devices, or one per
   * device.
   */
  String[] profile() default "H200";

  /**
   * The memory of each device, such as {@code 8GiB}, as {@link
   * org.vramkit.api.units.ByteSize#parse} reads it; empty for that of the profile.
   */
  String memory() default "";

  /**
   * The seed of all random values. The JUnit configuration parameter or system property {@value
   * org.vramkit.sim.SimBackend#SEED_PROPERTY} overrides it.
   */
  long seed() default 1;

  /**
   * The order in which queued work runs: a name as {@link org.vramkit.sim.schedule.Schedule#of}
   * reads it. The JUnit configuration parameter or system property {@value
   * org.vramkit.sim.schedule.Schedule#PROPERTY} overrides it.
   */
  String schedule() default "timed";

  /** Selects which behaviour beyond CUDA's guarantees a test may rely on. */
  Strictness strictness() default Strictness.STRICT;

  /**
   * Records stack traces of accesses and allocations for reports, for the first {@link #maxStacks}
   * operations. In a test with a million operations at a call depth of 129, an allocation and its
   * close take 1.8 us of CPU time, and 13 us if all stacks are recorded.
   */
  boolean stacks() default true;

  /**
   * The maximum number of recorded stacks, from the start of a run. The cost of a stack grows with
   * its depth, and most faults show early. Later operations are checked too, but reports show them
   * without lines of code, and the message of a failure mentions this. {@code Integer.MAX_VALUE}
   * records all.
   */
  int maxStacks() default 100_000;

  /**
   * Records runs, so that the program of a failed run is stored for {@code vramkit run} and {@code
   * vramkit shrink}: in {@code target/vramkit}, or in the folder given by the JUnit configuration
   * parameter or system property {@value Repetition#FOLDER}. A call takes about 200 bytes; the
   * first 100,000 calls are kept.
   */
  boolean recording() default true;

  /** The reaction to leaks. */
  LeakPolicy leaks() default LeakPolicy.FAIL;
}
