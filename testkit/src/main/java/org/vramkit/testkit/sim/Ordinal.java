package org.vramkit.testkit.sim;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Selects the device for a device parameter or a stream parameter by its ordinal. A parameter
 * without this annotation gets the first device or a stream of it.
 */
@Target(ElementType.PARAMETER)
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface Ordinal {
  /** The device's ordinal, from 0. */
  int value();
}
