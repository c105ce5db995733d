package org.vramkit.ffm;

import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.units.ByteSize;
import org.vramkit.cuda.driver.HostMemory;
import org.vramkit.cuda.driver.HostPages;

/** Pages of Linux, in huge pages where it has some, which are zeroed and locked faster. */
final class FfmHostPages implements HostPages {
  /** {@code PROT_READ | PROT_WRITE}. */
  private static final int READ_AND_WRITE = 3;

  /** {@code MAP_PRIVATE | MAP_ANONYMOUS}. */
  private static final int PRIVATE_AND_ANONYMOUS = 0x22;

  /** {@code MAP_FAILED}. */
  private static final long FAILED = -1;

  /** {@code MADV_HUGEPAGE}. */
  private static final int HUGE = 14;

  private static final long HUGE_BYTES = 2 * ByteSize.MIB;

  /** The functions of the C library, linked on first use. */
  private static final class Linked {
    private static final SymbolLookup C = Linker.nativeLinker().defaultLookup();

    /** {@code void* mmap(void* addr, size_t length, int prot, int flags, int fd, off_t offset)}. */
    static final MethodHandle MMAP = Downcall.MAP.handle(C.find("mmap").orElseThrow());

    /** {@code int munmap(void* addr, size_t length)}. */
    static final Call.LL MUNMAP = new Call.LL(C.find("munmap").orElseThrow());

    /** {@code int madvise(void* addr, size_t length, int advice)}. */
    static final Call.LLI MADVISE = new Call.LLI(C.find("madvise").orElseThrow());

    private Linked() {}
  }

  /** Returns the pages of this operating system. */
  static HostPages ofSystem() {
    return System.getProperty("os.name", "").toLowerCase(Locale.ROOT).contains("linux")
        ? new FfmHostPages()
        : NONE;
  }

  /** Maps more than needed, and returns what is outside of the first huge page on. */
  @Override
  public @Nullable HostMemory map(long bytes) {
    long mapped = mmap(wholePages(bytes) + HUGE_BYTES);
    if (mapped == FAILED) {
      return null;
    }
    long first = ByteSize.roundUp(mapped, HUGE_BYTES);
    unmap(mapped, first - mapped);
    unmap(first + wholePages(bytes), mapped + HUGE_BYTES - first);
    Linked.MADVISE.call(first, wholePages(bytes), HUGE);
    return new FfmHostMemory(first);
  }

  private static long mmap(long bytes) {
    try {
      return (long)
          Linked.MMAP.invokeExact(0L, bytes, READ_AND_WRITE, PRIVATE_AND_ANONYMOUS, -1, 0L);
    } catch (Throwable thrown) {
      throw Call.unexpected(thrown);
    }
  }

  @Override
  public void unmap(HostMemory memory, long bytes) {
    unmap(memory.getAddress(), wholePages(bytes));
  }

  private static void unmap(long address, long bytes) {
    if (bytes > 0) {
      Linked.MUNMAP.call(address, bytes);
    }
  }

  /** Returns a size in whole pages, also where pages have 64 KiB. */
  private static long wholePages(long bytes) {
    return ByteSize.roundUp(bytes, 64 * ByteSize.KIB);
  }
}
