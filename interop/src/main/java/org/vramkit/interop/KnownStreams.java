package org.vramkit.interop;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.cuda.CudaInterop;

/** Finds streams by the handles that native code passes. Safe for any thread. */
final class KnownStreams {
  /** {@code cudaStreamLegacy}; 0 is another handle of the same stream. */
  private static final long LEGACY = 1;

  /** Maximum number of cached wrappers; others are wrapped again when needed. */
  static final int MAX_WRAPPED = 1024;

  private final Device device;
  private final Stream defaultStream;

  /** The registered open streams by handle. */
  private final Map<Long, Stream> registered = new ConcurrentHashMap<>();

  /** Wrappers of the library's own streams by handle; the library does not report their end. */
  private final Map<Long, Stream> wrapped = new ConcurrentHashMap<>();

  KnownStreams(Device device) {
    this.device = device;
    this.defaultStream = device.getDefaultStream();
  }

  void add(Stream stream) {
    if (stream.isClosed()) {
      throw new ClosedException(
          stream, "its handle is no longer valid", "add it before closing it, or add an open one");
    }
    registered.values().removeIf(Stream::isClosed);
    registered.put(stream.getHandle(), stream);
  }

  /**
   * Returns the stream of a handle. A stream that the library created is wrapped on first use and
   * stays owned by the library.
   */
  Stream find(long handle) {
    if (handle == 0 || handle == LEGACY) {
      return defaultStream;
    }
    Stream known = registered.get(handle);
    if (known != null && !known.isClosed()) {
      return known;
    }
    if (known != null) {
      // The driver may have reused the handle for a new stream.
      registered.remove(handle, known);
    }
    Stream own = wrapped.get(handle);
    return own != null ? own : remember(handle);
  }

  private Stream remember(long handle) {
    Stream made = wrap(handle);
    if (wrapped.size() >= MAX_WRAPPED) {
      wrapped.clear();
    }
    Stream other = wrapped.putIfAbsent(handle, made);
    return other != null ? other : made;
  }

  /** Returns the number of registered and wrapped streams. */
  int getCount() {
    return registered.size() + wrapped.size();
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
              + " is known; add it by NativeAllocator.addStream: "
              + e.getMessage());
    }
  }
}
