package org.vramkit.api.flight;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A publisher of statistics")
class StatisticsPublisherTest {
  private final Set<Long> gone = ConcurrentHashMap.newKeySet();

  private final StatisticsPublisher<Object, Long> publisher =
      new StatisticsPublisher<>("part") {
        @Override
        protected Long read(Object subject) {
          return 0L;
        }

        @Override
        protected int deviceOf(Object subject) {
          throw new UnsupportedOperationException("nothing is recorded");
        }

        @Override
        protected List<StatisticsEvent<Long, ?>> types() {
          return List.of(StatisticsEvent.of("Nothing", "None", List.of()));
        }

        @Override
        protected void gone(long id) {
          gone.add(id);
        }
      };

  @Test
  @DisplayName("forgets collected objects without a recording, and reads none until there is one")
  void comeAndGo() {
    Object held = new Object();
    publisher.show(held, 0);
    for (int i = 1; i < 1_000 && gone.size() < 10; i++) {
      publisher.show(new Object(), i);
      System.gc();
    }
    assertFalse(gone.size() < 10, gone::toString);
    assertFalse(gone.contains(0L));
    List<Object> shown = new ArrayList<>();
    publisher.forEach(shown::add);
    assertTrue(shown.contains(held));
    publisher.hide(0);
    shown.clear();
    publisher.forEach(shown::add);
    assertFalse(shown.contains(held));
  }
}
