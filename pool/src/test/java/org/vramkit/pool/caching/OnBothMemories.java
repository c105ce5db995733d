package org.vramkit.pool.caching;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A behaviour that holds over virtual memory and over segments, and is tested on each. */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@ParameterizedTest(name = "virtual memory {0}")
@EnumSource(
    value = VirtualMemoryUse.class,
    names = {"ON", "OFF"})
public @interface OnBothMemories {}
