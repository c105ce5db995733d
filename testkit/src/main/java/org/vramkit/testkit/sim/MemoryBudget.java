package org.vramkit.testkit.sim;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Limits the memory of a test on simulated GPUs. The test fails with a {@link MemoryBudgetError} if
 * the requested or the reserved peak of a device exceeds the budget. The requested peak is that of
 * the blocks of all allocators; the reserved one is what they took from the driver. The error lists
 * the owners of the blocks at the requested peak: the lines of the test's code that allocated them.
 * A test that has already failed is not checked.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@ExtendWith(SimulatedGpuExtension.class)
public @interface MemoryBudget {
  /**
   * The budget of each device, such as {@code 512MiB}, as {@link
   * org.vramkit.api.units.ByteSize#parse} reads it.
   */
  String value();
}
