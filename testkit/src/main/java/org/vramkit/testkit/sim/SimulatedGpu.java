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
 * Runs tests on simulated GPUs, and fails them on hazards and leaks.
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
 * SimDevice} or {@code Device}, a {@code SimStream} or {@code Stream}. All belong to one simulator,
 * which is created for this test alone. Each stream is new and is closed after the test. Reports
 * use the name of its parameter if classes are compiled with {@code -parameters}, otherwise its
 * position among the test's streams, from 1. {@link Ordinal} selects another device than the first.
 *
 * <p>The verdict comes last: after {@code @AfterEach} methods and fields with {@code @AutoClose}.
 * Hazards fail the test with a {@link HazardError}, leaks with a {@link LeakError}; if the test has
 * already failed, hazards are suppressed exceptions of its failure. Exceptions of kernel bodies and
 * host functions that no wait threw fail it with a {@link WorkError}. Work that the test did not
 * wait for runs before the verdict. Work that cannot run, because of a closed gate or a hang, is
 * published as report entries named {@value Verdict#UNFINISHED}, warnings as {@value
 * Verdict#WARNING}, and unused rules of a fault plan as {@value Verdict#UNUSED_FAULT}. Each is also
 * logged once for each test method, by the {@link System.Logger} named after this annotation. A
 * test of a hazard declares it by {@link ExpectHazard}.
 *
 * <p>On a class it applies to all of its tests, including nested ones. Of several annotations only
 * the nearest counts.
 *
 * <p>Code of the test that calls {@code Backends.open()} gets the same simulator, on the test's
 * thread and on threads that it starts, unless it requests another backend by name. Its close
 * leaves the simulator open. Backends from {@code SimBackend.builder()}, and those of threads from
 * before the test, are not checked by this annotation.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ExtendWith(SimulatedGpuExtension.class)
public @interface SimulatedGpu {

  /** The number of devices, at least 1, or that of the {@link #profile profiles}. */
  int devices() default 1;

  /**
   * Names of constants of {@link org.vramkit.sim.DeviceProfile}: one for all devices, or one for
   * each.
   */
  String[] profile() default "H200";

  /**
   * Memory of each device in place of its profile's, such as {@code 8GiB}, as {@link
   * org.vramkit.api.units.ByteSize#parse} reads it.
   */
  String memory() default "";

  /**
   * Seed of everything random. The JUnit configuration parameter or system property {@value
   * org.vramkit.sim.SimBackend#SEED_PROPERTY} overrides it.
   */
  long seed() default 1;

  /**
   * Name of the schedule, as {@link org.vramkit.sim.schedule.Schedule#of} reads it. The JUnit
   * configuration parameter or system property {@value org.vramkit.sim.schedule.Schedule#PROPERTY}
   * overrides it.
   */
  String schedule() default "timed";

  /** The unspecified behaviour that a test may rely on. */
  Strictness strictness() default Strictness.STRICT;

  /**
   * Keeps the stacks of accesses and leaks for reports, for the first {@link #maxStacks}
   * operations. In a test of a million operations, called 129 methods deep, an allocation and its
   * close take 1.8 us of processor time together, and 13 us if all have stacks.
   */
  boolean stacks() default true;

  /**
   * The number of stacks that are kept, from the start of a run: a stack costs by its depth, and a
   * fault mostly shows early. Later operations are checked alike, and reports name them, their
   * streams, threads and numbers, without lines of code; a failure says so. {@code
   * Integer.MAX_VALUE} keeps all.
   */
  int maxStacks() default 100_000;

  /**
   * Records runs, so that the program of a failing one is stored for {@code vramkit run} and {@code
   * vramkit shrink}: below {@code target/vramkit}, or the folder that the JUnit configuration
   * parameter or system property {@value Repetition#FOLDER} names. A call takes some 200 bytes; the
   * first 100,000 are kept.
   */
  boolean recording() default true;

  /** The treatment of a test with leaks. */
  LeakPolicy leaks() default LeakPolicy.FAIL;
}
