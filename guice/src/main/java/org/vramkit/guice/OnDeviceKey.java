package org.vramkit.guice;

import java.lang.annotation.Annotation;

/** An {@link OnDevice} annotation instance, for bindings of any ordinal. */
@SuppressWarnings(
    "BadAnnotationImplementation") // equals and hashCode follow the contract of Annotation
record OnDeviceKey(int value) implements OnDevice {

  @Override
  public Class<? extends Annotation> annotationType() {
    return OnDevice.class;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof OnDevice that && that.value() == value;
  }

  @Override
  public int hashCode() {
    return (127 * "value".hashCode()) ^ Integer.hashCode(value);
  }

  @Override
  public String toString() {
    return "@" + OnDevice.class.getName() + "(" + value + ")";
  }
}
