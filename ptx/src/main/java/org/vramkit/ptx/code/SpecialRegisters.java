package org.vramkit.ptx.code;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.vramkit.ptx.report.Dim3;
import org.vramkit.ptx.run.Grid;
import org.vramkit.ptx.run.Warp;
import org.vramkit.ptx.step.Special.Reader;

/** The special registers. */
final class SpecialRegisters {
  /** Bytes of shared memory that the system reserves for a block. */
  private static final int RESERVED = 1024;

  private static final Map<String, Entry> ENTRIES = new HashMap<>();

  /** A register: the width, the first target that has it, and its value. */
  record Entry(int bits, int target, Reader reader) {}

  static {
    dimensions("%ntid", grid -> grid.blockSize);
    dimensions("%nctaid", grid -> grid.gridSize);
    for (int d = 0; d < 3; d++) {
      int dimension = d;
      char letter = "xyz".charAt(d);
      add("%tid." + letter, (warp, f, lane) -> warp.grid().threads(warp.index, dimension)[lane]);
      add("%ctaid." + letter, (warp, f, lane) -> part(warp.block.coordinates, dimension));
      add("%clusterid." + letter, 90, (warp, f, lane) -> part(warp.block.coordinates, dimension));
      add("%nclusterid." + letter, 90, (warp, f, lane) -> part(warp.grid().gridSize, dimension));
      add("%cluster_ctaid." + letter, 90, (warp, f, lane) -> 0);
      add("%cluster_nctaid." + letter, 90, (warp, f, lane) -> 1);
    }
    for (String name : new String[] {"%ntid", "%nctaid", "%tid", "%ctaid"}) {
      add(name + ".w", (warp, f, lane) -> 0);
    }
    add("%cluster_ctarank", 90, (warp, f, lane) -> 0);
    add("%cluster_nctarank", 90, (warp, f, lane) -> 1);
    add("%is_explicit_cluster", 90, (warp, f, lane) -> 0);
    add("%laneid", (warp, f, lane) -> lane);
    add("%warpid", (warp, f, lane) -> warp.index);
    add("%nwarpid", 20, (warp, f, lane) -> 64);
    add("%smid", (warp, f, lane) -> warp.block.processor());
    add("%nsmid", 20, (warp, f, lane) -> Grid.MULTIPROCESSORS);
    addLong("%gridid", 10, (warp, f, lane) -> warp.grid().options.number);
    add("%lanemask_eq", 20, (warp, f, lane) -> 1 << lane);
    add("%lanemask_lt", 20, (warp, f, lane) -> (1 << lane) - 1);
    add("%lanemask_le", 20, (warp, f, lane) -> (2 << lane) - 1);
    add("%lanemask_gt", 20, (warp, f, lane) -> -(2L << lane));
    add("%lanemask_ge", 20, (warp, f, lane) -> -(1L << lane));
    add("%clock", (warp, f, lane) -> clock(warp));
    add("%clock_hi", 50, (warp, f, lane) -> clock(warp) >>> 32);
    addLong("%clock64", 20, (warp, f, lane) -> clock(warp));
    addLong("%globaltimer", 30, (warp, f, lane) -> nanos(warp));
    add("%globaltimer_lo", 30, (warp, f, lane) -> nanos(warp));
    add("%globaltimer_hi", 30, (warp, f, lane) -> nanos(warp) >>> 32);
    add("%dynamic_smem_size", 20, (warp, f, lane) -> warp.grid().options.dynamicBytes);
    add("%total_smem_size", 20, (warp, f, lane) -> shared(warp.grid()));
    add("%aggr_smem_size", 90, (warp, f, lane) -> shared(warp.grid()) + RESERVED);
    add("%reserved_smem_offset_begin", 80, (warp, f, lane) -> 0);
    add("%reserved_smem_offset_end", 80, (warp, f, lane) -> 0);
    add("%reserved_smem_offset_cap", 80, (warp, f, lane) -> RESERVED);
    for (int i = 0; i < 2; i++) {
      add("%reserved_smem_offset_" + i, 80, (warp, f, lane) -> warp.grid().layout.reserved());
    }
    for (int i = 0; i < 32; i++) {
      add("%envreg" + i, 20, (warp, f, lane) -> 0);
    }
    for (int i = 0; i < 8; i++) {
      add("%pm" + i, (warp, f, lane) -> 0);
      addLong("%pm" + i + "_64", 50, (warp, f, lane) -> 0);
    }
  }

  private SpecialRegisters() {}

  static @Nullable Entry find(String name) {
    return ENTRIES.get(name);
  }

  /** Returns whether all lanes of a warp read the same. */
  static boolean isUniform(String name) {
    return name.startsWith("%ntid") || name.startsWith("%nctaid") || name.startsWith("%ctaid");
  }

  private interface Extent {
    Dim3 of(Grid grid);
  }

  private static void dimensions(String name, Extent extent) {
    for (int d = 0; d < 3; d++) {
      int dimension = d;
      add(name + "." + "xyz".charAt(d), (warp, f, lane) -> part(extent.of(warp.grid()), dimension));
    }
  }

  private static int part(Dim3 dim, int dimension) {
    return dimension == 0 ? dim.x() : dimension == 1 ? dim.y() : dim.z();
  }

  /** Cycles: one for each step of a warp, and some for starting. */
  private static long clock(Warp warp) {
    return 1000 + 4 * warp.grid().now();
  }

  private static long nanos(Warp warp) {
    return warp.grid().options.startNanos + warp.grid().now();
  }

  private static long shared(Grid grid) {
    return (long) grid.layout.staticBytes() + grid.options.dynamicBytes + 127 & -128;
  }

  private static void add(String name, Reader reader) {
    add(name, 10, reader);
  }

  private static void add(String name, int target, Reader reader) {
    ENTRIES.put(name, new Entry(32, target, reader));
  }

  private static void addLong(String name, int target, Reader reader) {
    ENTRIES.put(name, new Entry(64, target, reader));
  }
}
