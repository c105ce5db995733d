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
 * Runs a small test in every possible order of its work. Use this annotation instead of
 * {@code @Test}. The search stops at the first failing run, which can be repeated by its schedule,
 * such as {@code chosen:0.2.1}. The test must be deterministic for a given order of work: one host
 * thread, and random values only from the seed. The runs are sequential, even if other tests run in
 * parallel.
 *
 * <p>The number of orders grows factorially with the work that is queued concurrently: two streams
 * of five kernels have 252 orders, three have 756,756. Each query whether work is complete adds
 * orders, because both answers are tried, and pools make many queries. For example, two streams of
 * two fills have 6 orders with plain device memory. They have 785 orders if a caching allocator is
 * closed while the fills are queued, and again 6 if {@code device.synchronize()} precedes the
 * close.
 *
 * <p>If {@link #limit} ends the search early, the test fails if {@link #complete} is set. Otherwise
 * a report entry named {@value OrderSearch#INCOMPLETE} and a log message are written.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@TestTemplate
@Execution(ExecutionMode.SAME_THREAD)
@ExtendWith({SimulatedGpuExtension.class, RepeatedRuns.class})
public @interface EverySchedule {
  /** Maximum number of runs, at least 1. */
  int limit() default 1000;

  /** Fails the test if there are more orders than {@link #limit}. */
  boolean complete() default false;
}
