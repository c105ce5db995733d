package org.vramkit.pool.caching.internal.heap;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.pool.caching.internal.page.Extent;
import org.vramkit.pool.caching.internal.page.PageSpans;
import org.vramkit.pool.caching.internal.page.PageSpans.Span;
import org.vramkit.pool.caching.internal.page.PageTable;
import org.vramkit.pool.caching.internal.stats.ReservedMemory;

/**
 * Creates extents, lays them under addresses and takes them away again. Calls the driver; under the
 * growth lock. Wherever the driver fails, every extent is afterwards mapped and accessible, a
 * spare, released, or in limbo: mapped but not accessible, until the next call unmaps it first.
 *
 * <h2>Second addresses</h2>
 *
 * An extent may serve another block of the same stream by now, at another address, while queued
 * work of that stream may still use it here. Physical memory may lie at several addresses at once,
 * and what a stream does at one of them it does before or after what it does at the other. A stream
 * that never drains can thus have its own free pages wherever it needs them, although none may be
 * unmapped. Until the stream has passed the last use here, nobody may take the addresses; then the
 * extent is unmapped here and they are free.
 */
final class PageMapper {
  /** What the heap does with its maps, under its lock. */
  interface Addresses {
    /** Extents can be used from now on, where they lie. */
    void show(List<Extent> laid);

    /** Extents that were left are their stream's own free pages again. */
    void comeBack(List<Stale> left);

    /** Nothing lies beneath a block of addresses any more. */
    void free(Block addresses);
  }

  /**
   * Neighbours that are being laid: mapped but not accessible yet, or no more because a driver call
   * failed.
   *
   * @param laid those of them that are mapped by now
   * @param left where the memory of those lies that lies elsewhere too and may still be used there
   */
  private record Limbo(List<Extent> laid, List<Stale> left) {
    static Limbo of(int most) {
      return new Limbo(new ArrayList<>(most), new ArrayList<>(most));
    }
  }

  /**
   * An extent that lies elsewhere too from now on, while queued work may still use it here.
   *
   * @param block its addresses here, {@link Block.Place#STALE}
   * @param from the first page of them
   */
  record Stale(Block block, int from, Extent extent) implements PageSpans.Pages {
    @Override
    public int to() {
      return from + extent.pages();
    }

    private boolean isPassed() {
      return block.epoch <= block.owner().progress.settled();
    }
  }

  /** An extent that was left, and the first of the pages that it lies under too from now on. */
  record Aliased(Stale left, int from) implements PageSpans.Pages {
    @Override
    public int to() {
      return from + left.pages();
    }
  }

  private static final Comparator<Stale> FIRST_PASSED =
      Comparator.<Stale>comparingLong(each -> each.block.epoch).thenComparingInt(Stale::from);

  private final PageTable table;
  private final ReservedMemory books;
  private final Addresses addresses;
  private final Extent.Unmapped spares;
  private final ArrayDeque<Limbo> limbo = new ArrayDeque<>();

  /** What waits for each stream, and what lies over each extent: nothing is sought. */
  private final Map<StreamState, TreeSet<Stale>> staleByStream = new LinkedHashMap<>();

  private final Map<Extent, List<Stale>> staleByExtent = new HashMap<>();
  private int stalePages;

  /** What was created only to see whether the device has so much; mostly null. */
  private @Nullable Extent tried;

  /** How many pages are in limbo, for readers without the growth lock. */
  private volatile int limboPages;

  /**
   * No extents yet.
   *
   * @param mostPages of one extent
   */
  PageMapper(PageTable table, ReservedMemory books, Addresses addresses, int mostPages) {
    this.spares = new Extent.Unmapped(mostPages);
    this.table = table;
    this.books = books;
    this.addresses = addresses;
  }

  /** Pages of extents that lie under nothing that could be used; readable by anybody. */
  int unplaced() {
    return spares.pages() + limboPages;
  }

  /** Pages of extents that lie nowhere; readable by anybody. */
  int sparePages() {
    return spares.pages();
  }

