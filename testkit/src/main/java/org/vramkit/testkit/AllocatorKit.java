package org.vramkit.testkit;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Device;

/**
 * The tests that every allocator must pass, on any backend. Extend the class, open a backend and
 * create the allocator:
 *
 * <pre>{@code
 * class MyAllocatorKitTest extends AllocatorKit {
 *   @Override
 *   protected Backend openBackend() {
 *     return Backends.open();
 *   }
 *
 *   @Override
 *   protected Allocator createAllocator(Device device) {
 *     return MyAllocator.builder(device).build();
 *   }
 * }
 * }</pre>
 *
 * <p>Ids in test names refer to the project's requirements. Random tests read their seed from the
 * system property {@value #SEED_PROPERTY} and print it on failure. The tests allocate up to the
 * whole free memory of the first device, which must store real bytes.
 */
public abstract class AllocatorKit extends KitFixture
    implements AllocationContract,
        AllocatorErrorContract,
        AllocatorStatisticsContract,
        AllocatorOrderContract,
        AllocatorLimitContract,
        AllocatorTrafficContract {

  /** The system property that holds the seed of the random tests, a {@code long}. */
  public static final String SEED_PROPERTY = "vramkit.testkit.seed";

  private @Nullable Allocator allocator;

  /** Creates the kit; called by subclasses. */
  protected AllocatorKit() {}

  /**
   * Creates the allocator under test with its default options; called for every test.
   *
   * @param device the first device of the backend that was opened for the test
   * @return the allocator; the kit closes it and fails the test if allocations are live then
   */
  protected abstract Allocator createAllocator(Device device);

  /**
   * Returns whether the allocator under test delegates to another one, which stays open after a
   * close and provides the statistics. False unless overridden.
   */
  @Override
  public boolean isDecorator() {
    return false;
  }

  @BeforeEach
  final void create() {
    allocator = createAllocator(getDevice());
  }

  @Override
  final void release() {
    Allocator used = allocator;
    allocator = null;
    if (used != null) {
      getDevice().synchronize();
      used.close();
    }
  }

  @Override
  public final Allocator getAllocator() {
    if (allocator == null) {
      throw new IllegalStateException("no test is running");
    }
    return allocator;
  }
}
