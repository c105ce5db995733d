package org.vramkit.cuda.driver;

/** Contexts, and what concerns all work of the current one. */
public interface ContextCalls {

  /** Makes a device's primary context, or counts one more user of it. */
  int cuDevicePrimaryCtxRetain(Handle[] context, int ordinal);

  /** Counts one user less, and destroys the context with the last. */
  int cuDevicePrimaryCtxRelease(int ordinal);

  /** The context that is current on this thread; address 0 for none. */
  int cuCtxGetCurrent(Handle[] context);

  /** Makes a context current on this thread; one of address 0 for none. */
  int cuCtxSetCurrent(Handle context);

  /** Waits for all work of the current context. */
  int cuCtxSynchronize();

  /** Lets the current context use memory of another one. */
  int cuCtxEnablePeerAccess(Handle peer);

  /** Takes that back. */
  int cuCtxDisablePeerAccess(Handle peer);
}
