package org.vramkit.guice;

import static java.lang.annotation.ElementType.FIELD;
import static java.lang.annotation.ElementType.METHOD;
import static java.lang.annotation.ElementType.PARAMETER;
import static java.lang.annotation.RetentionPolicy.RUNTIME;

import jakarta.inject.Qualifier;
import java.lang.annotation.Documented;
import java.lang.annotation.Retention;
import java.lang.annotation.Target;

/** Qualifies the buffer pool over all devices of the backend. */
@Qualifier @Documented
@Retention(RUNTIME)
@Target({FIELD, METHOD, PARAMETER})
public @interface AllDevices {}
