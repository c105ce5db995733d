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
 * Tests run on simulated GPUs, and fail on hazards and leaks that they leave behind.
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
 * SimDevice} or {@code Device}, a {@code SimStream} or {@code Stream}. All of them belong to one
 * simulator, which is made for this test alone; every stream is a new one, called like its
 * parameter in reports where classes are compiled with {@code -parameters}, otherwise by its place
 * among the test's streams, from 1, and is closed after the test. {@link Ordinal} picks another
 * device than the first.
 *
 * <p>The verdict comes last of all: after {@code @AfterEach} methods and after fields with
 * {@code @AutoClose}. Hazards fail the test with a {@link HazardError}, leaks with a {@link
 * LeakError}; where the test had failed already, hazards are suppressed exceptions of its failure.
 * What kernels' bodies and host functions threw, and no wait did again, fails it with a {@link
 * WorkError}. Work that the test did not wait for runs before the verdict; what cannot run, because
 * a gate is closed or a fault plan lets it hang, is published as report entries named {@value
 * Verdict#UNFINISHED}. Warnings are published as report entries named {@value Verdict#WARNING}, and
 * rules of a fault plan that never did anything as {@value Verdict#UNUSED_FAULT}. Each of these is
 * also logged once for each test method, by the {@link System.Logger} named after this annotation.
 * A test whose subject is a hazard says so by {@link ExpectHazard}.
 *
 * <p>On a class it holds for all tests of it, nested ones included. Where several could apply, the
 * nearest one counts, and counts alone.
 *
 * <p>Code of the test that opens a backend itself, by {@code Backends.open()}, has the same
 * simulator: on the test's thread and those that it starts, whatever else is on the class path,
 * unless another one is asked for by name. That code's close leaves it open. Backends of {@code
 * SimBackend.builder()}, and of threads that were there before the test, are not judged.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ExtendWith(SimulatedGpuExtension.class)
public @interface SimulatedGpu {

  /** How many devices there are, at least 1; as many as there are {@link #profile profiles}. */
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
   * Seed of all that is random. The JUnit configuration parameter or system property {@value
   * org.vramkit.sim.SimBackend#SEED_PROPERTY} comes before it.
   */
  long seed() default 1;

  /**
   * In which order queued work runs: a name as {@link org.vramkit.sim.schedule.Schedule#of} reads
   * it. The JUnit configuration parameter or system property {@value
   * org.vramkit.sim.schedule.Schedule#PROPERTY} comes before it.
   */
  String schedule() default "timed";

  /** Decides how far a test may rely on more than CUDA promises. */
  Strictness strictness() default Strictness.STRICT;

  /**
   * Shows in reports where each access and leak was made, for the first {@link #maxStacks}
   * operations. In a test of a million, called 129 methods deep, an allocation and its close take
   * 1.8 us of processor time together, and 13 us if all have stacks.
   */
  boolean stacks() default true;

  /**
   * Number of stacks that are noted, from the start of a run: a stack costs by its depth, and a
   * fault shows mostly early. Later operations are judged as the others, and reports name them,
   * their streams, threads and numbers, without the lines of code; a failure says so. {@code
   * Integer.MAX_VALUE} for all.
   */
  int maxStacks() default 100_000;

  /**
   * Records runs, so that the program of one that failed is stored for {@code vramkit run} and
   * {@code vramkit shrink}: below {@code target/vramkit}, or the folder that the JUnit
   * configuration parameter or system property {@value Repetition#FOLDER} names. A call takes some
   * 200 bytes, and the first 100,000 are kept.
   */
  boolean recording() default true;

  /** Decides about a test that leaves something held. */
  LeakPolicy leaks() default LeakPolicy.FAIL;
}
