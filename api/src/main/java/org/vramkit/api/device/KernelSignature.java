package org.vramkit.api.device;

import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * The name and the parameters of a kernel.
 *
 * @param kernel the name of the kernel
 * @param parameters the parameters in order
 */
public record KernelSignature(String kernel, List<KernelParameter> parameters) {

  /** Copies the list. */
  public KernelSignature {
    Objects.requireNonNull(kernel, "kernel");
    parameters = List.copyOf(parameters);
  }

  /** Returns the size of the parameter space in bytes, up to the end of the last parameter. */
  public int getSize() {
    int size = 0;
    for (KernelParameter each : parameters) {
      size = Math.max(size, each.offset() + each.size());
    }
    return size;
  }

  /** Returns the signature as text, such as {@code saxpy(.u64 x, .f32 a, .u32 n)}. */
  @Override
  public String toString() {
    return parameters.stream()
        .map(KernelParameter::toString)
        .collect(Collectors.joining(", ", kernel + "(", ")"));
  }
}