  /**
   * Makes the spares one extent for each of some spans: gives back those that fit none, and creates
   * those that lack. If the driver refuses one, those that it granted go back.
   */
  @Nullable DeviceOutOfMemoryException supply(List<Span> spans) {
    Map<Integer, Integer> lacking = new TreeMap<>();
    spans.forEach(each -> lacking.merge(each.pages(), 1, Integer::sum));
    for (Extent spare : spares.all()) {
      Integer wanted = lacking.get(spare.pages());
      if (wanted == null) {
        release(spare);
      } else if (wanted == 1) {
        lacking.remove(spare.pages());
      } else {
        lacking.put(spare.pages(), wanted - 1);
      }
    }
    return create(lacking);
  }

  /** Asks the driver for so many pages at once, and gives them back; null if it has them. */
  @Nullable DeviceOutOfMemoryException tryWhole(int pages) {
    try {
      tried = table.create(pages);
    } catch (DeviceOutOfMemoryException refusal) {
      return refusal;
    }
    books.taken(pages * table.pageSize, 1);
    countLimbo();
    giveTriedBack();
    return null;
  }

  private void giveTriedBack() {
    Extent whole = tried;
    if (whole != null) {
      table.release(whole);
      tried = null;
      books.given(whole.pages() * table.pageSize, 1);
      countLimbo();
    }
  }

  private @Nullable DeviceOutOfMemoryException create(Map<Integer, Integer> countByPages) {
    ArrayList<Extent> created = new ArrayList<>();
    try {
      countByPages.forEach(
          (pages, count) -> {
            created.ensureCapacity(created.size() + count);
            for (int i = 0; i < count; i++) {
              Extent extent = table.create(pages);
              created.add(extent);
              spares.add(extent);
              books.taken(pages * table.pageSize, 1);
            }
          });
      return null;
    } catch (RuntimeException | Error e) {
      try {
        for (int i = 0; i < created.size(); i++) {
          release(created.get(i));
        }
      } catch (RuntimeException failure) {
        // What could not be given back now is a spare.
        e.addSuppressed(failure);
      }
      if (e instanceof DeviceOutOfMemoryException refusal) {
        return refusal;
      }
      throw e;
    }
  }

  /**
   * Gives spares back to the driver, the shortest first.
   *
   * @param beyond whether the last one may have more pages than are still wanted
   * @return pages given back
   */
  int releaseSpares(int wanted, boolean beyond) {
    int given = 0;
    for (Extent spare : spares.all()) {
      if (given < wanted && (beyond || given + spare.pages() <= wanted)) {
        release(spare);
        given += spare.pages();
      }
    }
    return given;
  }

  private void release(Extent spare) {
    List<Stale> over = staleByExtent.get(spare);
    if (over != null) {
      unmapStale(new ArrayList<>(over));
    }
    table.release(spare);
    spares.remove(spare);
    books.given(spare.pages() * table.pageSize, 1);
    books.observer.givenBack(0, spare.pages() * table.pageSize);
  }

  /** Unmaps neighbours and keeps them as spares. */
  void lift(List<Extent> neighbours) {
    unmapToSpares(Span.over(neighbours));
  }

  private void unmapToSpares(Span span) {
    List<Extent> unmapped = table.unmap(span);
    for (int i = 0; i < unmapped.size(); i++) {
      spares.add(unmapped.get(i));
    }
  }

  /** Lays spares under neighbouring spans, one under each. */
  void lay(List<Span> neighbours) {
    Limbo laying = begin(neighbours.size());
    try {
      for (Span span : neighbours) {
        Extent spare = spares.of(span.pages());
        table.map(span.from(), spare);
        spares.remove(spare);
        laying.laid.add(spare);
      }
      table.allowAccess(Span.over(neighbours));
      addresses.show(laying.laid);
      limbo.removeLast();
    } finally {
      countLimbo();
    }
  }

  /** What is laid from now on lies in limbo until it is accessible, whatever fails. */
  private Limbo begin(int most) {
    Limbo laying = Limbo.of(most);
    limbo.addLast(laying);
    return laying;
  }

