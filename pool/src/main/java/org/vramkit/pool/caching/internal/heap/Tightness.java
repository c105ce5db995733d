package org.vramkit.pool.caching.internal.heap;

/**
 * Whether memory is plenty or tight, which decides how blocks are laid over pages. It is tight not
 * where little is free, but where blocks keep much of what is free from others because they took a
 * part of an extent: only that gets better when they are laid otherwise. Under the heap's lock, or
 * without it, where an answer that is old by a moment does no harm.
 */
final class Tightness {
  /**
   * The most of what is free that blocks may keep from others because they took a part of an
   * extent; beyond, they are laid so that they keep least. With a fifth of it, or with tight places
   * from half of the memory on, recorded programs reserve up to a fifth more where they need half
   * of a device, because tight places want memory to move and time for that runs out.
   */
  private static final double PARTED_PART = 1.0 / 3;

  /** While blocks are laid so, extents are cut from this share of what can be had on. */
  private static final double SCARCE_SHARE = 0.75;

  /** And from this share of it on that is kept from others; before, as long as time is left. */
  private static final double MOST_PARTED_SHARE = 0.125;

  /** How much memory there is, and so what a growth may do for its sake. */
  enum Ease {
    /** Blocks lie where most of their memory lies, and extents are long. */
    PLENTY,
    /** Blocks lie where they keep least from others; extents are short, and cut. */
    TIGHT,
    /** All that could be moved is moved before more is taken, however little of it is needed. */
    SCARCE
  }

  private final PageHeap heap;

  Tightness(PageHeap heap) {
    this.heap = heap;
  }

  /** Whether blocks are laid so that as little memory as possible is kept from others. */
  boolean isTight() {
    long free = heap.most() - heap.unreleasableBytes() + partedBytes();
    return heap.moveTime.isUnlimited() || partedBytes() > PARTED_PART * free;
  }

  Ease ease() {
    return isTight() ? Ease.TIGHT : Ease.PLENTY;
  }

  /** Whether extents are cut where a block takes a part of one. */
  boolean cuts() {
    return heap.moveTime.isLeft()
        || reservedShare() > SCARCE_SHARE
        || partedShare() > MOST_PARTED_SHARE;
  }

  private double reservedShare() {
    return (double) heap.books.reserved() / heap.most();
  }

  private double partedShare() {
    return (double) partedBytes() / heap.most();
  }

  /** What blocks may keep from others, because they took a part of an extent. */
  private long partedBytes() {
    return heap.table.parted.count() * heap.table.pageSize;
  }
}
