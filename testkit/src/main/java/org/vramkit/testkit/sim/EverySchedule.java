package org.vramkit.testkit.sim;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Runs a small test in every order in which its work can run, in place of {@code @Test}. It stops
 * at the first failing run, whose schedule, such as {@code chosen:0.2.1}, repeats it. The test must
 * be deterministic for a given order: one host thread, nothing random except from the seed. Its
 * runs are sequential, even if other tests run in parallel.
 *
 * <p>The number of orders grows with the factorial of the concurrent work: two streams of five
 * kernels have 252, three have 756,756. Each query of work adds to it, because both answers are
 * tried, and pools query often: two streams of two fills have 6 orders on device memory, and 785 if
 * a caching allocator is closed while they are queued; a {@code device.synchronize()} before its
 * close makes them 6 again. If {@link #limit} ends the search early, a report entry named {@value
 * OrderSearch#INCOMPLETE} and a line of the log say so, or the test fails if {@link #complete} is
 * set.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@TestTemplate
@Execution(ExecutionMode.SAME_THREAD)
@ExtendWith({SimulatedGpuExtension.class, RepeatedRuns.class})
public @interface EverySchedule {
  /** The maximum number of runs, at least 1. */
  int limit() default 1000;

  /** Fails the test if there are more orders than the limit allows. */
  boolean complete() default false;
}
