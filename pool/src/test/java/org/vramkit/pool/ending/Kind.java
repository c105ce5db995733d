package org.vramkit.pool.ending;

import java.io.StringWriter;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Device;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.decorator.LimitingAllocator;
import org.vramkit.pool.decorator.RetryingAllocator;
import org.vramkit.pool.decorator.StatisticsScope;
import org.vramkit.pool.decorator.TraceRecorder;
import org.vramkit.pool.decorator.TrackingAllocator;
import org.vramkit.pool.direct.DirectAllocator;
import org.vramkit.pool.driverpool.DriverPoolAllocator;
import org.vramkit.pool.streamordered.StreamOrderedPool;

/** Every allocator and pool but the caching allocator. */
enum Kind {
  DIRECT {
    @Override
    Subject create(Device device) {
      return new AllocatorSubject(DirectAllocator.builder(device).build());
    }
  },
  STREAM_ORDERED {
    @Override
    Subject create(Device device) {
      return new AllocatorSubject(streamOrdered(device));
    }
  },
  STREAM_ORDERED_WITH_THRESHOLD {
    @Override
    Subject create(Device device) {
      return new AllocatorSubject(
          StreamOrderedPool.builder(device).releaseThreshold(ByteSize.GIB).build());
    }
  },
  DRIVER_POOL {
    @Override
    Subject create(Device device) {
      return new AllocatorSubject(DriverPoolAllocator.builder(device).build());
    }
  },
  DECORATED {
    @Override
    Subject create(Device device) {
      Allocator beneath = streamOrdered(device);
      Allocator recording = TraceRecorder.over(beneath, new StringWriter());
      Allocator counting = StatisticsScope.over(recording);
      Allocator tracking = TrackingAllocator.over(counting);
      Allocator retrying = RetryingAllocator.over(tracking, attempt -> attempt.attempt() < 3);
      Allocator limiting = LimitingAllocator.over(retrying, 8 * ByteSize.GIB);
      return new AllocatorSubject(limiting, retrying, tracking, counting, recording, beneath);
    }
  },
  BUFFERS {
    @Override
    Subject create(Device device) {
      return new BufferSubject(streamOrdered(device));
    }
  },
  WORKSPACES {
    @Override
    Subject create(Device device) {
      return new WorkspaceSubject(streamOrdered(device));
    }
  },
  PINNED {
    @Override
    Subject create(Device device) {
      return new PinnedSubject(device);
    }
  };

  abstract Subject create(Device device);

  private static Allocator streamOrdered(Device device) {
    return StreamOrderedPool.builder(device).build();
  }
}
