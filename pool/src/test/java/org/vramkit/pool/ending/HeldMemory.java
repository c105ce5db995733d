package org.vramkit.pool.ending;

import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.vramkit.api.device.Stream;

/**
 * Memory of the device under a handle.
 *
 * @param address asked for anew by all work: a handle that is closed may refuse to tell it
 * @param users records one
 * @param end closes the handle
 */
record HeldMemory(LongSupplier address, long size, Consumer<Stream> users, Runnable end)
    implements Held {

  @Override
  public void work(Stream stream) {
    Work.on(stream, address.getAsLong(), size);
  }

  @Override
  public void recordUse(Stream user) {
    users.accept(user);
  }

  @Override
  public void close() {
    end.run();
  }
}
