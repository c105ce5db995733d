package org.vramkit.testkit;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Device;

/** Creates an allocator before each test and closes it afterwards. */
abstract class AllocatorFixture extends KitFixture {
  private @Nullable Allocator allocator;

  /**
   * Creates the allocator of a test with its default options; called for every test. For a {@link
   * WorkspaceKit}, return an allocator that itself passes {@link AllocatorKit}.
   *
   * @param device the first device of the backend that was opened for the test
   * @return the allocator; the kit closes it and fails the test if allocations are live then
   */
  protected abstract Allocator createAllocator(Device device);

  @BeforeEach
  final void create() {
    allocator = createAllocator(getDevice());
    created(allocator);
  }

  /** Called with the new allocator, so that a kit can create objects that use it. */
  void created(Allocator made) {}

  @Override
  void release() {
    Allocator used = allocator;
    allocator = null;
    if (used != null) {
      getDevice().synchronize();
      used.close();
    }
  }

  /** Returns the allocator of the running test, on the first device. */
  public final Allocator getAllocator() {
    return running(allocator);
  }
}
