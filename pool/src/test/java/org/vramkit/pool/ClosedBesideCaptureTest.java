package org.vramkit.pool;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Graph;
import org.vramkit.api.device.Graphs;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.pool.caching.ScriptedDevice;
import org.vramkit.pool.decorator.GuardedAllocator;
import org.vramkit.pool.direct.DirectAllocator;
import org.vramkit.pool.support.HandleStream;

@DisplayName("42.21 A stream that is closed beside a capture just as a pool waits for it")
class ClosedBesideCaptureTest {
  private final CapturingDevice device = new CapturingDevice();
  private final Allocator direct = DirectAllocator.builder(device).build();

  /** A device that some thread captures a stream of, or not; a wait for it would spoil that. */
  private static final class CapturingDevice extends ScriptedDevice implements Graphs {
    private boolean capturing;
    private int waits;

    @Override
    public Set<Capability> getCapabilities() {
      return Set.of(Capability.GRAPHS);
    }

    @Override
    public Graphs getGraphs() {
      return this;
    }

    @Override
    public Backend getBackend() {
      return new Backend() {
        @Override
        public String getName() {
          return "capturing";
        }

        @Override
        public List<Device> getDevices() {
          return List.of(CapturingDevice.this);
        }

        @Override
        public Device getDevice(int ordinal) {
          return CapturingDevice.this;
        }

        @Override
        public void close() {}
      };
    }

    @Override
    public void synchronize() {
      assertEquals(false, capturing, "waits for the device, which spoils the capture");
      waits++;
    }

    @Override
    public boolean isAnyCapturing() {
      return capturing;
    }

    @Override
    public boolean isCapturing(Stream stream) {
      return false;
    }

    @Override
    public boolean hasOpenGraphs() {
      return false;
    }

    @Override
    public void beginCapture(Stream stream) {
      capturing = true;
    }

    @Override
    public Graph endCapture(Stream stream) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Relaxation relax() {
      return () -> {};
    }

    @Override
    public void addCaptureListener(Runnable listener) {}

    @Override
    public void removeCaptureListener(Runnable listener) {}
  }

  /** A stream that another thread closes once it is waited for, while a third one captures. */
  private HandleStream closedInTheWait() {
    return new HandleStream(device, 8) {
      @Override
      public void synchronize() {
        if (!isClosed()) {
          device.capturing = true;
          close();
        }
        throw new ClosedException(this, "it does no work", "open another one");
      }
    };
  }

  @AfterEach
  void nothingLeft() {
    assertEquals(0, device.waits, "before the end of the capture");
    assertEquals(1, device.live(), "the block is kept");
    device.capturing = false;
    direct.trim(0);
    assertEquals(1, device.waits);
    assertEquals(0, device.live());
    direct.close();
  }

  @Test
  @DisplayName("42.21 keeps its block until the capture has ended, and its close succeeds")
  void ownStream() {
    direct.allocate(512, closedInTheWait()).close();
  }

  @Test
  @DisplayName("42.21 keeps the block that it was recorded to use")
  void user() {
    Allocation block = direct.allocate(512, new HandleStream(device, 7));
    block.recordUse(closedInTheWait());
    block.close();
  }

  @Test
  @DisplayName("42.21 leaves a guarded block unread")
  void guarded() {
    Allocator guarded = GuardedAllocator.over(direct, 256);
    Allocation block = guarded.allocate(512, new HandleStream(device, 7));
    block.recordUse(closedInTheWait());
    block.close();
    guarded.close();
  }
}
