package org.vramkit.ptx.run;

/** How a call passes its arguments and takes its results. */
public interface CallSite {
  /** Copies arguments of these lanes from the caller's frame. */
  void enter(Warp warp, Frame caller, Frame callee, int mask);

  /** Copies results of these lanes to the caller's frame. */
  void leave(Warp warp, Frame callee, Frame caller, int mask);

  /** Returns the step behind the call. */
  int getReturn();
}
