package org.vramkit.testkit;

import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.Workspace;

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
public abstract class WorkspaceKit extends AllocatorFixture
    implements WorkspaceLeaseContract, WorkspaceOrderContract {
  private @Nullable Workspace workspace;

  /** Creates the kit; called by subclasses. */
  protected WorkspaceKit() {}

  /**
   * Creates the workspace under test with its default options; called for every test.
   *
   * @param slabs the allocator of its slabs
   * @return the workspace; the kit closes it before the allocator
   */
  protected abstract Workspace createWorkspace(Allocator slabs);

  @Override
  final void created(Allocator slabs) {
    workspace = createWorkspace(slabs);
  }

  @Override
  final void release() {
    Workspace used = workspace;
    workspace = null;
    if (used != null) {
      used.close();
    }
    super.release();
  }

  @Override
  public final Workspace getWorkspace() {
    return running(workspace);
  }
}
