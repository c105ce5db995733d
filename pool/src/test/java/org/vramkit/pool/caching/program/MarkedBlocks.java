package org.vramkit.pool.caching.program;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;

/** Blocks in use, whose contents are written and looked at in stream order, without a wait. */
final class MarkedBlocks {
  private final List<Marked> held = new ArrayList<>();
  private final List<String> wrong = new ArrayList<>();

  /** Ends by begins. */
  private final TreeMap<Long, Long> ranges = new TreeMap<>();

  private long requested;

  /** A block, its stream, and the byte that its contents are known by. */
  record Marked(Allocation block, SimStream stream, byte value) {
    /** Where the byte is compared: the first or the last, where blocks meet others. */
    long place() {
      return block.getAddress() + (value % 2 == 0 ? 0 : block.getSize() - 1);
    }
  }

  /** Holds one, which shares no byte with any other. */
  Marked hold(Allocation block, SimStream stream, byte value) {
    Marked fresh = new Marked(block, stream, value);
    long end = block.getAddress() + block.getSize();
    Map.Entry<Long, Long> below = ranges.lowerEntry(end);
    assertTrue(
        below == null || below.getValue() <= block.getAddress(), () -> block + " is another's too");
    ranges.put(block.getAddress(), end);
    held.add(fresh);
    requested += block.getSize();
    return fresh;
  }

  void take(Marked block) {
    held.remove(block);
    ranges.remove(block.block().getAddress());
    requested -= block.block().getSize();
  }

  Marked takeLast() {
    return take(held.size() - 1);
  }

  Marked takeAny(SplittableRandom dice) {
    return take(dice.nextInt(held.size()));
  }

  private Marked take(int index) {
    Marked block = held.get(index);
    take(block);
    return block;
  }

  List<Marked> all() {
    return List.copyOf(held);
  }

  boolean isEmpty() {
    return held.isEmpty();
  }

  int getCount() {
    return held.size();
  }

  long getRequested() {
    return requested;
  }

  void fill(Marked marked, long nanos) {
    long at = marked.place();
    marked.stream()
        .launch(
            SimKernel.named("fill")
                .writes(marked.block().getAddress(), marked.block().getSize())
                .taking(nanos)
                .body(bytes -> bytes.fill(at, marked.value(), 1))
                .build());
  }

  void look(Marked marked, SimStream on, long nanos) {
    long at = marked.place();
    on.launch(
        SimKernel.named("look")
            .reads(marked.block().getAddress(), marked.block().getSize())
            .taking(nanos)
            .body(bytes -> compare(at, marked.value(), bytes.read(at, 1)[0]))
            .build());
  }

  void lookAtAll() {
    held.forEach(each -> look(each, each.stream(), 0));
  }

  private void compare(long at, byte value, byte found) {
    if (found != value) {
      wrong.add("0x" + Long.toHexString(at) + " holds " + found + " instead of " + value);
    }
  }

  /** All looks so far saw what was written. */
  void assertContents() {
    assertEquals(List.of(), wrong, "blocks with foreign contents");
  }
}
