package org.vramkit.pool.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.mockito.Mockito.when;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.HostEdge;
import org.vramkit.api.device.MemoryObserver;
import org.vramkit.api.device.Stream;

@DisplayName("Idle pieces by key")
class KeyedStoreTest {
  private final DriverStub driver = new DriverStub();
  private final List<String> told = new ArrayList<>();
  private final StreamClocks clocks = new StreamClocks(driver.device);
  private long cachedBytes;
  private final KeyedStore<String, Piece<String>> store;

  KeyedStoreTest() {
    when(driver.device.getMemoryObserver()).thenReturn(MemoryObserver.NONE);
    when(driver.device.createHostEdge())
        .thenReturn(
            new HostEdge() {
              @Override
              public void publish() {
                told.add("publish");
              }

              @Override
              public void receive() {
                told.add("receive");
              }
            });
    store =
        new KeyedStore<>(
            new PoolHealth("a pool"),
            clocks,
            (piece, isCached) -> cachedBytes += isCached ? piece.size : -piece.size);
  }

  private Piece<String> piece(String key) {
    return new Piece<>(key, 100, new StreamUses(clocks.captured())) {
      @Override
      protected boolean isPreferredBy(@Nullable Stream stream) {
        return stream != null;
      }

      @Override
      protected void fill() {}

      @Override
      protected void giveBack(List<StreamPoint> uses) {}

      @Override
      protected boolean isGone() {
        return false;
      }
    };
  }

  private Piece<String> add(String key, Stream... users) {
    Piece<String> piece = piece(key);
    store.add(piece, clocks.now(List.of(users)));
    return piece;
  }

  private @Nullable Piece<String> take(String key) {
    return store.take(key, null);
  }

  private List<Piece<String>> evict(long keepBytes, boolean inUse) {
    return store.evict(keepBytes, none -> false, inUse).stream()
        .map(KeyedStore.Idle::piece)
        .toList();
  }

  @Test
  @DisplayName("serve the newest of a key first, and go the oldest of all first")
  void order() {
    Piece<String> first = add("a");
    Piece<String> second = add("b");
    Piece<String> third = add("a");
    assertSame(third, take("a"));
    store.add(third, List.of());
    assertEquals(List.of(first, second), evict(100, /* inUse= */ false));
    assertSame(third, take("a"));
    assertNull(take("a"));
    assertEquals(0, store.bytes());
    assertEquals(0, cachedBytes);
  }

  @Test
  @DisplayName("that streams use serve and go only where that is no hindrance, after the free ones")
  void inUse() {
    Stream user = driver.newStream();
    Piece<String> used = add("a", user);
    Piece<String> free = add("a");
    assertEquals(List.of(free), evict(0, /* inUse= */ false));
    assertNull(take("a"));
    assertEquals(List.of(used), evict(0, /* inUse= */ true));
    Piece<String> again = add("a", user);
    assertSame(again, store.take("a", user));
    add("a", user);
    driver.finish(user);
    store.pending.poll();
    assertEquals(100, store.freeBytes());
    assertEquals(1, evict(0, /* inUse= */ false).size());
  }

  @Test
  @DisplayName(
      "17.25 order the thread that adds a piece, or learns that it is free,"
          + " before the thread that takes it")
  void edges() {
    add("a");
    assertEquals(List.of("publish", "publish"), told);
    assertNull(take("b"));
    assertEquals(2, told.size(), "a look is no take");
    take("a");
    assertEquals(List.of("publish", "publish", "receive"), told);
  }
}
