package org.vramkit.sim.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("Epochs of streams, by slot")
class EpochsTest {
  private static final int SLOTS = 40_000;

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3})
  @DisplayName(
      "is what a map of the greatest epochs would be, after whatever was learnt and joined")
  void likeAMap(long seed) {
    Random random = new Random(seed);
    List<Epochs> all = new ArrayList<>(List.of(Epochs.NONE));
    List<Map<Integer, Long>> models = new ArrayList<>(List.of(Map.of()));
    for (int i = 0; i < 2_000; i++) {
      int one = random.nextInt(all.size());
      int other = random.nextInt(all.size());
      Map<Integer, Long> model = new TreeMap<>(models.get(one));
      Epochs epochs = all.get(one);
      if (random.nextInt(3) == 0) {
        epochs = epochs.join(all.get(other));
        models.get(other).forEach((slot, epoch) -> model.merge(slot, epoch, Math::max));
      } else {
        int slot = random.nextInt(random.nextBoolean() ? 40 : SLOTS);
        long epoch = 1L + random.nextInt(100);
        epochs = epochs.with(slot, epoch);
        model.merge(slot, epoch, Math::max);
      }
      all.add(epochs);
      models.add(model);
      int asked = random.nextInt(SLOTS);
      assertEquals(model.getOrDefault(asked, 0L), epochs.get(asked));
    }
    for (int i = 0; i < all.size(); i++) {
      Map<Integer, Long> found = new TreeMap<>();
      all.get(i).all((slot, epoch) -> found.put(slot, epoch) == null);
      assertEquals(models.get(i), found);
    }
  }

  @ParameterizedTest(name = "{0} streams")
  @ValueSource(ints = {1, 31, 32, 33, 1_024, 1_025, 40_000})
  @DisplayName("is not made anew where one side knows all that the other does")
  void shared(int streams) {
    Epochs less = Epochs.NONE;
    for (int slot = 0; slot < streams; slot++) {
      less = less.with(slot, slot + 1);
    }
    Epochs more = less.with(streams, 7);
    assertSame(more, more.join(less));
    assertSame(more, less.join(more));
    assertSame(more, more.with(streams - 1, streams));
    assertSame(less, less.join(Epochs.NONE));
  }
}
