package org.vramkit.pool.caching.internal.page;

import java.util.ArrayList;
import java.util.List;

/** Runs of neighbouring pages, because the driver is called once for each. */
public final class PageSpans {
  /** What covers pages {@code [from, to)}. */
  public interface Pages {
    int from();

    int to();

    default int pages() {
      return to() - from();
    }
  }

  /** Pages {@code [from, to)}. */
  public record Span(int from, int to) implements Pages {
    /** All pages of neighbours. */
    public static Span over(List<? extends Pages> neighbours) {
      Span all = of(neighbours.get(0));
      for (Pages each : neighbours) {
        all = all.with(each);
      }
      return all;
    }

    private static Span of(Pages pages) {
      return new Span(pages.from(), pages.to());
    }

    private Span with(Pages next) {
      return new Span(Math.min(from, next.from()), Math.max(to, next.to()));
    }

    private boolean touches(Pages next) {
      return next.from() == to || next.to() == from;
    }
  }

  private PageSpans() {}

  /** The pages of all together. */
  public static int total(List<? extends Pages> all) {
    int pages = 0;
    for (Pages each : all) {
      pages += each.pages();
    }
    return pages;
  }

  /** Groups those that follow each other in the list and touch, rising or falling. */
  public static <P extends Pages> List<List<P>> neighbours(List<P> all) {
    List<List<P>> groups = new ArrayList<>();
    Span span = new Span(-1, -1);
    for (P each : all) {
      if (span.touches(each)) {
        span = span.with(each);
      } else {
        span = Span.of(each);
        groups.add(new ArrayList<>());
      }
      groups.get(groups.size() - 1).add(each);
    }
    return groups;
  }

  /** The spans of rising, distinct page numbers. */
  public static List<Span> of(int[] pages) {
    List<Span> spans = new ArrayList<>();
    int from = 0;
    for (int i = 1; i <= pages.length; i++) {
      if (i == pages.length || pages[i] != pages[i - 1] + 1) {
        spans.add(new Span(pages[from], pages[i - 1] + 1));
        from = i;
      }
    }
    return spans;
  }

  /**
   * Cuts spans into parts, one for each extent. Pages that a block shares with its neighbours are
   * parts of their own.
   *
   * @param from the first page that is the block's alone
   * @param to one past the last one
   * @param most pages of a part
   */
  public static List<Span> cut(List<Span> spans, int from, int to, int most) {
    List<Span> parts = new ArrayList<>();
    for (Span span : spans) {
      int page = span.from;
      while (page < span.to) {
        boolean shared = page < from || page >= to;
        int end = shared ? page + 1 : Math.min(page + most, Math.min(span.to, to));
        parts.add(new Span(page, end));
        page = end;
      }
    }
    return parts;
  }
}
