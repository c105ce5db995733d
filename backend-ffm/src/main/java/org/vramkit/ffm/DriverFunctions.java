package org.vramkit.ffm;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.error.BackendNotAvailableException;
import org.vramkit.cuda.driver.CudaResult;

/**
 * Looks functions of the driver up. {@code cuGetProcAddress_v2} takes the function's plain name and
 * a version, and gives the newest variant that is not newer: so each function is asked for with the
 * version that brought the variant whose signature stands beside it here, never with the driver's
 * own. A later driver that changes the signature keeps the older variant under the older version.
 *
 * <p>Drivers before CUDA 12.0 lack it. Their functions are found by the names that the library
 * exports, which carry the variant, as {@code cuMemAlloc_v2} does.
 */
final class DriverFunctions {
  /** {@code CU_GET_PROC_ADDRESS_LEGACY_STREAM}: default streams are not those of threads. */
  private static final long LEGACY_STREAM = 1;

  private final SymbolLookup library;
  private final @Nullable MethodHandle getProcAddress;
  private final boolean mayLack;
  private final boolean critical;
  private final Set<String> absent;

  private DriverFunctions(
      SymbolLookup library,
      @Nullable MethodHandle getProcAddress,
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
   * Functions that every driver has which is new enough at all.
   *
   * @param library the driver's
   * @param critical whether short questions leave the JVM's view of the thread as it is; not where
   *     the functions call back into the JVM, as those do that a test makes
   */
  static DriverFunctions of(SymbolLookup library, boolean critical) {
    MethodHandle getProcAddress =
        library.find("cuGetProcAddress_v2").map(Downcall.GET_PROC_ADDRESS::handle).orElse(null);
    return new DriverFunctions(library, getProcAddress, false, critical, new LinkedHashSet<>());
  }

  /** The same where the installed driver may lack a function: its calls then say so. */
  DriverFunctions orAbsent() {
    return new DriverFunctions(library, getProcAddress, true, critical, absent);
  }

  boolean areCritical() {
    return critical;
  }

  /** Those that were looked up and are not there, by their plain names. */
  Set<String> getAbsent() {
    return Set.copyOf(absent);
  }

  /** A function whose library exports it by its plain name. */
  @Nullable MemorySegment find(String name, int since) {
    return find(name, since, name);
  }

  /**
   * A function.
   *
   * @param name without the variant
   * @param since the driver version that brought the variant
   * @param exported the name with the variant
   * @return null where it may be absent and is
   * @throws BackendNotAvailableException if it is absent and may not be
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

  private static @Nullable MemorySegment ask(MethodHandle getProcAddress, String name, int since) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment found = arena.allocate(ADDRESS);
      MemorySegment status = arena.allocate(JAVA_INT);
      int result =
          (int)
              getProcAddress.invokeExact(
                  arena.allocateFrom(name), found, since, LEGACY_STREAM, status);
      MemorySegment function = found.get(ADDRESS, 0);
      return result != CudaResult.SUCCESS || function.address() == 0 ? null : function;
    } catch (Throwable e) {
      throw Call.unexpected(e);
    }
  }
}
