package org.vramkit.testkit.sim;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.JUnitException;
import org.junit.platform.commons.support.AnnotationSupport;
import org.vramkit.api.units.ByteSize;
import org.vramkit.api.units.Count;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.hazard.CheckerOptions;
import org.vramkit.sim.replay.ProgramRecorder;

/** Reads the innermost {@link SimulatedGpu} annotation of a test, or the defaults. */
final class GpuSettings {
  @SimulatedGpu
  private static final class Defaults {}

  /** The constants of {@link DeviceProfile}, since annotations cannot hold a profile. */
  private static final Map<String, DeviceProfile> PROFILES = profiles();

  private GpuSettings() {}

  /** Returns the annotation of the test's method, its class or an enclosing class. */
  static SimulatedGpu of(ExtensionContext context) {
    return onMethod(context)
        .or(() -> onClass(context))
        .orElseGet(() -> Defaults.class.getAnnotation(SimulatedGpu.class));
  }

  private static Optional<SimulatedGpu> onMethod(ExtensionContext context) {
    return AnnotationSupport.findAnnotation(context.getTestMethod(), SimulatedGpu.class);
  }

  private static Optional<SimulatedGpu> onClass(ExtensionContext context) {
    Optional<SimulatedGpu> found =
        AnnotationSupport.findAnnotation(context.getTestClass(), SimulatedGpu.class);
    // The parent contexts are those of the enclosing classes.
    return found.isPresent() ? found : context.getParent().flatMap(GpuSettings::onClass);
  }

  /** Opens a simulator with the settings of an annotation. */
  static SimBackend open(SimulatedGpu annotation, Run run) {
    SimBackend.Builder builder =
        SimBackend.builder()
            .seed(run.seed())
            .schedule(run.schedule())
            .checker(
                CheckerOptions.DEFAULT
                    .withStacks(annotation.stacks())
                    .withMaxStacks(annotation.maxStacks())
                    .withStrictness(annotation.strictness()));
    if (annotation.recording()) {
      builder.recorder(new ProgramRecorder());
    }
    String[] names = annotation.profile();
    int devices = Math.max(annotation.devices(), names.length);
    if (names.length == 0
        || annotation.devices() < 1
        || (names.length > 1 && names.length < devices)) {
      throw new JUnitException(
          "@SimulatedGpu needs at least one device, and one profile or one for each device; got "
              + Count.of(annotation.devices(), "device")
              + " and the profiles "
              + Arrays.toString(names));
    }
    for (int ordinal = 0; ordinal < devices; ordinal++) {
      builder.device(sized(profile(names[names.length == 1 ? 0 : ordinal]), annotation.memory()));
    }
    return builder.build();
  }

  private static DeviceProfile sized(DeviceProfile profile, String memory) {
    return memory.isEmpty()
        ? profile
        : DeviceProfile.builder(profile.properties().name())
            .from(profile)
            .memory(bytes(memory))
            .build();
  }

  private static long bytes(String memory) {
    try {
      return ByteSize.parse(memory);
    } catch (IllegalArgumentException e) {
      throw new JUnitException("@SimulatedGpu(memory = \"" + memory + "\"): " + e.getMessage());
    }
  }

  private static DeviceProfile profile(String name) {
    DeviceProfile found = PROFILES.get(name);
    if (found == null) {
      throw new JUnitException(
          "no DeviceProfile is named '" + name + "'; use one of " + PROFILES.keySet());
    }
    return found;
  }

  private static Map<String, DeviceProfile> profiles() {
    Map<String, DeviceProfile> found = new TreeMap<>();
    for (Field field : DeviceProfile.class.getFields()) {
      if (field.getType() == DeviceProfile.class && Modifier.isStatic(field.getModifiers())) {
        try {
          found.put(field.getName(), (DeviceProfile) field.get(null));
        } catch (IllegalAccessException impossible) {
          throw new LinkageError("getFields() gave a field that is not public", impossible);
        }
      }
    }
    return found;
  }
}
