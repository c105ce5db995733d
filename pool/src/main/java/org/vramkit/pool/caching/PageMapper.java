package org.vramkit.pool.caching;

import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.pool.caching.StaleMappings.Stale;

/**
 * Creates physical pages, lays them under addresses and takes them away again. Calls the driver;
 * under the growth lock. Wherever the driver fails, every physical page is afterwards mapped and
 * accessible, a spare, released, or in limbo: mapped but not accessible, until the next call unmaps
 * it first.
 */
final class PageMapper {
  /** What the heap does with its maps, under its lock. */
  interface Addresses {
    /** Pages can be used from now on. */
    void show(PageRuns.Run run);

    /** Pages that were left are their stream's own free pages again. */
    void comeBack(List<Stale> left);

    /** Nothing lies beneath a block of addresses any more. */
    void free(Block addresses);
  }

  /**
   * Mapped but not accessible, because a driver call failed.
   *
   * @param left where the same memory lies and may still be used; empty if nowhere
   */
  private record Limbo(PageRuns.Run run, List<Stale> left) {}

  private final PageTable table;
  private final StaleMappings stale;
  private final MemoryBooks books;
  private final Addresses addresses;
  private final ArrayDeque<Limbo> limbo = new ArrayDeque<>();

  /** How many pages are in limbo, for readers without the growth lock. */
  private volatile int limboPages;

  PageMapper(PageTable table, StaleMappings stale, MemoryBooks books, Addresses addresses) {
    this.table = table;
    this.stale = stale;
    this.books = books;
    this.addresses = addresses;
  }

  /** Physical pages that lie under nothing that could be used; readable by anybody. */
  int unplaced() {
    return table.spares() + limboPages;
  }

  /** Creates spares; if the driver refuses one, gives back those that it granted. */
  @Nullable DeviceOutOfMemoryException createSpares(int count) {
    for (int i = 0; i < count; i++) {
      try {
        table.addSpare(table.create());
      } catch (RuntimeException e) {
        books.taken(i * table.pageSize, i);
        releaseSpares(i);
        if (e instanceof DeviceOutOfMemoryException refusal) {
          return refusal;
        }
        throw e;
      }
    }
    books.taken(count * table.pageSize, count);
    return null;
  }

  /** Gives spares back to the driver; at most so many. */
  void releaseSpares(int most) {
    int count = Math.min(most, table.spares());
    for (int i = 0; i < count; i++) {
      long handle = table.takeSpare();
      try {
        stale.unmapUnused(handle, addresses::free);
        table.release(handle);
      } catch (RuntimeException e) {
        table.addSpare(handle);
        throw e;
      }
      books.given(table.pageSize, 1);
    }
  }

  /** Lays spares under the pages of a run. */
  void mapSpares(PageRuns.Run run) {
    int page = run.from();
    try {
      while (page < run.to()) {
        long handle = table.takeSpare();
        try {
          table.map(page, handle);
        } catch (RuntimeException e) {
          table.addSpare(handle);
          throw e;
        }
        page++;
      }
      table.allowAccess(run.from(), run.to());
    } catch (RuntimeException e) {
      toLimbo(run.from(), page, List.of());
      throw e;
    }
    addresses.show(run);
  }

  /** Lays pages that were left under the pages of a run too, and takes them off the list. */
  void mapToo(PageRuns.Run run, List<Stale> left) {
    List<Stale> used = left.subList(0, run.to() - run.from());
    int page = run.from();
    try {
      for (Stale each : used) {
        table.map(page, each.handle());
        page++;
      }
      table.allowAccess(run.from(), run.to());
    } catch (RuntimeException e) {
      List<Stale> mapped = used.subList(0, page - run.from());
      toLimbo(run.from(), page, List.copyOf(mapped));
      mapped.clear();
      throw e;
    }
    used.forEach(stale::add);
    used.clear();
    addresses.show(run);
  }

  /** Ends mappings that serve nobody any more, before anything else is done. */
  void clear() {
    clearLimbo();
    stale.unmapPassed(addresses::free);
  }

  private void toLimbo(int from, int to, List<Stale> left) {
    if (to > from) {
      limbo.add(new Limbo(new PageRuns.Run(from, to), left));
      countLimbo();
    }
  }

  /**
   * Pages that are mapped but not accessible become spares again, or the stream's own free pages
   * that they were.
   */
  private void clearLimbo() {
    while (!limbo.isEmpty()) {
      Limbo first = limbo.getFirst();
      PageRuns.Run run = first.run();
      if (first.left().isEmpty()) {
        table.unmapToSpares(run.from(), run.to());
      } else {
        table.unmap(run.from(), run.to());
        addresses.comeBack(first.left());
      }
      limbo.removeFirst();
      countLimbo();
    }
  }

  private void countLimbo() {
    limboPages = limbo.stream().mapToInt(each -> each.run().to() - each.run().from()).sum();
  }
}
