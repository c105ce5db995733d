package org.vramkit.interop;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.cuda.CudaInterop;

/** The streams that native code names by their handles. Safe for any thread. */
final class KnownStreams {
  /** {@code cudaStreamLegacy}; 0 is another name of it. */
  private static final long LEGACY = 1;

  /** The most streams of the library's own that are kept; dropped ones are wrapped anew. */
  static final int MOST_WRAPPED = 1024;

  private final Device device;
  private final Stream defaultStream;

  /** Streams that were told of and are open, by their handles. */
  private final Map<Long, Stream> told = new ConcurrentHashMap<>();

  /** Those that the library made itself, whose ends are not reported. */
  private final Map<Long, Stream> wrapped = new ConcurrentHashMap<>();

  KnownStreams(Device device) {
    this.device = device;
    this.defaultStream = device.getDefaultStream();
  }

  void add(Stream stream) {
    if (stream.isClosed()) {
      throw new ClosedException(
          stream,
          "it cannot be named by its handle any more",
          "tell of it before its close, or of an open one");
    }
    told.values().removeIf(Stream::isClosed);
    told.put(stream.getHandle(), stream);
  }

  /** A stream of the library's own is wrapped when it first comes, and stays the library's. */
  Stream find(long handle) {
    if (handle == 0 || handle == LEGACY) {
      return defaultStream;
    }
    Stream known = told.get(handle);
    if (known != null && !known.isClosed()) {
      return known;
    }
    if (known != null) {
      // The driver may have given its handle to a new one.
      told.remove(handle, known);
    }
    Stream own = wrapped.get(handle);
    return own != null ? own : remember(handle);
  }

  private Stream remember(long handle) {
    Stream made = wrap(handle);
    if (wrapped.size() >= MOST_WRAPPED) {
      wrapped.clear();
    }
    Stream other = wrapped.putIfAbsent(handle, made);
    return other != null ? other : made;
  }

  /** How many are kept. */
  int getCount() {
    return told.size() + wrapped.size();
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
