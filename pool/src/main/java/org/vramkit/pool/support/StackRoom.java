package org.vramkit.pool.support;

/**
 * Makes sure that a thread has room on its stack before it changes anything: a StackOverflowError
 * in the middle of a change would leave a lock held or a block in nobody's hands. One that comes
 * here comes before.
 *
 * <p>Room is asked for by local variables that nobody uses. The interpreter makes room for all of
 * them when it enters the method. A compiler drops them, but must be able to go back to the
 * interpreter where the branch is taken that never was; so HotSpot checks at the entry of whatever
 * the method was compiled into that the interpreter's frame would fit. Elsewhere this costs nothing
 * and promises nothing.
 */
@SuppressWarnings("unused")
public final class StackRoom {
  /** Always false, which no compiler knows. */
  private static boolean taken;

  private StackRoom() {}

  /** Room for a hit or its close: some two dozen frames of the interpreter, 2 KiB. */
  public static void forHit() {
    long a0a, a0b, a0c, a0d, a0e, a0f, a0g, a0h, a0i, a0j, a0k, a0l, a0m, a0n, a0o, a0p, a0q, a0r;
    long a1a, a1b, a1c, a1d, a1e, a1f, a1g, a1h, a1i, a1j, a1k, a1l, a1m, a1n, a1o, a1p, a1q, a1r;
    long a2a, a2b, a2c, a2d, a2e, a2f, a2g, a2h, a2i, a2j, a2k, a2l, a2m, a2n, a2o, a2p, a2q, a2r;
    long a3a, a3b, a3c, a3d, a3e, a3f, a3g, a3h, a3i, a3j, a3k, a3l, a3m, a3n, a3o, a3p, a3q, a3r;
    long a4a, a4b, a4c, a4d, a4e, a4f, a4g, a4h, a4i, a4j, a4k, a4l, a4m, a4n, a4o, a4p, a4q, a4r;
    long a5a, a5b, a5c, a5d, a5e, a5f, a5g, a5h, a5i, a5j, a5k, a5l, a5m, a5n, a5o, a5p, a5q, a5r;
    long a6a, a6b, a6c, a6d, a6e, a6f, a6g, a6h, a6i, a6j, a6k, a6l, a6m, a6n, a6o, a6p, a6q, a6r;
    long a7a, a7b;
    if (taken) {
      throw new IllegalStateException("never");
    }
  }

