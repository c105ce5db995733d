package org.vramkit.ffm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.error.BackendNotAvailableException;
import org.vramkit.cuda.driver.CudaResult;

/**
 * Looks up driver functions. {@code cuGetProcAddress_v2} takes a function's plain name and a
 * version, and returns the newest variant up to that version. So each function is looked up with
 * the version that introduced the signature used here, never with the driver's own version. A later
 * driver that changes a signature keeps the older variant under the older version.
 *
 * <p>Drivers before CUDA 12.0 lack {@code cuGetProcAddress_v2}. Their functions are looked up by
 * exported names, which contain the variant, such as {@code cuMemAlloc_v2}.
 */
final class DriverFunctions {
  /**
   * {@code CU_GET_PROC_ADDRESS_LEGACY_STREAM}: default streams are the legacy ones, not per thread.
   */
  private static final long LEGACY_STREAM = 1;

  private final SymbolLookup library;

  /**
   * {@code CUresult cuGetProcAddress_v2(const char* symbol, void** pfn, int cudaVersion, cuuint64_t
   * flags, CUdriverProcAddressQueryResult* symbolStatus)}; null if the driver lacks it.
   */
  private final Call.@Nullable LLILL getProcAddress;

  private final boolean mayLack;
  private final boolean critical;
  private final Set<String> absent;

  private DriverFunctions(
      SymbolLookup library,
      Call.@Nullable LLILL getProcAddress,
      boolean mayLack,
      boolean critical,
      Set<String> absent) {
    this.library = library;
    this.getProcAddress = getProcAddress;
    this.mayLack = mayLack;
    this.critical = critical;
    this.absent = absent;
  }

  /**
   * Looks up functions that every supported driver has.
   *
   * @param library the driver's library
   * @param critical whether short queries are critical calls, without a thread state transition;
   *     false if the functions call back into the JVM, as in tests
   */
  static DriverFunctions of(SymbolLookup library, boolean critical) {
    MemorySegment lookup = library.find("cuGetProcAddress_v2").orElse(null);
    Call.LLILL getProcAddress = lookup == null ? null : new Call.LLILL(lookup);
    return new DriverFunctions(library, getProcAddress, false, critical, new LinkedHashSet<>());
  }

  /**
   * Returns a lookup of functions that the driver may lack; calls of missing ones return an error.
   */
  DriverFunctions orAbsent() {
    return new DriverFunctions(library, getProcAddress, true, critical, absent);
  }

  boolean areCritical() {
    return critical;
  }

  /** Returns the plain names of functions that were not found. */
  Set<String> getAbsent() {
    return Set.copyOf(absent);
  }

  /** Looks up a function that is exported by its plain name. */
  @Nullable MemorySegment find(String name, int since) {
    return find(name, since, name);
  }

  /**
   * Looks up a function.
   *
   * @param name the name without the variant
   * @param since the driver version that introduced the variant
   * @param exported the name with the variant
   * @return the function; null if the driver lacks it and this lookup allows that
   * @throws BackendNotAvailableException if a required function is missing
   */
  @Nullable MemorySegment find(String name, int since, String exported) {
    MemorySegment found =
        getProcAddress == null
            ? library.find(exported).orElse(null)
            : ask(getProcAddress, name, since);
    if (found == null) {
      if (!mayLack) {
        throw new BackendNotAvailableException(
            "the NVIDIA driver lacks "
                + name
                + ", which drivers have from CUDA "
                + since / 1000
                + "."
                + since % 1000 / 10
                + " on; update it");
      }
      absent.add(name);
    }
    return found;
  }

  private static @Nullable MemorySegment ask(Call.LLILL getProcAddress, String name, int since) {
    long found = Cells.take();
    try (Arena arena = Arena.ofConfined()) {
      long symbol = arena.allocateFrom(name).address();
      int result = getProcAddress.call(symbol, found, since, LEGACY_STREAM, found + Long.BYTES);
      long function = Cells.getLong(found);
      return result != CudaResult.SUCCESS || function == 0
          ? null
          : MemorySegment.ofAddress(function);
    } finally {
      Cells.give(found);
    }
  }
}