  /**
   * Lays extents that were left under neighbouring pages too.
   *
   * @param waiting what the list is of which they are the first; whatever becomes of them, they are
   *     taken off it once they are laid
   */
  void layToo(List<Aliased> neighbours, List<Aliased> waiting) {
    Limbo laying = begin(neighbours.size());
    try {
      for (Aliased each : neighbours) {
        table.map(each.from(), each.left().extent());
        laying.laid.add(each.left().extent());
        laying.left.add(each.left());
        waiting.remove(0);
      }
      table.allowAccess(Span.over(neighbours));
      neighbours.forEach(each -> addStale(each.left()));
      addresses.show(laying.laid);
      limbo.removeLast();
    } finally {
      countLimbo();
    }
  }

  /** Ends mappings that serve nobody any more, before anything else is done. */
  void clear() {
    giveTriedBack();
    clearLimbo();
    unmapPassed();
  }

  /**
   * Extents that are mapped but not accessible become spares again, or the stream's own free ones
   * that they were.
   */
  private void clearLimbo() {
    while (!limbo.isEmpty()) {
      Limbo first = limbo.getFirst();
      if (!first.laid.isEmpty()) {
        clear(first);
      }
      limbo.removeFirst();
      countLimbo();
    }
  }

  private void clear(Limbo failed) {
    Span span = Span.over(failed.laid);
    if (failed.left.isEmpty()) {
      unmapToSpares(span);
    } else {
      // Where the JVM had no memory they may be registered by now, or some of them.
      for (int i = 0; i < failed.left.size(); i++) {
        removeStale(failed.left.get(i));
      }
      table.unmap(span);
      addresses.comeBack(failed.left);
    }
  }

  private void countLimbo() {
    int pages = tried == null ? 0 : tried.pages();
    for (Limbo each : limbo) {
      for (Extent extent : each.laid) {
        pages += extent.pages();
      }
    }
    limboPages = pages;
  }

  // ---- second addresses ----

  private void addStale(Stale left) {
    staleByStream
        .computeIfAbsent(left.block().owner(), each -> new TreeSet<>(FIRST_PASSED))
        .add(left);
    stalePages += left.pages();
    staleByExtent.computeIfAbsent(left.extent(), each -> new ArrayList<>(1)).add(left);
  }

  /** Does nothing where it is not there; needs no memory of the JVM. */
  private void removeStale(Stale left) {
    TreeSet<Stale> ofStream = staleByStream.get(left.block().owner());
    if (ofStream != null) {
      stalePages -= ofStream.remove(left) ? left.pages() : 0;
      if (ofStream.isEmpty()) {
        staleByStream.remove(left.block().owner());
      }
    }
    List<Stale> ofExtent = staleByExtent.get(left.extent());
    if (ofExtent != null && ofExtent.remove(left) && ofExtent.isEmpty()) {
      staleByExtent.remove(left.extent());
    }
  }

  /** How many more pages may wait at second addresses before these could be missed. */
  int staleRoom() {
    return table.ranges.pages() / 4 - stalePages;
  }

  /** The streams that may still use memory at an address where it serves nobody else. */
  List<StreamState> staleOwners() {
    return List.copyOf(staleByStream.keySet());
  }

  /** Unmaps what its stream is known to have passed. */
  private void unmapPassed() {
    if (staleByStream.isEmpty()) {
      return;
    }
    List<Stale> passed = new ArrayList<>();
    for (TreeSet<Stale> ofStream : staleByStream.values()) {
      for (Stale left : ofStream) {
        if (!left.isPassed()) {
          break;
        }
        passed.add(left);
      }
    }
    unmapStale(passed);
  }

  private void unmapStale(List<Stale> which) {
    which.sort(Comparator.comparingInt(Stale::from));
    for (List<Stale> neighbours : PageSpans.neighbours(which)) {
      table.unmap(Span.over(neighbours));
      for (Stale left : neighbours) {
        removeStale(left);
        addresses.free(left.block());
      }
    }
  }
}
