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
 * A small test that is run in every order in which its work can run, in place of {@code @Test}. It
 * ends with the first run that fails, whose schedule, such as {@code chosen:0.2.1}, repeats it. The
 * test must do the same whenever work runs in the same order: one host thread, nothing random but
 * from the seed. Runs follow one another, whatever runs in parallel besides.
 *
 * <p>The number of orders grows with the factorial of the work that is queued side by side: two
 * streams of five kernels have 252, three have 756,756. Each question whether work is done adds to
 * it, because it may be answered either way, and pools ask many: two streams of two fills have 6
 * orders on memory of the device, and 785 if a caching allocator is closed while they are queued; a
 * {@code device.synchronize()} before it closes makes them 6 again. Where {@link #limit} ends the
 * search before all were tried, a report entry named {@value OrderSearch#INCOMPLETE} and a line of
 * the log say so, or, where {@link #complete} is demanded, the test fails.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@TestTemplate
@Execution(ExecutionMode.SAME_THREAD)
@ExtendWith({SimulatedGpuExtension.class, RepeatedRuns.class})
public @interface EverySchedule {
  /** How many runs at most, at least 1. */
  int limit() default 1000;

  /** Fails the test if there are more orders than the limit allows. */
  boolean complete() default false;
}
