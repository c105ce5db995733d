package org.vramkit.sim.memory;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Bytes in pages of 16 KiB, which take memory only when written. A page is either unwritten and
 * reads as a pattern of the seed, or has one value, or is stored. Not thread-safe.
 */
public final class SparseBytes implements ByteStore {
  private static final int PAGE_SHIFT = 14;
  static final int PAGE = 1 << PAGE_SHIFT;
  private static final int LEAF_SHIFT = 9;
  private static final int LEAF = 1 << LEAF_SHIFT;
  private static final long LEAF_BYTES = (long) LEAF * PAGE;

  /**
   * Per leaf: null if never written, a {@link Byte} if uniform, or its pages. Per page: null if
   * never written, a {@link Byte} if uniform, a {@code byte[]} if stored.
   */
  private final @Nullable Object[] leaves;

  private final long seed;

  /** Creates unwritten bytes, which read as a pattern of the seed. */
  public SparseBytes(long bytes, long seed) {
    long pages = (bytes + PAGE - 1) >>> PAGE_SHIFT;
    this.leaves = new @Nullable Object[Math.toIntExact((pages + LEAF - 1) >>> LEAF_SHIFT)];
    this.seed = seed;
  }

  @Override
  public void read(long offset, byte[] target, int at, int count) {
    long position = offset;
    int done = 0;
    while (done < count) {
      int inPage = (int) (position & (PAGE - 1));
      int part = Math.min(count - done, PAGE - inPage);
      Object page = page(position);
      if (page == null) {
        garbage(position, target, at + done, part);
      } else if (page instanceof Byte uniform) {
        Arrays.fill(target, at + done, at + done + part, uniform);
      } else {
        System.arraycopy((byte[]) page, inPage, target, at + done, part);
      }
      done += part;
      position += part;
    }
  }

  @Override
  public void write(long offset, byte[] source, int from, int count) {
    long position = offset;
    int done = 0;
    while (done < count) {
      int inPage = (int) (position & (PAGE - 1));
      int part = Math.min(count - done, PAGE - inPage);
      System.arraycopy(source, from + done, stored(position), inPage, part);
      done += part;
      position += part;
    }
  }

  /** Fills bytes; a whole page costs one reference, as does a whole leaf. */
  @Override
  public void fill(long offset, byte value, long count) {
    long position = offset;
    long end = offset + count;
    while (position < end) {
      if ((position & (LEAF_BYTES - 1)) == 0 && end - position >= LEAF_BYTES) {
        leaves[index(position)] = value;
        position += LEAF_BYTES;
        continue;
      }
      int inPage = (int) (position & (PAGE - 1));
      int part = (int) Math.min(end - position, PAGE - inPage);
      if (part == PAGE) {
        leaf(position)[slot(position)] = value;
      } else if (!(page(position) instanceof Byte uniform && uniform == value)) {
        Arrays.fill(stored(position), inPage, inPage + part, value);
      }
      position += part;
    }
  }

  private @Nullable Object page(long offset) {
    Object leaf = leaves[index(offset)];
    return leaf instanceof @Nullable Object[] pages ? pages[slot(offset)] : leaf;
  }

  private static int index(long offset) {
    return (int) (offset >>> (PAGE_SHIFT + LEAF_SHIFT));
  }

  private @Nullable Object[] leaf(long offset) {
    Object leaf = leaves[index(offset)];
    if (leaf instanceof @Nullable Object[] pages) {
      return pages;
    }
    @Nullable Object[] pages = new @Nullable Object[LEAF];
    Arrays.fill(pages, leaf);
    leaves[index(offset)] = pages;
    return pages;
  }

  private static int slot(long offset) {
    return (int) (offset >>> PAGE_SHIFT) & (LEAF - 1);
  }

  private byte[] stored(long offset) {
    @Nullable Object[] leaf = leaf(offset);
    Object page = leaf[slot(offset)];
    if (page instanceof byte[] bytes) {
      return bytes;
    }
    byte[] bytes = new byte[PAGE];
    if (page instanceof Byte uniform) {
      Arrays.fill(bytes, uniform);
    } else {
      garbage(offset & -PAGE, bytes, 0, PAGE);
    }
    leaf[slot(offset)] = bytes;
    return bytes;
  }

  /** Writes the pattern: one number for each eight bytes, the lowest byte first. */
  private void garbage(long offset, byte[] target, int at, int count) {
    ByteBuffer words = ByteBuffer.wrap(target).order(ByteOrder.LITTLE_ENDIAN);
    int done = 0;
    while (done < count) {
      long position = offset + done;
      int inWord = (int) position & 7;
      long word = mix(seed + (position >>> 3)) >>> (inWord * 8);
      if (inWord == 0 && count - done >= 8) {
        words.putLong(at + done, word);
        done += 8;
      } else {
        target[at + done] = (byte) word;
        done++;
      }
    }
  }

  /** The finaliser of SplitMix64 (Steele, Lea, Flood 2014): spreads every bit over all bits. */
  public static long mix(long value) {
    long z = value * 0x9e3779b97f4a7c15L;
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }
}
