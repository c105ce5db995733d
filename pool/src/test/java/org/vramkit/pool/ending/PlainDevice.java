package org.vramkit.pool.ending;

import java.nio.ByteBuffer;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.DeviceMemory;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.MemoryInfo;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.PinnedMemory;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.caching.ScriptedDevice;

/**
 * A device whose every call changes a field or nothing: where the stack ends, it has either been
 * called or not.
 */
final class PlainDevice extends ScriptedDevice {
  private long next = 1L << 30;
  private int live;

  /** Memory and events that were made and not given back. */
  @Override
  public synchronized int live() {
    return live;
  }

  @Override
  public Event createEvent() {
    Event made = new PlainEvent();
    synchronized (this) {
      live++;
    }
    return made;
  }

  @Override
  public MemoryInfo getMemoryInfo() {
    return new MemoryInfo(1L << 40, 1L << 40);
  }

  @Override
  public DeviceMemory getMemory() {
    return memory;
  }

  private final DeviceMemory memory =
      new DeviceMemory() {
        @Override
        public long allocate(long bytes) {
          synchronized (PlainDevice.this) {
            long address = next;
            next += bytes;
            live++;
            return address;
          }
        }

        @Override
        public void free(long address) {
          synchronized (PlainDevice.this) {
            live--;
          }
        }
      };

  @Override
  public PinnedMemory getPinnedMemory() {
    return pinned;
  }

  private final PinnedMemory pinned =
      new PinnedMemory() {
        @Override
        public PinnedBuffer allocate(long bytes) {
          PinnedBuffer made = new PlainBuffer(bytes);
          synchronized (PlainDevice.this) {
            live++;
          }
          return made;
        }

        @Override
        public PinnedBuffer register(ByteBuffer memory) {
          throw new UnsupportedOperationException("no test asks for it");
        }
      };

  private final class PlainEvent implements Event {
    private boolean closed;

    @Override
    public Device getDevice() {
      return PlainDevice.this;
    }

    @Override
    public void record(Stream stream) {}

    @Override
    public boolean isComplete() {
      return true;
    }

    @Override
    public void synchronize() {}

    @Override
    public void close() {
      synchronized (PlainDevice.this) {
        live -= closed ? 0 : 1;
        closed = true;
      }
    }
  }

  private final class PlainBuffer implements PinnedBuffer {
    private final long bytes;
    private boolean closed;

    PlainBuffer(long bytes) {
      this.bytes = bytes;
    }

    @Override
    public long getAddress() {
      return 1L << 40;
    }

    @Override
    public long getSize() {
      return bytes;
    }

    @Override
    public ByteBuffer getBytes(long offset, int count) {
      return ByteBuffer.allocate(count);
    }

    @Override
    public void close() {
      synchronized (PlainDevice.this) {
        live -= closed ? 0 : 1;
        closed = true;
      }
    }
  }
}
