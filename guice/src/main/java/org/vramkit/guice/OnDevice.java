package org.vramkit.guice;

import static java.lang.annotation.ElementType.FIELD;
import static java.lang.annotation.ElementType.METHOD;
import static java.lang.annotation.ElementType.PARAMETER;
import static java.lang.annotation.RetentionPolicy.RUNTIME;

import jakarta.inject.Qualifier;
import java.lang.annotation.Documented;
import java.lang.annotation.Retention;
import java.lang.annotation.Target;

/** Qualifies an injected device, allocator, workspace or pool with its device's ordinal. */
@Qualifier @Documented
@Retention(RUNTIME)
@Target({FIELD, METHOD, PARAMETER})
public @interface OnDevice {

  /** The ordinal of the device, from 0. */
  int value();
}
