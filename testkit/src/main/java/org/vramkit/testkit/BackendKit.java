package org.vramkit.testkit;

/**
 * Tests that every backend must pass. Extend it with a class that opens the backend:
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
 * <p>{@code docs/backends.md} shows how to write one.
 *
 * <p>Tests of a capability that the first device lacks are skipped and say so. The tests allocate
 * up to the whole free memory of the first device, and need it to hold real bytes.
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
        CaptureContract {

  /** Constructor for subclasses. */
  protected BackendKit() {}
}
