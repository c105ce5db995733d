package org.vramkit.ffm;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The driver version that introduced a function's variant, from {@code cudaTypedefs.h}. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
@interface Since {
  int value();

  /** The exported name if it contains the variant. */
  String exported() default "";
}