  /** Room for a search behind the first tier, or for a driver call: 8 KiB. */
  public static void forMiss() {
    long a0a, a0b, a0c, a0d, a0e, a0f, a0g, a0h, a0i, a0j, a0k, a0l, a0m, a0n, a0o, a0p, a0q, a0r;
    long a1a, a1b, a1c, a1d, a1e, a1f, a1g, a1h, a1i, a1j, a1k, a1l, a1m, a1n, a1o, a1p, a1q, a1r;
    long a2a, a2b, a2c, a2d, a2e, a2f, a2g, a2h, a2i, a2j, a2k, a2l, a2m, a2n, a2o, a2p, a2q, a2r;
    long a3a, a3b, a3c, a3d, a3e, a3f, a3g, a3h, a3i, a3j, a3k, a3l, a3m, a3n, a3o, a3p, a3q, a3r;
    long a4a, a4b, a4c, a4d, a4e, a4f, a4g, a4h, a4i, a4j, a4k, a4l, a4m, a4n, a4o, a4p, a4q, a4r;
    long a5a, a5b, a5c, a5d, a5e, a5f, a5g, a5h, a5i, a5j, a5k, a5l, a5m, a5n, a5o, a5p, a5q, a5r;
    long a6a, a6b, a6c, a6d, a6e, a6f, a6g, a6h, a6i, a6j, a6k, a6l, a6m, a6n, a6o, a6p, a6q, a6r;
    long a7a, a7b, a7c, a7d, a7e, a7f, a7g, a7h, a7i, a7j, a7k, a7l, a7m, a7n, a7o, a7p, a7q, a7r;
    long a8a, a8b, a8c, a8d, a8e, a8f, a8g, a8h, a8i, a8j, a8k, a8l, a8m, a8n, a8o, a8p, a8q, a8r;
    long a9a, a9b, a9c, a9d, a9e, a9f, a9g, a9h, a9i, a9j, a9k, a9l, a9m, a9n, a9o, a9p, a9q, a9r;
    long b0a, b0b, b0c, b0d, b0e, b0f, b0g, b0h, b0i, b0j, b0k, b0l, b0m, b0n, b0o, b0p, b0q, b0r;
    long b1a, b1b, b1c, b1d, b1e, b1f, b1g, b1h, b1i, b1j, b1k, b1l, b1m, b1n, b1o, b1p, b1q, b1r;
    long b2a, b2b, b2c, b2d, b2e, b2f, b2g, b2h, b2i, b2j, b2k, b2l, b2m, b2n, b2o, b2p, b2q, b2r;
    long b3a, b3b, b3c, b3d, b3e, b3f, b3g, b3h, b3i, b3j, b3k, b3l, b3m, b3n, b3o, b3p, b3q, b3r;
    long b4a, b4b, b4c, b4d, b4e, b4f, b4g, b4h, b4i, b4j, b4k, b4l, b4m, b4n, b4o, b4p, b4q, b4r;
    long b5a, b5b, b5c, b5d, b5e, b5f, b5g, b5h, b5i, b5j, b5k, b5l, b5m, b5n, b5o, b5p, b5q, b5r;
    long b6a, b6b, b6c, b6d, b6e, b6f, b6g, b6h, b6i, b6j, b6k, b6l, b6m, b6n, b6o, b6p, b6q, b6r;
    long b7a, b7b, b7c, b7d, b7e, b7f, b7g, b7h, b7i, b7j, b7k, b7l, b7m, b7n, b7o, b7p, b7q, b7r;
    long b8a, b8b, b8c, b8d, b8e, b8f, b8g, b8h, b8i, b8j, b8k, b8l, b8m, b8n, b8o, b8p, b8q, b8r;
    long b9a, b9b, b9c, b9d, b9e, b9f, b9g, b9h, b9i, b9j, b9k, b9l, b9m, b9n, b9o, b9p, b9q, b9r;
    long c0a, c0b, c0c, c0d, c0e, c0f, c0g, c0h, c0i, c0j, c0k, c0l, c0m, c0n, c0o, c0p, c0q, c0r;
    long c1a, c1b, c1c, c1d, c1e, c1f, c1g, c1h, c1i, c1j, c1k, c1l, c1m, c1n, c1o, c1p, c1q, c1r;
    long c2a, c2b, c2c, c2d, c2e, c2f, c2g, c2h, c2i, c2j, c2k, c2l, c2m, c2n, c2o, c2p, c2q, c2r;
    long c3a, c3b, c3c, c3d, c3e, c3f, c3g, c3h, c3i, c3j, c3k, c3l, c3m, c3n, c3o, c3p, c3q, c3r;
    long c4a, c4b, c4c, c4d, c4e, c4f, c4g, c4h, c4i, c4j, c4k, c4l, c4m, c4n, c4o, c4p, c4q, c4r;
    long c5a, c5b, c5c, c5d, c5e, c5f, c5g, c5h, c5i, c5j, c5k, c5l, c5m, c5n, c5o, c5p, c5q, c5r;
    long c6a, c6b, c6c, c6d, c6e, c6f, c6g, c6h, c6i, c6j, c6k, c6l, c6m, c6n, c6o, c6p, c6q, c6r;
    long c7a, c7b, c7c, c7d, c7e, c7f, c7g, c7h, c7i, c7j, c7k, c7l, c7m, c7n, c7o, c7p, c7q, c7r;
    long c8a, c8b, c8c, c8d, c8e, c8f, c8g, c8h;
    if (taken) {
      throw new IllegalStateException("never");
    }
  }
}
