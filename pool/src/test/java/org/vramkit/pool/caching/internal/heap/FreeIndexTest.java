package org.vramkit.pool.caching.internal.heap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("Free blocks are found by size, then address")
class FreeIndexTest {
  private static final Region NOWHERE = HeapChecks.region(0);

  private final FreeIndex index = new FreeIndex();

  /** The order by its definition. */
  private final TreeSet<Block> model =
      new TreeSet<>(
          Comparator.<Block>comparingLong(each -> each.size)
              .thenComparingLong(each -> each.address));

  private static Block block(long address, long size) {
    return new Block(NOWHERE, address, size);
  }

  private static List<Block> all(Iterator<Block> walk) {
    List<Block> walked = new ArrayList<>();
    walk.forEachRemaining(walked::add);
    return walked;
  }

  @ParameterizedTest(name = "{0} sizes")
  @ValueSource(ints = {1, 7, 100_000})
  @DisplayName("it finds what a sorted set finds, whatever comes and goes")
  void likeSortedSet(int sizes) {
    for (long seed = 0; seed < 20; seed++) {
      Random random = new Random(seed);
      model.clear();
      index.copy().forEach(index::remove);
      List<Block> present = new ArrayList<>();
      for (int step = 0; step < 4000; step++) {
        // Grows to some hundreds, then shrinks to nothing: leaves are split and left.
        boolean grows = random.nextInt(100) < (step < 2500 ? 60 : 20);
        if (grows || present.isEmpty()) {
          Block block = block(random.nextInt(1 << 20), 1 + random.nextInt(sizes));
          if (model.add(block)) {
            index.add(block);
            present.add(block);
          }
        } else if (random.nextBoolean()) {
          Block gone = present.remove(random.nextInt(present.size()));
          model.remove(gone);
          index.remove(gone);
        } else {
          change(present, random, sizes);
        }
        if (step % 16 == 0) {
          compare(1 + random.nextInt(sizes + 1), "seed " + seed + ", step " + step);
        }
      }
    }
  }

  /** Replaces a block by itself or by another one, with another key. */
  private void change(List<Block> present, Random random, int sizes) {
    int place = random.nextInt(present.size());
    Block old = present.get(place);
    long size = old.size;
    long address = old.address;
    boolean near = random.nextBoolean();
    Block wanted =
        block(
            near ? address + random.nextInt(8) : random.nextInt(1 << 20),
            near ? Math.max(1, size - random.nextInt(4)) : 1 + random.nextInt(sizes));
    model.remove(old);
    if (!model.add(wanted)) {
      model.add(old);
      return;
    }
    Block now = wanted;
    if (random.nextBoolean()) {
      model.remove(wanted);
      old.size = wanted.size;
      old.address = wanted.address;
      model.add(old);
      now = old;
    }
    index.replace(old, size, address, now);
    present.set(place, now);
  }

  private void compare(long size, String when) {
    Block probe = block(0, size);
    assertEquals(List.copyOf(model.tailSet(probe, true)), all(index.fits(size)), when);
    assertEquals(
        List.copyOf(model.headSet(probe, false).descendingSet()), all(index.below(size)), when);
    assertSame(model.ceiling(probe), index.bestFit(size), when);
    assertEquals(model.size(), index.count(), when);
    assertEquals(model.isEmpty(), index.isEmpty(), when);
    assertEquals(List.copyOf(model), index.copy(), when);
  }

  @Test
  @DisplayName("a block that is there already, or is not there, is an error and changes nothing")
  void strangers() {
    for (int i = 0; i < 3 * FreeIndex.LEAF_BLOCKS; i++) {
      index.add(block(i * 1024L, 512));
    }
    List<Block> before = index.copy();
    assertThrows(IllegalStateException.class, () -> index.add(block(1024, 512)));
    assertThrows(IllegalStateException.class, () -> index.remove(block(1024, 512)));
    assertThrows(IllegalStateException.class, () -> index.remove(block(1024, 1024)));
    Block stranger = block(1024, 512);
    assertThrows(
        IllegalStateException.class, () -> index.replace(stranger, 512, 1024, block(7, 512)));
    assertEquals(before, index.copy());
  }

  @Test
  @DisplayName("a block that is there already is an error wherever it is in a full leaf")
  void twins() {
    for (int i = 0; i < FreeIndex.LEAF_BLOCKS; i++) {
      FreeIndex full = new FreeIndex();
      for (int j = 0; j < FreeIndex.LEAF_BLOCKS; j++) {
        full.add(block(j * 1024L, 512));
      }
      Block twin = block(i * 1024L, 512);
      assertThrows(IllegalStateException.class, () -> full.add(twin), "block " + i);
      assertEquals(FreeIndex.LEAF_BLOCKS, full.copy().size());
    }
  }

  @Test
  @DisplayName("an empty one has nothing, before and after it had many")
  void empty() {
    for (int round = 0; round < 2; round++) {
      assertTrue(index.isEmpty());
      assertFalse(index.fits(1).hasNext());
      assertFalse(index.below(Long.MAX_VALUE).hasNext());
      assertThrows(NoSuchElementException.class, () -> index.fits(1).next());
      for (int i = 0; i < 1000; i++) {
        index.add(block(i * 1024L, 512 + i % 3));
      }
      index.copy().forEach(index::remove);
    }
  }
}
