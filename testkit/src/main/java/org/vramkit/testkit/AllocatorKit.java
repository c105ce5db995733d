package org.vramkit.testkit;

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
public abstract class AllocatorKit extends AllocatorFixture
    implements AllocationContract,
        AllocatorErrorContract,
        AllocatorStatisticsContract,
        AllocatorOrderContract,
        AllocatorLimitContract,
        AllocatorTrafficContract {

  /** The system property that holds the seed of the random tests, a {@code long}. */
  public static final String SEED_PROPERTY = "vramkit.testkit.seed";

  /** Creates the kit; called by subclasses. */
  protected AllocatorKit() {}

  /**
   * Returns whether the allocator under test delegates to another one, which stays open after a
   * close and provides the statistics. False unless overridden.
   */
  @Override
  public boolean isDecorator() {
    return false;
  }
}
