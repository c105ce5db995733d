package org.vramkit.testkit;

/**
 * The tests that every backend must pass. Extend the class and open the backend:
 *
 * <pre>{@code
 * class MyBackendKitTest extends BackendKit {
 *   @Override
 *   protected Backend openBackend() {
 *     return Backends.open("mine");
 *   }
 * }
 * }</pre>
 *
 * <p>{@code docs/backends.md} shows how to write a backend.
 *
 * <p>Tests of a capability that the first device lacks are skipped with a message. The tests
 * allocate up to the whole free memory of the first device, which must store real bytes.
 */
public abstract class BackendKit extends KitFixture
    implements DeviceContract,
        StreamContract,
        StreamOrderContract,
        EventContract,
        DeviceMemoryContract,
        StreamOrderedMemoryContract,
        DriverPoolContract,
        VirtualMemoryContract,
        PinnedMemoryContract,
        RegisteredMemoryContract,
        ManagedMemoryContract,
        PeerAccessContract,
        GraphContract,
        CaptureContract,
        KernelContract {

  /** Creates the kit; called by subclasses. */
  protected BackendKit() {}
}
