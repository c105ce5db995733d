package org.vramkit.pool.caching.internal.heap;

import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.vramkit.pool.caching.EveryOrder;
import org.vramkit.pool.caching.internal.option.SizeRules;

/** Lincheck makes instances of it, so it is public. */
@DisplayName("In every order of two threads the numbers of blocks")
@Tag("own-schedules")
public class BlockTableLincheckTest {
  private final Block.Table numbers = new Block.Table();
  private final Region segment = HeapChecks.region(1 << 20);

  /** A block that keeps its number. */
  private final Block kept = block();

  /** A fresh one for each order, with room for one more number before it grows. */
  public BlockTableLincheckTest() {
    numbers.give(kept);
    for (int i = 2; i < Block.Table.FIRST_ROOM - 1; i++) {
      numbers.give(block());
    }
  }

  private Block block() {
    return HeapChecks.block(segment, 0, SizeRules.QUANTUM);
  }

  /** As the heap does, under its lock. */
  private int number(Block block) {
    synchronized (numbers) {
      numbers.give(block);
    }
    return block.number;
  }

  private void takeBack(Block block) {
    synchronized (numbers) {
      numbers.takeBack(block);
    }
  }

  /** An owner's block has a number while it lives, which leads to it. */
  @Operation
  public boolean finds() {
    Block block = block();
    int number = number(block);
    boolean found = numbers.get(number) == block;
    takeBack(block);
    return found && block.number == 0;
  }

  @Operation
  public boolean findsTheKept() {
    return numbers.get(kept.number) == kept;
  }

  /** Two of one owner at once. */
  @Operation
  public boolean findsBoth() {
    Block one = block();
    Block other = block();
    int first = number(one);
    int second = number(other);
    boolean found = first != second && numbers.get(first) == one && numbers.get(second) == other;
    takeBack(other);
    takeBack(one);
    return found;
  }

  @Test
  @DisplayName("lead each owner to its own block")
  void eachFindsItsOwn() {
    EveryOrder.check(BlockTableLincheckTest.class, 2, 2);
  }
}
