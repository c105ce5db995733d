package org.vramkit.testkit.sim;

import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.JUnitException;
import org.junit.platform.commons.support.AnnotationSupport;
import org.vramkit.api.units.ByteSize;
import org.vramkit.api.units.Count;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.hazard.CheckerOptions;
import org.vramkit.sim.replay.ProgramRecorder;
import org.vramkit.sim.schedule.Schedule;

/** What the annotation that is nearest to a test says, or its defaults. */
final class GpuSettings {
  @SimulatedGpu
  private static final class Defaults {}

  private final SimulatedGpu annotation;

  private GpuSettings(SimulatedGpu annotation) {
    this.annotation = annotation;
  }

  /** The settings of a test: its own, its class's, or those of a class around that. */
  static GpuSettings of(ExtensionContext context) {
    return new GpuSettings(
        onMethod(context)
            .or(() -> onClass(context))
            .orElseGet(() -> Defaults.class.getAnnotation(SimulatedGpu.class)));
  }

  private static Optional<SimulatedGpu> onMethod(ExtensionContext context) {
    return AnnotationSupport.findAnnotation(context.getTestMethod(), SimulatedGpu.class);
  }

  private static Optional<SimulatedGpu> onClass(ExtensionContext context) {
    Optional<SimulatedGpu> found =
        AnnotationSupport.findAnnotation(context.getTestClass(), SimulatedGpu.class);
    // The parents of a test's class are the classes that it is nested in, as they run.
    return found.isPresent() ? found : context.getParent().flatMap(GpuSettings::onClass);
  }

  long getSeed() {
    return annotation.seed();
  }

  Schedule getSchedule() {
    return Schedule.of(annotation.schedule());
  }

  boolean isRecording() {
    return annotation.recording();
  }

  LeakPolicy getLeakPolicy() {
    return annotation.leaks();
  }

  /** A simulator with these settings. */
  SimBackend open(Run run) {
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
      builder.device(sized(ProfileNames.find(names[names.length == 1 ? 0 : ordinal])));
    }
    return builder.build();
  }

  private DeviceProfile sized(DeviceProfile profile) {
    String memory = annotation.memory();
    return memory.isEmpty()
        ? profile
        : DeviceProfile.builder(profile.properties().name())
            .from(profile)
            .memory(ByteSize.parse(memory))
            .build();
  }
}
