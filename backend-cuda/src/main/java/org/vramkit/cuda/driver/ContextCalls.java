package org.vramkit.cuda.driver;

/** Calls about contexts. */
public interface ContextCalls {

  /** Retains a device's primary context, creating it if needed. */
  int cuDevicePrimaryCtxRetain(Handle[] context, int ordinal);

  /** Releases a primary context, which is destroyed with the last user. */
  int cuDevicePrimaryCtxRelease(int ordinal);

  /** Gets the context that is current on this thread; address 0 for none. */
  int cuCtxGetCurrent(Handle[] context);

  /** Makes a context current on this thread; address 0 for none. */
  int cuCtxSetCurrent(Handle context);

  /** Waits for all work of the current context. */
  int cuCtxSynchronize();

  /** Enables access of the current context to the memory of another one. */
  int cuCtxEnablePeerAccess(Handle peer);

  /** Disables access to the memory of another context. */
  int cuCtxDisablePeerAccess(Handle peer);
}
