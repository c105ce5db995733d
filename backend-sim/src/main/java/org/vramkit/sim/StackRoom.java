package org.vramkit.sim;

/**
 * Makes sure that a thread has room on its stack for a whole call of the driver: a
 * StackOverflowError in the middle would keep what was given from the one who asked for it.
 *
 * <p>Room is asked for by local variables that nobody uses. The interpreter makes room for all of
 * them when it enters the method; compiled code must be able to go back to the interpreter where
 * the branch is taken that never was, and so checks for that room as well.
 */
@SuppressWarnings("unused")
final class StackRoom {
  /** Always false, which no compiler knows. */
  private static boolean taken;

  private StackRoom() {}

  /** Room for a call, with the walk over the stack that a report needs: 16 KiB. */
  static void forCall() {
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
    long c8a, c8b, c8c, c8d, c8e, c8f, c8g, c8h, c8i, c8j, c8k, c8l, c8m, c8n, c8o, c8p, c8q, c8r;
    long c9a, c9b, c9c, c9d, c9e, c9f, c9g, c9h, c9i, c9j, c9k, c9l, c9m, c9n, c9o, c9p, c9q, c9r;
    long d0a, d0b, d0c, d0d, d0e, d0f, d0g, d0h, d0i, d0j, d0k, d0l, d0m, d0n, d0o, d0p, d0q, d0r;
    long d1a, d1b, d1c, d1d, d1e, d1f, d1g, d1h, d1i, d1j, d1k, d1l, d1m, d1n, d1o, d1p, d1q, d1r;
    long d2a, d2b, d2c, d2d, d2e, d2f, d2g, d2h, d2i, d2j, d2k, d2l, d2m, d2n, d2o, d2p, d2q, d2r;
    long d3a, d3b, d3c, d3d, d3e, d3f, d3g, d3h, d3i, d3j, d3k, d3l, d3m, d3n, d3o, d3p, d3q, d3r;
    long d4a, d4b, d4c, d4d, d4e, d4f, d4g, d4h, d4i, d4j, d4k, d4l, d4m, d4n, d4o, d4p, d4q, d4r;
    long d5a, d5b, d5c, d5d, d5e, d5f, d5g, d5h, d5i, d5j, d5k, d5l, d5m, d5n, d5o, d5p, d5q, d5r;
    long d6a, d6b, d6c, d6d, d6e, d6f, d6g, d6h, d6i, d6j, d6k, d6l, d6m, d6n, d6o, d6p, d6q, d6r;
    long d7a, d7b, d7c, d7d, d7e, d7f, d7g, d7h, d7i, d7j, d7k, d7l, d7m, d7n, d7o, d7p, d7q, d7r;
    long d8a, d8b, d8c, d8d, d8e, d8f, d8g, d8h, d8i, d8j, d8k, d8l, d8m, d8n, d8o, d8p, d8q, d8r;
    long d9a, d9b, d9c, d9d, d9e, d9f, d9g, d9h, d9i, d9j, d9k, d9l, d9m, d9n, d9o, d9p, d9q, d9r;
    long e0a, e0b, e0c, e0d, e0e, e0f, e0g, e0h, e0i, e0j, e0k, e0l, e0m, e0n, e0o, e0p, e0q, e0r;
    long e1a, e1b, e1c, e1d, e1e, e1f, e1g, e1h, e1i, e1j, e1k, e1l, e1m, e1n, e1o, e1p, e1q, e1r;
    long e2a, e2b, e2c, e2d, e2e, e2f, e2g, e2h, e2i, e2j, e2k, e2l, e2m, e2n, e2o, e2p, e2q, e2r;
    long e3a, e3b, e3c, e3d, e3e, e3f, e3g, e3h, e3i, e3j, e3k, e3l, e3m, e3n, e3o, e3p, e3q, e3r;
    long e4a, e4b, e4c, e4d, e4e, e4f, e4g, e4h, e4i, e4j, e4k, e4l, e4m, e4n, e4o, e4p, e4q, e4r;
    long e5a, e5b, e5c, e5d, e5e, e5f, e5g, e5h, e5i, e5j, e5k, e5l, e5m, e5n, e5o, e5p, e5q, e5r;
    long e6a, e6b, e6c, e6d, e6e, e6f, e6g, e6h, e6i, e6j, e6k, e6l, e6m, e6n, e6o, e6p, e6q, e6r;
    long e7a, e7b, e7c, e7d, e7e, e7f, e7g, e7h, e7i, e7j, e7k, e7l, e7m, e7n, e7o, e7p, e7q, e7r;
    long e8a, e8b, e8c, e8d, e8e, e8f, e8g, e8h, e8i, e8j, e8k, e8l, e8m, e8n, e8o, e8p, e8q, e8r;
    long e9a, e9b, e9c, e9d, e9e, e9f, e9g, e9h, e9i, e9j, e9k, e9l, e9m, e9n, e9o, e9p, e9q, e9r;
    long f0a, f0b, f0c, f0d, f0e, f0f, f0g, f0h, f0i, f0j, f0k, f0l, f0m, f0n, f0o, f0p, f0q, f0r;
    long f1a, f1b, f1c, f1d, f1e, f1f, f1g, f1h, f1i, f1j, f1k, f1l, f1m, f1n, f1o, f1p, f1q, f1r;
    long f2a, f2b, f2c, f2d, f2e, f2f, f2g, f2h, f2i, f2j, f2k, f2l, f2m, f2n, f2o, f2p, f2q, f2r;
    long f3a, f3b, f3c, f3d, f3e, f3f, f3g, f3h, f3i, f3j, f3k, f3l, f3m, f3n, f3o, f3p, f3q, f3r;
    long f4a, f4b, f4c, f4d, f4e, f4f, f4g, f4h, f4i, f4j, f4k, f4l, f4m, f4n, f4o, f4p, f4q, f4r;
    long f5a, f5b, f5c, f5d, f5e, f5f, f5g, f5h, f5i, f5j, f5k, f5l, f5m, f5n, f5o, f5p, f5q, f5r;
    long f6a, f6b, f6c, f6d, f6e, f6f, f6g, f6h, f6i, f6j, f6k, f6l, f6m, f6n, f6o, f6p;
    if (taken) {
      throw new IllegalStateException("never");
    }
  }
}
