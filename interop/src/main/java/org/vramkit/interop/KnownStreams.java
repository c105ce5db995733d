package org.vramkit.interop;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.cuda.CudaInterop;

/** The streams that native code names by their handles. Safe for any thread. */
final class KnownStreams {
  /** {@code cudaStreamLegacy}; 0 is another name of it. */
  private static final long LEGACY = 1;

  private final Device device;
  private final Map<Long, Stream> known = new ConcurrentHashMap<>();

  KnownStreams(Device device) {
    this.device = device;
  }

  void add(Stream stream) {
    known.put(stream.getHandle(), stream);
  }

  /** A stream of the library's own is wrapped when it first comes, and stays the library's. */
  Stream find(long handle) {
    if (handle == 0 || handle == LEGACY) {
      return device.getDefaultStream();
    }
    Stream found = known.get(handle);
    return found != null ? found : known.computeIfAbsent(handle, this::wrap);
  }

  private Stream wrap(long handle) {
    try {
      return CudaInterop.wrap(device, () -> handle);
    } catch (InvalidArgumentException e) {
      throw new InvalidArgumentException(
          "no stream 0x"
              + Long.toHexString(handle)
              + " of "
              + device
              + " is known; tell of it by NativeAllocator.addStream: "
              + e.getMessage());
    }
  }
}
