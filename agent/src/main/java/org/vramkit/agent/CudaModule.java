package org.vramkit.agent;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.vramkit.api.device.Kernel;
import org.vramkit.api.device.KernelModule;
import org.vramkit.api.device.ModuleGlobal;
import org.vramkit.api.error.InvalidArgumentException;

/** A loaded module, with its functions and the variables that the program asked for. */
final class CudaModule extends CudaObject {
  private static final Pattern ENTRY = Pattern.compile("(?m)^[^/\\n]*\\.entry\\s+([\\w$]+)");

  private final KernelModule module;

  /** The names of the kernels in the order of the text. */
  final List<String> kernels;

  private final Map<String, CudaFunction> functions = new HashMap<>();
  private final Map<String, ModuleGlobal> variables = new HashMap<>();

  private CudaModule(CudaContext context, long handle, KernelModule module, byte[] image) {
    super(context, handle);
    this.module = module;
    this.kernels =
        ENTRY
            .matcher(new String(image, StandardCharsets.ISO_8859_1))
            .results()
            .map(each -> each.group(1))
            .toList();
  }

  /**
   * Loads a module from PTX, which ends at its first zero or with the array.
   *
   * @throws org.vramkit.api.error.ModuleLoadException if it cannot be compiled
   */
  static CudaModule load(CudaContext context, byte[] image) {
    int end = 0;
    while (end < image.length && image[end] != 0) {
      end++;
    }
    boolean isText = end > 0 && (image[0] == '/' || image[0] == '.' || image[0] <= ' ');
    byte[] given = isText ? Arrays.copyOf(image, end) : image;
    CudaError.require(end > 0, CudaError.INVALID_IMAGE);
    KernelModule loaded = context.device.loadModule(given);
    CudaModule made = new CudaModule(context, context.process.newHandle(), loaded, given);
    context.process.add(made.handle, made);
    return made;
  }

  /** Returns a function of the module; it has a second handle as a kernel of a library. */
  synchronized CudaFunction function(String name) {
    CudaFunction known = functions.get(name);
    if (known == null) {
      known = new CudaFunction(this, context.process.newHandle(), kernel(name));
      functions.put(name, known);
      context.process.add(known.handle, known);
      context.process.add(known.ofLibrary.handle(), known.ofLibrary);
    }
    return known;
  }

  private Kernel kernel(String name) {
    try {
      return module.getKernel(name);
    } catch (InvalidArgumentException unknown) {
      throw new CudaError(CudaError.NOT_FOUND);
    }
  }

  synchronized ModuleGlobal variable(String name) {
    boolean isPossible = !name.isEmpty() && !kernels.contains(name);
    CudaError.require(isPossible, CudaError.INVALID_VALUE);
    ModuleGlobal known = variables.get(name);
    if (known == null) {
      try {
        known = module.getGlobal(name);
      } catch (InvalidArgumentException unknown) {
        throw new CudaError(CudaError.NOT_FOUND);
      }
      variables.put(name, known);
      context.process.memory.addVariable(context, known.address(), known.size());
    }
    return known;
  }

  @Override
  synchronized void destroy() {
    context.process.remove(handle);
    functions.values().forEach(CudaFunction::destroy);
    variables.values().forEach(each -> context.process.memory.removeVariable(each.address()));
    module.close();
  }
}
