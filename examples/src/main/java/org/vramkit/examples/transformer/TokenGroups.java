package org.vramkit.examples.transformer;

import java.nio.IntBuffer;
import java.util.Arrays;

/**
 * The positions of each token among others, so that the gradients of a token's embedding are added
 * in a fixed order.
 */
final class TokenGroups {
  /** The number of different tokens. */
  final int count;

  private final int[] tokens;
  private final int[] first;
  private final int[] positions;

  TokenGroups(int[] all, int vocabulary) {
    int[] counts = new int[vocabulary];
    for (int each : all) {
      counts[each]++;
    }
    count = (int) Arrays.stream(counts).filter(each -> each > 0).count();
    tokens = new int[count];
    first = new int[count + 1];
    int[] next = new int[vocabulary];
    int found = 0;
    for (int token = 0; token < vocabulary; token++) {
      if (counts[token] > 0) {
        tokens[found] = token;
        next[token] = first[found];
        first[found + 1] = first[found] + counts[token];
        found++;
      }
    }
    positions = new int[all.length];
    for (int i = 0; i < all.length; i++) {
      positions[next[all[i]]++] = i;
    }
  }

  /** Writes the tokens, the first position of each, their end, and all positions. */
  void write(IntBuffer target) {
    target.put(tokens).put(first).put(positions);
  }

  /** Returns the place of the first positions in what was written. */
  int firstAt() {
    return count;
  }

  /** Returns the place of the positions in what was written. */
  int positionsAt() {
    return 2 * count + 1;
  }

  /** Returns the number of integers that are written. */
  int size() {
    return positionsAt() + positions.length;
  }
}
