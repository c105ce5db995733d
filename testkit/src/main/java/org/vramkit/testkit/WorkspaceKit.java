package org.vramkit.testkit;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.Workspace;
import org.vramkit.api.device.Device;

/**
 * The tests that every workspace must pass, over any allocator and backend. Extend the class, open
 * a backend and create both:
 *
 * <pre>{@code
 * class MyWorkspaceKitTest extends WorkspaceKit {
 *   @Override
 *   protected Backend openBackend() {
 *     return Backends.open();
 *   }
 *
 *   @Override
 *   protected Allocator createAllocator(Device device) {
 *     return CachingAllocator.create(device);
 *   }
 *
 *   @Override
 *   protected Workspace createWorkspace(Allocator allocator) {
 *     return new MyWorkspace(allocator);
 *   }
 * }
 * }</pre>
 *
 * <p>Ids in test names refer to the project's requirements. Random tests read their seed from the
 * system property {@value AllocatorKit#SEED_PROPERTY} and print it on failure. The device must
 * store real bytes.
 */
public abstract class WorkspaceKit extends KitFixture
    implements WorkspaceLeaseContract, WorkspaceOrderContract {
  private @Nullable Allocator allocator;
  private @Nullable Workspace workspace;

  /** Creates the kit; called by subclasses. */
  protected WorkspaceKit() {}

  /**
   * Creates an allocator that passes {@link AllocatorKit}; called for every test.
   *
   * @param device the first device of the backend that was opened for the test
   * @return the allocator; the kit closes it and fails the test if allocations are live then
   */
  protected abstract Allocator createAllocator(Device device);

  /**
   * Creates the workspace under test with its default options; called for every test.
   *
   * @param slabs the allocator of its slabs
   * @return the workspace; the kit closes it before the allocator
   */
  protected abstract Workspace createWorkspace(Allocator slabs);

  @BeforeEach
  final void create() {
    Allocator made = createAllocator(getDevice());
    allocator = made;
    workspace = createWorkspace(made);
  }

  @Override
  final void release() {
    Workspace used = workspace;
    Allocator beneath = allocator;
    workspace = null;
    allocator = null;
    if (used != null) {
      used.close();
    }
    if (beneath != null) {
      getDevice().synchronize();
      beneath.close();
    }
  }

  @Override
  public final Workspace getWorkspace() {
    if (workspace == null) {
      throw new IllegalStateException("no test is running");
    }
    return workspace;
  }

  @Override
  public final Allocator getAllocator() {
    if (allocator == null) {
      throw new IllegalStateException("no test is running");
    }
    return allocator;
  }
}
