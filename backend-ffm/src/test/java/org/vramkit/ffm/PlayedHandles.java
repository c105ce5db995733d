package org.vramkit.ffm;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.vramkit.cuda.driver.Handle;

/** The handles of one kind that callers have received, by address. */
final class PlayedHandles {
  private final Map<Long, Handle> known = new ConcurrentHashMap<>();

  void add(long address, Handle handle) {
    known.put(address, handle);
  }

  /** Remembers the handle that a call returned, if any, and stores it at a pointer. */
  int told(int result, Handle[] made, long pointer) {
    if (made[0] != null) {
      add(made[0].getAddress(), made[0]);
      Pointers.put(pointer, made[0].getAddress());
    }
    return result;
  }

  /** Returns a known handle; a real process does not check them. */
  Handle known(long address) {
    Handle found = known.get(address);
    if (found == null) {
      throw new AssertionError("no handle 0x" + Long.toHexString(address));
    }
    return found;
  }
}
