package org.vramkit.sim;

import static org.vramkit.sim.hazard.HazardCode.HOST_RACE;

import java.util.List;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.schedule.Schedule;

@DisplayName("Writes of the host through views of what work behind a gate reads")
class HostWritesBesideGatesTest {
  private static final int BYTES = 256;

  private static PinnedBuffer filled(Scene scene) {
    PinnedBuffer buffer = scene.device.getPinnedMemory().allocate(BYTES);
    buffer.getBytes(0, BYTES).put(new byte[BYTES]);
    buffer.hostWrites(0, BYTES);
    return buffer;
  }

  /** Programs that read a filled buffer on a stream. */
  static Stream<Arguments> heldReads() {
    List<BiConsumer<Scene, PinnedBuffer>> reads =
        List.of(
            (scene, buffer) -> scene.s1.copyToDevice(scene.block, buffer, 0, BYTES),
            (scene, buffer) -> scene.read(scene.s1, buffer.getAddress(), BYTES));
    return Schedule.all().stream()
        .flatMap(schedule -> reads.stream().map(read -> Arguments.of(schedule, read)));
  }

  /** Reads a buffer behind a gate; {@code write} opens the gate and writes the buffer. */
  private static void held(
      Schedule schedule,
      BiConsumer<Scene, PinnedBuffer> read,
      boolean managed,
      Writer write,
      HazardCode... expected) {
    try (Scene scene = new Scene(builder -> builder.schedule(schedule))) {
      PinnedBuffer buffer =
          managed ? scene.device.getManagedMemory().allocate(BYTES) : filled(scene);
      buffer.hostWrites(0, BYTES);
      SimGate first = scene.backend.createGate("first");
      SimGate second = scene.backend.createGate("second");
      scene.s1.waitFor(first);
      scene.s1.waitFor(second);
      read.accept(scene, buffer);
      first.open();
      write.run(scene, second, () -> buffer.getBytes(0, BYTES).put(7, (byte) 9));
      scene.device.synchronize();
      buffer.getBytes(0, BYTES).put(8, (byte) 9);
      scene.expect(expected);
    }
  }

  @FunctionalInterface
  private interface Writer {
    void run(Scene scene, SimGate gate, Runnable write);
  }

  @ParameterizedTest
  @MethodSource("heldReads")
  @DisplayName("43.7 under work behind a gate, from the opening of the gate on")
  void underOpenedWork(Schedule schedule, BiConsumer<Scene, PinnedBuffer> read) {
    for (boolean managed : List.of(false, true)) {
      held(
          schedule,
          read,
          managed,
          (scene, gate, write) -> {
            gate.open();
            write.run();
          },
          HOST_RACE);
    }
  }

  @ParameterizedTest
  @MethodSource("heldReads")
  @DisplayName("43.7, twin: before the opening of the last gate")
  void beforeTheOpening(Schedule schedule, BiConsumer<Scene, PinnedBuffer> read) {
    held(
        schedule,
        read,
        false,
        (scene, gate, write) -> {
          write.run();
          gate.open();
        });
  }

  @ParameterizedTest
  @MethodSource("heldReads")
  @DisplayName("43.7 by a host function that is not ordered with work behind a gate")
  void byAFunctionBesideTheGate(Schedule schedule, BiConsumer<Scene, PinnedBuffer> read) {
    held(
        schedule,
        read,
        false,
        (scene, gate, write) -> {
          scene.s2.callHost("write", write);
          gate.open();
          scene.s2.synchronize();
        },
        HOST_RACE);
  }

  @ParameterizedTest
  @MethodSource("heldReads")
  @DisplayName("43.7 by a host function after it has opened the gate")
  void byTheFunctionThatOpened(Schedule schedule, BiConsumer<Scene, PinnedBuffer> read) {
    held(
        schedule,
        read,
        false,
        (scene, gate, write) ->
            scene.s2.callHost(
                "open and write",
                () -> {
                  gate.open();
                  write.run();
                }),
        HOST_RACE);
  }

  @ParameterizedTest
  @MethodSource("heldReads")
  @DisplayName("43.7, twin: by a host function before it opens the gate")
  void byTheFunctionThatWillOpen(Schedule schedule, BiConsumer<Scene, PinnedBuffer> read) {
    held(
        schedule,
        read,
        false,
        (scene, gate, write) ->
            scene.s2.callHost(
                "write and open",
                () -> {
                  write.run();
                  gate.open();
                }));
  }
}
