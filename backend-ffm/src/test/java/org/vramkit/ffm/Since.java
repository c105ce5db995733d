package org.vramkit.ffm;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The driver version that brought a function's variant, by {@code cudaTypedefs.h}. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
@interface Since {
  int value();

  /** The name that the library exports, where it carries the variant. */
  String exported() default "";
}
