package org.vramkit.examples.transformer;

import org.vramkit.api.device.Dim3;
import org.vramkit.api.device.LaunchConfig;
import org.vramkit.api.device.Stream;

/** Multiplies matrices by a plain kernel, on every backend. */
final class KernelMatmul implements Matmul {
  /** Rows and columns of a tile; TILE in transformer.cu. */
  private static final int TILE = 16;

  private final Kernels kernels;

  KernelMatmul(Kernels kernels) {
    this.kernels = kernels;
  }

  @Override
  public void multiply(Stream stream, Product product, long c, long a, long b) {
    Dim3 grid = new Dim3(tiles(product.n()), tiles(product.m()), product.batch());
    kernels.launch(
        stream,
        "matmul",
        LaunchConfig.of(grid, Dim3.of(TILE, TILE)),
        c,
        a,
        b,
        product.m(),
        product.n(),
        product.k(),
        product.transposeA() ? 1 : 0,
        product.transposeB() ? 1 : 0);
  }

  private static int tiles(int count) {
    return (count + TILE - 1) / TILE;
  }

  @Override
  public void close() {
    // The kernels belong to the replica.
  }
}
