package org.vramkit.pool.support;

import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.DeviceMemory;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.HostEdge;
import org.vramkit.api.device.MemoryObserver;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.DriverStatus;

/**
 * A mocked device for tests that expect or forbid single calls of the driver: streams are busy
 * until told otherwise, and events with them.
 */
public final class DriverStub {
  /** The device. */
  public final Device device = mock(Device.class);

  /** Its plain memory: addresses count up by 1 MiB; out of memory above the capacity. */
  public final DeviceMemory memory = mock(DeviceMemory.class);

  /** Who hears of allocations. */
  public final MemoryObserver observer = mock(MemoryObserver.class);

  /** What its plain memory has in all, in bytes. */
  public long capacity = Long.MAX_VALUE;

  private final Map<Long, Long> live = new HashMap<>();
  private final Set<Stream> idle = Collections.newSetFromMap(new IdentityHashMap<>());
  private long nextAddress = 1L << 20;
  private long nextHandle = 1;

  /** A device with memory, streams and events. */
  public DriverStub() {
    when(device.getMemory()).thenReturn(memory);
    when(observer.inPool(any())).thenCallRealMethod();
    when(device.getMemoryObserver()).thenReturn(observer);
    when(device.createHostEdge()).thenReturn(HostEdge.NONE);
    when(device.createEvent()).thenAnswer(call -> newEvent());
    when(memory.allocate(anyLong())).thenAnswer(call -> allocate(call.getArgument(0)));
    doAnswer(call -> live.remove(call.<Long>getArgument(0))).when(memory).free(anyLong());
  }

  /** A stream that is busy. */
  public Stream newStream() {
    Stream stream = mock(Stream.class);
    when(stream.getDevice()).thenReturn(device);
    when(stream.getHandle()).thenReturn(nextHandle++);
    when(stream.isIdle()).thenAnswer(call -> idle.contains(stream));
    doAnswer(call -> idle.add(stream)).when(stream).synchronize();
    return stream;
  }

  /** All work of the stream is done, and no more comes. */
  public void finish(Stream stream) {
    idle.add(stream);
  }

  /** Bytes that were taken and not given back. */
  public long liveBytes() {
    return live.values().stream().mapToLong(Long::longValue).sum();
  }

  private Event newEvent() {
    Event event = mock(Event.class);
    Stream[] recorded = new Stream[1];
    doAnswer(call -> recorded[0] = call.getArgument(0)).when(event).record(any(Stream.class));
    when(event.isComplete()).thenAnswer(call -> idle.contains(recorded[0]));
    doAnswer(call -> idle.add(recorded[0])).when(event).synchronize();
    return event;
  }

  private long allocate(long bytes) {
    if (bytes > capacity - liveBytes()) {
      throw new DeviceOutOfMemoryException(
          bytes, new DriverStatus(DriverStatus.OUT_OF_MEMORY, "OUT_OF_MEMORY", "cuMemAlloc"));
    }
    long address = nextAddress;
    nextAddress += 1L << 20;
    live.put(address, bytes);
    return address;
  }
}
