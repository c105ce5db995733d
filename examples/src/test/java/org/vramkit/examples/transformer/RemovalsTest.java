package org.vramkit.examples.transformer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.vramkit.api.device.Device;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.hazard.HazardReport;

/**
 * Removes each wait, each recorded use and each barrier of the training, one at a time. An oracle,
 * written from the program and not from what the checker finds, says which removals are races: the
 * checker reports those, and no other.
 */
@DisplayName("The removal of a part of the transformer's order")
class RemovalsTest {
  private static final int DEVICES = 2;

  private static final Pattern ENTRY = Pattern.compile("\\.visible \\.entry (\\w+)\\(");
  private static final Pattern BARRIER = Pattern.compile("bar\\.sync\\s+0;");

  /** What is reported of threads that are not ordered. */
  private static final Set<HazardCode> OF_THREADS =
      Set.of(HazardCode.KERNEL_RACE, HazardCode.KERNEL_UNINIT_READ);

  private static final String RACE = "";

  /**
   * For each point and place of {@link Order} the reason why its removal is no race, or {@link
   * #RACE}. A layer has one name for its wait and for the uses of its factors.
   */
  private static final Map<String, String> ORDER = new LinkedHashMap<>();

  static {
    ORDER.put("TARGETS_COPIED", RACE);
    ORDER.put("LOSS_READY", RACE);
    ORDER.put("LOSS_USED", RACE);
    ORDER.put("GRADIENT_READY head", RACE);
    ORDER.put("LEFT_USED head", RACE);
    ORDER.put("RIGHT_USED head", "the pass closes the last norm after WEIGHTS_DONE");
    ORDER.put("GRADIENT_READY last norm", RACE);
    for (String layer : List.of("down", "up", "projection", "qkv")) {
      ORDER.put("GRADIENT_READY block 0 " + layer, RACE);
      ORDER.put("LEFT_USED block 0 " + layer, RACE);
      ORDER.put("RIGHT_USED block 0 " + layer, "the launch of column_sums records its own, later");
    }
    ORDER.put("GRADIENT_READY block 0 norm 2", RACE);
    ORDER.put("GRADIENT_READY block 0 norm 1", RACE);
    ORDER.put("GRADIENT_READY embeddings", RACE);
    ORDER.put("WEIGHTS_DONE", RACE);
    ORDER.put("TILE_DONE", RACE);
    ORDER.put("LOSS_COPIED", RACE);
    ORDER.put("PEERS_DONE device 0", RACE);
    ORDER.put("PEERS_DONE device 1", RACE);
  }

  /**
   * For each kernel whether the removal of its first, second... barrier is a race. The first
   * barrier of a fold protects the results of the fold before, so that of a kernel's first fold
   * protects nothing.
   */
  private static final Map<String, List<Boolean>> BARRIERS =
      Map.of(
          "matmul", List.of(true, true),
          "layer_norm", List.of(false, true, true, true),
          "causal_softmax", List.of(false, true, true, true),
          "cross_entropy", List.of(false, true, true, true),
          "sum", List.of(false, true),
          "causal_softmax_backward", List.of(false, true),
          "layer_norm_backward", List.of(false, true, true, true));

  /** Trains on simulated devices, which can access each other, and returns what is reported. */
  private static List<HazardReport> train(
      int devices, int steps, String ptx, Predicate<String> isKept) {
    SimBackend.Builder builder = SimBackend.builder();
    IntStream.range(0, devices).forEach(i -> builder.device(DeviceProfile.H200));
    try (SimBackend gpu = builder.build()) {
      Setup setup = new Setup(ptx, device -> new PartialOrder(device, isKept));
      TrainingOptions options = TrainingOptions.of(TrainerTest.SMALL, DEVICES);
      try (Trainer trainer = Trainer.open(gpu, options, setup)) {
        for (int i = 0; i < steps; i++) {
          trainer.step();
        }
      }
      assertEquals(List.of(), gpu.getLeaks());
      return gpu.getHazards();
    }
  }

  private static final class PartialOrder extends Order {
    private final Predicate<String> isKept;

    PartialOrder(Device device, Predicate<String> isKept) {
      super(device);
      this.isKept = isKept;
    }

    @Override
    boolean isKept(Point point, String where) {
      return isKept.test((point + " " + where).strip());
    }
  }

  @Test
  @DisplayName("is tried for each part of the whole program, which has no race")
  void whole() {
    Set<String> parts = new ConcurrentSkipListSet<>();
    List<HazardReport> reports =
        train(
            DEVICES,
            2,
            ptx(),
            part -> {
              parts.add(part);
              return true;
            });
    assertEquals(List.of(), reports);
    assertEquals(new TreeSet<>(ORDER.keySet()), parts);
    Map<String, Integer> barriers = new TreeMap<>();
    placesOfBarriers().forEach((kernel, places) -> barriers.put(kernel, places.size()));
    Map<String, Integer> expected = new TreeMap<>();
    BARRIERS.forEach((kernel, races) -> expected.put(kernel, races.size()));
    assertEquals(expected, barriers);
  }

  @TestFactory
  @Tag("nightly")
  @DisplayName("is reported if it lets streams race")
  Stream<DynamicTest> ofStreams() {
    return ORDER.entrySet().stream()
        .map(
            each ->
                dynamicTest(
                    each.getKey(),
                    () -> {
                      boolean isRace = each.getValue().equals(RACE);
                      List<HazardReport> reports =
                          train(DEVICES, 1, ptx(), part -> !part.equals(each.getKey()));
                      assertEquals(isRace, !reports.isEmpty(), () -> each + ": " + reports);
                    }));
  }

  @TestFactory
  @Tag("nightly")
  @DisplayName("is reported, with its kernel, if it lets threads race")
  Stream<DynamicTest> ofThreads() {
    Map<String, List<Integer>> places = placesOfBarriers();
    return BARRIERS.entrySet().stream()
        .flatMap(
            each ->
                IntStream.range(0, each.getValue().size())
                    .mapToObj(
                        i ->
                            dynamicTest(
                                each.getKey() + ", barrier " + (i + 1),
                                () ->
                                    removeBarrier(
                                        each.getKey(),
                                        places.getOrDefault(each.getKey(), List.of()).get(i),
                                        each.getValue().get(i)))));
  }

  private static void removeBarrier(String kernel, int place, boolean isRace) {
    String ptx = ptx();
    String without = ptx.substring(0, place) + "// " + ptx.substring(place);
    List<HazardReport> reports = train(1, 1, without, part -> true);
    assertEquals(isRace, !reports.isEmpty(), reports::toString);
    for (HazardReport each : reports) {
      assertTrue(OF_THREADS.contains(each.code()), each::toString);
      assertTrue(each.toString().contains("kernel " + kernel + " on stream"), each::toString);
    }
  }

  private static String ptx() {
    return Setup.ofProgram().ptx();
  }

  /** Returns the places of each kernel's barriers in the PTX. */
  private static Map<String, List<Integer>> placesOfBarriers() {
    String ptx = ptx();
    Map<String, List<Integer>> places = new TreeMap<>();
    Matcher entry = ENTRY.matcher(ptx);
    while (entry.find()) {
      int end = ptx.indexOf(".visible .entry", entry.end());
      Matcher barrier = BARRIER.matcher(ptx).region(entry.end(), end < 0 ? ptx.length() : end);
      while (barrier.find()) {
        places.computeIfAbsent(entry.group(1), each -> new ArrayList<>()).add(barrier.start());
      }
    }
    return places;
  }
}
