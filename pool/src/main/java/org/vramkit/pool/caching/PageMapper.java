package org.vramkit.pool.caching;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.pool.caching.PageSpans.Span;
import org.vramkit.pool.caching.StaleMappings.Stale;

/**
 * Creates extents, lays them under addresses and takes them away again. Calls the driver; under the
 * growth lock. Wherever the driver fails, every extent is afterwards mapped and accessible, a
 * spare, released, or in limbo: mapped but not accessible, until the next call unmaps it first.
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
   * Mapped but not accessible, because a driver call failed.
   *
   * @param left where the same memory lies and may still be used; empty if nowhere
   */
  private record Limbo(Span span, List<Stale> left) {}

  /** An extent that was left, and the first of the pages that it lies under too from now on. */
  record Doubled(Stale left, int from) implements PageSpans.Pages {
    @Override
    public int to() {
      return from + left.pages();
    }
  }

  private final PageTable table;
  private final StaleMappings stale;
  private final MemoryBooks books;
  private final Addresses addresses;
  private final Spares spares = new Spares();
  private final ArrayDeque<Limbo> limbo = new ArrayDeque<>();

  /** How many pages are in limbo, for readers without the growth lock. */
  private volatile int limboPages;

  PageMapper(PageTable table, StaleMappings stale, MemoryBooks books, Addresses addresses) {
    this.table = table;
    this.stale = stale;
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

  private @Nullable DeviceOutOfMemoryException create(Map<Integer, Integer> countByPages) {
    List<Extent> created = new ArrayList<>();
    try {
      countByPages.forEach(
          (pages, count) -> {
            for (int i = 0; i < count; i++) {
              Extent extent = table.create(pages);
              created.add(extent);
              spares.add(extent);
              books.taken(pages * table.pageSize, 1);
            }
          });
      return null;
    } catch (RuntimeException e) {
      try {
        created.forEach(this::release);
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
    stale.unmapUnused(spare, addresses::free);
    table.release(spare);
    spares.remove(spare);
    books.given(spare.pages() * table.pageSize, 1);
  }

  /** Unmaps neighbours and keeps them as spares. */
  void lift(List<Extent> neighbours) {
    unmapToSpares(Span.over(neighbours));
  }

  private void unmapToSpares(Span span) {
    table.unmap(span).forEach(spares::add);
  }

  /** Lays spares under neighbouring spans, one under each. */
  void lay(List<Span> neighbours) {
    List<Extent> laid = new ArrayList<>();
    try {
      for (Span span : neighbours) {
        Extent spare = spares.of(span.pages());
        table.map(span.from(), spare);
        spares.remove(spare);
        laid.add(spare);
      }
      table.allowAccess(Span.over(neighbours));
    } catch (RuntimeException e) {
      toLimbo(laid, List.of());
      throw e;
    }
    addresses.show(laid);
  }

  /**
   * Lays extents that were left under neighbouring pages too.
   *
   * @param waiting what the list is of which they are the first; whatever becomes of them, they are
   *     taken off it once they are laid
   */
  void layToo(List<Doubled> neighbours, List<Doubled> waiting) {
    List<Extent> laid = new ArrayList<>();
    try {
      for (Doubled each : neighbours) {
        table.map(each.from(), each.left().extent());
        laid.add(each.left().extent());
      }
      table.allowAccess(Span.over(neighbours));
    } catch (RuntimeException e) {
      List<Doubled> mapped = waiting.subList(0, laid.size());
      toLimbo(laid, mapped.stream().map(Doubled::left).toList());
      mapped.clear();
      throw e;
    }
    neighbours.forEach(each -> stale.add(each.left()));
    waiting.subList(0, neighbours.size()).clear();
    addresses.show(laid);
  }

  /** Ends mappings that serve nobody any more, before anything else is done. */
  void clear() {
    clearLimbo();
    stale.unmapPassed(addresses::free);
  }

  private void toLimbo(List<Extent> laid, List<Stale> left) {
    if (!laid.isEmpty()) {
      limbo.add(new Limbo(Span.over(laid), left));
      countLimbo();
    }
  }

  /**
   * Extents that are mapped but not accessible become spares again, or the stream's own free ones
   * that they were.
   */
  private void clearLimbo() {
    while (!limbo.isEmpty()) {
      Limbo first = limbo.getFirst();
      if (first.left().isEmpty()) {
        unmapToSpares(first.span());
      } else {
        table.unmap(first.span());
        addresses.comeBack(first.left());
      }
      limbo.removeFirst();
      countLimbo();
    }
  }

  private void countLimbo() {
    limboPages = limbo.stream().mapToInt(each -> each.span().pages()).sum();
  }
}
