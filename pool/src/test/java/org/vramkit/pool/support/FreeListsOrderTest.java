package org.vramkit.pool.support;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.HostEdge;

@DisplayName("Lists of free pieces order whoever adds one before whoever takes one")
class FreeListsOrderTest {
  private final List<String> told = new ArrayList<>();

  private final FreeLists<String, String> free =
      new FreeLists<>(
          String::length,
          new HostEdge() {
            @Override
            public void publish() {
              told.add("added");
            }

            @Override
            public void receive() {
              told.add("taken");
            }
          });

  @Test
  @DisplayName("17.25 at every add and every take, by whatever way, and at no look")
  void told() {
    free.add("a", "first");
    free.add("b", "second");
    free.take("c");
    assertEquals(2, free.count());
    assertEquals(List.of("added", "added"), told);
    free.take("a");
    assertEquals(List.of("added", "added", "taken"), told);
    free.evictTo(0);
    assertEquals(List.of("added", "added", "taken", "taken"), told);
    free.add("a", "third");
    free.evictIf(key -> key.equals("a"));
    free.add("a", "fourth");
    free.takePreferring("a", piece -> true);
    assertEquals(8, told.size());
  }
}
