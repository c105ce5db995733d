package org.vramkit.testkit.sim;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Which device of {@link SimulatedGpu} a parameter is, or is a stream of; the first one without.
 */
@Target(ElementType.PARAMETER)
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface Ordinal {
  /** The device's ordinal, from 0. */
  int value();
}
