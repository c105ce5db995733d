package org.vramkit.bench;

import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.vramkit.api.device.Stream;

/**
 * A thousand live blocks of many sizes per benchmark thread; each step replaces a random one. Use
 * JMH's {@code -t N} for N threads.
 */
@State(Scope.Thread)
public abstract class ChurningThread {
  private static final AtomicInteger SEEDS = new AtomicInteger();

  /** {@code own} for a stream per thread, {@code shared} for one stream of all threads. */
  @Param({"own", "shared"})
  public String streams;

  private Stream own;
  private Slots slots;

  /** Fills the slots. */
  @Setup(Level.Trial)
  public void open(Gpu gpu) {
    own = gpu.createStream();
    Stream stream = streams.equals("own") ? own : gpu.getSharedStream();
    slots = new Slots(new Churn(SEEDS.incrementAndGet()), gpu.getAllocator(), stream);
  }

  /** Empties the slots. */
  @TearDown(Level.Trial)
  public void close(Gpu gpu) {
    slots.close();
    gpu.closeStream(own);
  }

  final Slots slots() {
    return slots;
  }
}
