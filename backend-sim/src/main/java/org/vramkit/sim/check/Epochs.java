package org.vramkit.sim.check;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The epochs of all slots. An immutable tree: an update copies the path to the changed slot and
 * shares everything else. So the clocks of streams that wait for each other in a chain share most
 * of their memory.
 */
final class Epochs {
  @FunctionalInterface
  public interface Test {
    boolean holds(int slot, long epoch);
  }

  /** Epoch of a stream without operations; not 0, which every clock covers. */
  static final long FIRST = 1;

  static final Epochs NONE = new Epochs(0, new long[0]);

  private static final int BITS = 5;
  private static final int WIDTH = 1 << BITS;

  /** Number of inner levels above the leaves. */
  private final int height;

  /**
   * A leaf, a {@code long[]} of epochs; or an inner node, an {@code Object[]} of nodes. Each array
   * ends with its last entry in use.
   */
  private final Object root;

  private Epochs(int height, Object root) {
    this.height = height;
    this.root = root;
  }

  public boolean isEmpty() {
    return this == NONE;
  }

  public long get(int slot) {
    if ((slot >>> (BITS * height)) >= WIDTH) {
      return 0;
    }
    Object node = root;
    for (int level = height; level > 0; level--) {
      @Nullable Object[] inner = (@Nullable Object[]) node;
      int index = (slot >>> (BITS * level)) & (WIDTH - 1);
      Object next = index < inner.length ? inner[index] : null;
      if (next == null) {
        return 0;
      }
      node = next;
    }
    long[] leaf = (long[]) node;
    int index = slot & (WIDTH - 1);
    return index < leaf.length ? leaf[index] : 0;
  }

  public boolean covers(int slot, long epoch) {
    return get(slot) >= epoch;
  }

  /** Returns a copy in which a slot has at least this epoch. */
  public Epochs with(int slot, long epoch) {
    if (get(slot) >= epoch) {
      return this;
    }
    Epochs high = this;
    while ((slot >>> (BITS * high.height)) >= WIDTH) {
      high = high.higher();
    }
    return new Epochs(high.height, with(high.root, high.height, slot, epoch));
  }

  private Epochs higher() {
    return new Epochs(height + 1, new Object[] {root});
  }

  private static Object with(@Nullable Object node, int level, int slot, long epoch) {
    int index = (slot >>> (BITS * level)) & (WIDTH - 1);
    if (level == 0) {
      long[] old = node == null ? new long[0] : (long[]) node;
      long[] leaf = Arrays.copyOf(old, Math.max(old.length, index + 1));
      leaf[index] = epoch;
      return leaf;
    }
    @Nullable Object[] old = node == null ? new Object[0] : (@Nullable Object[]) node;
    @Nullable Object[] inner = Arrays.copyOf(old, Math.max(old.length, index + 1));
    inner[index] = with(inner[index], level - 1, slot, epoch);
    return inner;
  }

  /** Returns the maximum of both for each slot. */
  public Epochs join(Epochs other) {
    if (this == other || other == NONE) {
      return this;
    }
    if (this == NONE) {
      return other;
    }
    Epochs one = this;
    Epochs two = other;
    while (one.height < two.height) {
      one = one.higher();
    }
    while (two.height < one.height) {
      two = two.higher();
    }
    Object joined = join(one.root, two.root, one.height);
    if (joined == one.root && height == one.height) {
      return this;
    }
    return joined == two.root && other.height == two.height
        ? other
        : new Epochs(one.height, joined);
  }

  /** Returns the maximum of two nodes, which is one of them if it covers the other. */
  private static Object join(Object one, Object two, int level) {
    if (one == two) {
      return one;
    }
    return level == 0
        ? joinLeaves((long[]) one, (long[]) two)
        : joinInner((@Nullable Object[]) one, (@Nullable Object[]) two, level);
  }

  private static long[] joinLeaves(long[] one, long[] two) {
    boolean first = one.length >= two.length;
    boolean second = two.length >= one.length;
    int both = Math.min(one.length, two.length);
    for (int i = 0; i < both; i++) {
      first &= one[i] >= two[i];
      second &= two[i] >= one[i];
    }
    if (first || second) {
      return first ? one : two;
    }
    long[] joined =
        Arrays.copyOf(one.length >= two.length ? one : two, Math.max(one.length, two.length));
    for (int i = 0; i < both; i++) {
      joined[i] = Math.max(one[i], two[i]);
    }
    return joined;
  }

  private static @Nullable Object[] joinInner(
      @Nullable Object[] one, @Nullable Object[] two, int level) {
    @Nullable Object[] joined = new Object[Math.max(one.length, two.length)];
    boolean first = one.length >= two.length;
    boolean second = two.length >= one.length;
    for (int i = 0; i < joined.length; i++) {
      Object left = i < one.length ? one[i] : null;
      Object right = i < two.length ? two[i] : null;
      joined[i] = left == null ? right : right == null ? left : join(left, right, level - 1);
      first &= joined[i] == left;
      second &= joined[i] == right;
    }
    if (first) {
      return one;
    }
    return second ? two : joined;
  }

  /** Returns whether a condition holds for all slots with an epoch above 0. */
  public boolean all(Test test) {
    return all(root, height, 0, test);
  }

  private static boolean all(Object node, int level, int first, Test test) {
    if (level == 0) {
      long[] leaf = (long[]) node;
      for (int i = 0; i < leaf.length; i++) {
        if (leaf[i] != 0 && !test.holds(first + i, leaf[i])) {
          return false;
        }
      }
      return true;
    }
    @Nullable Object[] inner = (@Nullable Object[]) node;
    for (int i = 0; i < inner.length; i++) {
      Object child = inner[i];
      if (child != null && !all(child, level - 1, first + (i << (BITS * level)), test)) {
        return false;
      }
    }
    return true;
  }
}
