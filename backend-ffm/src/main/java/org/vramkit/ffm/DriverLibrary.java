package org.vramkit.ffm;

import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.vramkit.api.error.BackendNotAvailableException;

/** Finds the library of the NVIDIA driver; no other CUDA library is needed. */
final class DriverLibrary {
  private static final int MAX_REASON_BYTES = 4096;

  /** {@code RTLD_LAZY}. */
  private static final int LAZY = 1;

  private DriverLibrary() {}

  /**
   * Names of the library by operating system, most likely first; WSL keeps it outside of the
   * linker's search path.
   */
  static List<String> names(String system) {
    return system.toLowerCase(Locale.ROOT).contains("windows")
        ? List.of("nvcuda.dll")
        : List.of("libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1", "libcuda.so");
  }

  /**
   * Loads the library for the life of the process.
   *
   * @param names the candidate names
   * @throws BackendNotAvailableException if the library is missing, fails to load, or native access
   *     is not enabled; the message gives the reason
   */
  static SymbolLookup load(List<String> names) {
    List<String> reasons = new ArrayList<>();
    for (String name : names) {
      try {
        return SymbolLookup.libraryLookup(name, Arena.global());
      } catch (IllegalArgumentException e) {
        reasons.add(reasonOf(name));
      } catch (IllegalCallerException e) {
        throw new BackendNotAvailableException(
            "the JVM may not call native code; start it with"
                + " --enable-native-access=org.vramkit.ffm, or =ALL-UNNAMED on the class path",
            e);
      }
    }
    throw new BackendNotAvailableException(explain(names, reasons));
  }

  /**
   * Returns the error to report: that of a library that exists but does not load, if any, otherwise
   * that no library was found.
   */
  private static String explain(List<String> names, List<String> reasons) {
    for (String each : reasons) {
      if (!each.contains("No such file") && !each.contains("cannot find")) {
        return "the NVIDIA driver's library does not load: " + each;
      }
    }
    return "no NVIDIA driver ("
        + names.get(0)
        + " not found); install it, or start the container with GPUs";
  }

  /** Returns the message of the dynamic linker, which the JDK does not expose. */
  private static String reasonOf(String name) {
    Linker linker = Linker.nativeLinker();
    Optional<MemorySegment> open = linker.defaultLookup().find("dlopen");
    Optional<MemorySegment> error = linker.defaultLookup().find("dlerror");
    if (open.isEmpty() || error.isEmpty()) {
      return "cannot find " + name;
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment opened =
          (MemorySegment)
              Downcall.OPEN_LIBRARY.handle(open.get()).invokeExact(arena.allocateFrom(name), LAZY);
      MemorySegment text = (MemorySegment) Downcall.LAST_ERROR.handle(error.get()).invokeExact();
      return opened.address() != 0 || text.address() == 0
          ? "cannot find " + name
          : text.reinterpret(MAX_REASON_BYTES).getString(0).lines().findFirst().orElse(name);
    } catch (Throwable e) {
      throw Call.unexpected(e);
    }
  }
}
