package org.vramkit.ptx.check;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.vramkit.ptx.check.WarpOrder.Fence;

/**
 * Order by atomic and volatile accesses. A strong store after a fence releases all that precedes
 * the fence; a strong load of the same address acquires all that was released there before. Each
 * address has a chain of releases; a warp remembers how far along each chain it has acquired.
 */
@SuppressWarnings("ReferenceEquality") // lists share their nodes
final class Releases {
  private final Map<Long, Chain> chains = new HashMap<>();

  private static final class Chain {
    final Map<Integer, List<Release>> byBlock = new HashMap<>();
    final List<Release> all = new ArrayList<>();
  }

  private record Release(int position, int block, int warp, boolean device, Fence fence) {}

  /**
   * Releases that a warp has acquired: those of a chain up to a position, and those of the rest.
   */
  record Acquired(Object chain, int position, @Nullable Acquired rest) {}

  /** Notes a strong access. */
  void access(WarpOrder warp, long address, boolean loads, boolean stores) {
    Fence device = warp.deviceFence;
    Fence fence = warp.blockFence;
    if (chains.isEmpty() && (fence == null || !stores)) {
      return;
    }
    Chain chain = chains.get(address);
    if (loads && chain != null) {
      acquire(warp, chain);
    }
    if (stores && fence != null) {
      if (chain == null) {
        chain = new Chain();
        chains.put(address, chain);
      }
      release(warp, chain, fence, false);
      if (device != null) {
        release(warp, chain, device, true);
      }
    }
  }

  private static void acquire(WarpOrder warp, Chain chain) {
    int position = chain.all.size();
    Acquired head = warp.acquired;
    if (head != null && head.chain == chain) {
      if (head.position < position) {
        warp.acquired = new Acquired(chain, position, head.rest);
      }
    } else if (position > 0) {
      warp.acquired = new Acquired(chain, position, without(head, chain));
    }
  }

  private static @Nullable Acquired without(@Nullable Acquired list, Chain chain) {
    for (Acquired each = list; each != null; each = each.rest) {
      if (each.chain == chain) {
        List<Acquired> kept = new ArrayList<>();
        for (Acquired other = list; other != each && other != null; other = other.rest) {
          kept.add(other);
        }
        Acquired result = each.rest;
        for (int i = kept.size() - 1; i >= 0; i--) {
          result = new Acquired(kept.get(i).chain, kept.get(i).position, result);
        }
        return result;
      }
    }
    return list;
  }

  private static void release(WarpOrder warp, Chain chain, Fence fence, boolean device) {
    List<Release> own = chain.byBlock.computeIfAbsent(warp.block, block -> new ArrayList<>(2));
    for (int i = own.size() - 1; i >= 0 && i >= own.size() - 4; i--) {
      Release last = own.get(i);
      if (last.warp == warp.warp && last.device == device && last.fence == fence) {
        return;
      }
    }
    Release release = new Release(chain.all.size(), warp.block, warp.warp, device, fence);
    own.add(release);
    chain.all.add(release);
  }

  /** Returns a list with all that is in two lists. */
  static @Nullable Acquired union(@Nullable Acquired one, @Nullable Acquired other) {
    if (one == null || one == other) {
      return other;
    }
    Acquired result = one;
    for (Acquired each = other; each != null; each = each.rest) {
      int position = 0;
      for (Acquired mine = result; mine != null; mine = mine.rest) {
        position = mine.chain == each.chain ? Math.max(position, mine.position) : position;
      }
      if (position < each.position) {
        result = new Acquired(each.chain, each.position, result);
      }
    }
    return result;
  }

  /** Returns whether a warp has acquired what another warp did at a time. */
  boolean precedes(WarpOrder warp, int block, int otherWarp, int time) {
    return reaches(warp.acquired, warp.block == block, block, otherWarp, time, new HashSet<>(), 0);
  }

  private boolean reaches(
      @Nullable Acquired list,
      boolean sameBlock,
      int block,
      int warp,
      int time,
      Set<Fence> seen,
      int depth) {
    for (Acquired each = list; each != null; each = each.rest) {
      for (Release release : ((Chain) each.chain).byBlock.getOrDefault(block, List.of())) {
        int[] known = release.fence.known();
        int until = release.warp == warp ? release.fence.time() : known[warp];
        if (release.position < each.position && (sameBlock || release.device) && time < until) {
          return true;
        }
      }
    }
    for (Acquired each = list; each != null && depth < 100; each = each.rest) {
      List<Release> releases = ((Chain) each.chain).all;
      for (int i = each.position - 1; i >= 0; i--) {
        Fence fence = releases.get(i).fence;
        if (fence.acquired() != null
            && seen.add(fence)
            && reaches(fence.acquired(), sameBlock, block, warp, time, seen, depth + 1)) {
          return true;
        }
      }
    }
    return false;
  }
}
