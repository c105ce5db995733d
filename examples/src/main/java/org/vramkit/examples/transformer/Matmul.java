package org.vramkit.examples.transformer;

import org.vramkit.api.device.Stream;

/**
 * Multiplies matrices in row-major order. As for any library, memory is passed by address: the
 * caller records uses of memory that belongs to other streams.
 */
interface Matmul extends AutoCloseable {
  /**
   * A product c = op(a) op(b), where op transposes or not.
   *
   * @param m rows of c
   * @param n columns of c
   * @param k columns of op(a), rows of op(b)
   * @param transposeA whether a is stored as k x m
   * @param transposeB whether b is stored as n x k
   * @param batch the number of products, whose matrices follow each other
   */
  record Product(int m, int n, int k, boolean transposeA, boolean transposeB, int batch) {
    /** Returns a product of single matrices. */
    static Product of(int m, int n, int k) {
      return new Product(m, n, k, false, false, 1);
    }

    /** Returns the product with a transposed. */
    Product aTransposed() {
      return new Product(m, n, k, true, transposeB, batch);
    }

    /** Returns the product with b transposed. */
    Product bTransposed() {
      return new Product(m, n, k, transposeA, true, batch);
    }

    /** Returns the product of several matrices. */
    Product times(int count) {
      return new Product(m, n, k, transposeA, transposeB, count);
    }
  }

  /** Submits a product of the matrices at three addresses. */
  void multiply(Stream stream, Product product, long c, long a, long b);

  @Override
  void close();
}
