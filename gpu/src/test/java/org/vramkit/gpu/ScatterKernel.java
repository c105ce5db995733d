package org.vramkit.gpu;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.KernelModule;
import org.vramkit.api.device.LaunchConfig;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.Batch;

/** A kernel over floats for measurements of scatters, limited by memory or by arithmetic. */
final class ScatterKernel implements AutoCloseable {
  /** The resource that limits a launch. */
  enum Limit {
    MEMORY,
    COMPUTE
  }

  private static final int THREADS = 256;

  private static final String PTX =
      """
      .version 6.0
      .target sm_50
      .address_size 64

      .visible .entry work(
        .param .u64 x_param,
        .param .u32 n_param,
        .param .u32 rounds_param
      )
      {
        .reg .pred %past, %more;
        .reg .u32 %n, %rounds, %thread, %block, %width, %i;
        .reg .u64 %x, %offset;
        .reg .f32 %v;

        ld.param.u64 %x, [x_param];
        ld.param.u32 %n, [n_param];
        ld.param.u32 %rounds, [rounds_param];
        mov.u32 %thread, %tid.x;
        mov.u32 %block, %ctaid.x;
        mov.u32 %width, %ntid.x;
        mad.lo.u32 %i, %block, %width, %thread;
        setp.ge.u32 %past, %i, %n;
        @%past bra DONE;
        cvta.to.global.u64 %x, %x;
        mul.wide.u32 %offset, %i, 4;
        add.u64 %x, %x, %offset;
        ld.global.f32 %v, [%x];
      AGAIN:
        fma.rn.f32 %v, %v, 0f3F7FFFFE, 0f3F000000;
        sub.u32 %rounds, %rounds, 1;
        setp.gt.u32 %more, %rounds, 0;
        @%more bra AGAIN;
        st.global.f32 [%x], %v;
      DONE:
        ret;
      }
      """;

  private final int rounds;
  private final Map<Device, KernelModule> modules = new ConcurrentHashMap<>();

  /**
   * Creates the kernel; each device loads it for its first launch.
   *
   * @param rounds multiply-adds per float of a launch that arithmetic limits
   */
  ScatterKernel(int rounds) {
    this.rounds = rounds;
  }

  /**
   * Submits a launch.
   *
   * @param address address of the first float
   * @param count number of floats
   */
  void launch(Limit limit, Stream stream, long address, int count) {
    KernelModule module =
        modules.computeIfAbsent(stream.getDevice(), device -> device.loadModule(PTX));
    stream.launch(
        module.getKernel("work"),
        LaunchConfig.covering(count, THREADS),
        address,
        count,
        limit == Limit.MEMORY ? 1 : rounds);
  }

  @Override
  public void close() {
    Batch.forEach(modules.values(), KernelModule::close);
  }
}
