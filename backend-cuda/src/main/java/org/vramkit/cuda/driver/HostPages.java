package org.vramkit.cuda.driver;

import org.jspecify.annotations.Nullable;

/**
 * Maps pageable host memory by calls of the operating system, which give no page before its use.
 */
public interface HostPages {
  /** The pages of a binding that cannot map any. */
  HostPages NONE =
      new HostPages() {
        @Override
        public @Nullable HostMemory map(long bytes) {
          return null;
        }

        @Override
        public void unmap(HostMemory memory, long bytes) {
          // There is none.
        }
      };

  /** Maps memory that begins at a page; returns null if that fails. */
  @Nullable HostMemory map(long bytes);

  /** Returns mapped memory, as a whole, to the operating system. */
  void unmap(HostMemory memory, long bytes);
}
