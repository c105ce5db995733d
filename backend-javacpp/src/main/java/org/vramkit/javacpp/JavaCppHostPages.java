package org.vramkit.javacpp;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.bytedeco.javacpp.Pointer;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.units.ByteSize;
import org.vramkit.cuda.driver.HostMemory;
import org.vramkit.cuda.driver.HostPages;

/**
 * Pages of the C library's {@code malloc}. JavaCPP refuses to allocate once the process has more
 * memory in use than {@code maxPhysicalBytes}, so these pages take at most half of what is left.
 */
final class JavaCppHostPages implements HostPages {
  /** Huge pages, where the kernel gives some by itself, begin at multiples of this. */
  private static final long ALIGNMENT = 2 * ByteSize.MIB;

  /** Blocks of {@code malloc} by the address of their memory. */
  private final Map<Long, Pointer> blocks = new ConcurrentHashMap<>();

  @Override
  public @Nullable HostMemory map(long bytes) {
    long limit = Pointer.maxPhysicalBytes();
    if (limit > 0 && bytes > (limit - Pointer.physicalBytes()) / 2) {
      return null;
    }
    Pointer block = Pointer.malloc(bytes + ALIGNMENT);
    if (block == null || block.isNull()) {
      return null;
    }
    long first = ByteSize.roundUp(block.address(), ALIGNMENT);
    blocks.put(first, block);
    return JavaCppHostMemory.at(first, bytes);
  }

  @Override
  public void unmap(HostMemory memory, long bytes) {
    Pointer block = blocks.remove(memory.getAddress());
    if (block != null) {
      Pointer.free(block);
    }
  }
}
