package org.vramkit.sim.hazard;

import java.util.Locale;

/** The kinds of hazards. The names are stable: tools and tests may rely on them. */
public enum HazardCode {
  /** A read is not ordered after a write of the same bytes. */
  RACE_RAW("a read is not ordered after the write of its bytes"),
  /** A write is not ordered after a read of the same bytes. */
  RACE_WAR("a write is not ordered after a read of its bytes"),
  /** Two writes of the same bytes are not ordered. */
  RACE_WAW("two writes of the same bytes are not ordered"),
  /** The host and queued work access the same host memory, and one of them writes. */
  HOST_RACE("the host and queued work access the same host memory"),
  /** The host reads page-locked bytes before the copy that writes them is known to be done. */
  HOST_READ_RACE("the host reads host memory that queued work may still write"),
  /**
   * Only a plain free orders two accesses, although CUDA does not guarantee that a plain free
   * waits.
   */
  RELIES_ON_FREE_SYNC("two accesses are in order only if a plain free waits for the device"),
  /** Work reads bytes that were never written since their allocation. */
  UNINIT_READ("work reads bytes that were never written"),
  /**
   * Memory was allocated again, or its close allows this, although the work of its last owner is
   * not ordered before the work of a new owner.
   */
  EARLY_REUSE(
      "memory was allocated again, or may be, while work of its last owner may still use it"),
  /** Memory was allocated while it still had an owner. */
  OVERLAPPING_BLOCKS("memory was allocated that still has an owner"),
  /** Work was submitted that uses freed memory. */
  USE_AFTER_FREE("work uses memory after it was freed"),
  /** The source and the target of one copy share bytes. */
  OVERLAPPING_COPY("source and target of one copy overlap"),
  /** Work is not ordered after the allocation of its memory on another stream. */
  USE_BEFORE_ALLOC("work is not ordered after the allocation of its memory"),
  /** A free in stream order is not ordered after a use. */
  FREE_RACE("a free in stream order is not ordered after a use of the memory"),
  /** A free in stream order is not ordered after the allocation. */
  FREE_BEFORE_ALLOC("a free in stream order is not ordered after the allocation"),
  /** Memory was freed by the host while queued work may still use it. */
  FREE_IN_FLIGHT("memory was freed while queued work may still use it"),
  /** Memory was unmapped while queued work may still use it. */
  UNMAP_UNDER_WORK("memory was unmapped while queued work may still use it"),
  /** Memory was freed a second time. */
  DOUBLE_FREE("memory was freed twice"),
  /** Memory was freed a second time after it had a new owner. */
  STALE_HANDLE("memory was freed twice, and now has another owner"),
  /** The freed address is not the start of an allocation. */
  INVALID_FREE("the freed address is not the start of an allocation"),
  /** A use by another stream was recorded after the free. */
  RECORD_AFTER_FREE("a use was recorded after the memory was freed"),
  /** Work accesses bytes beyond the requested size. */
  OUT_OF_BOUNDS("work accesses bytes beyond the requested size"),
  /** Work accesses an address without an allocation. */
  ILLEGAL_ADDRESS("work accesses an address that belongs to no allocation"),
  /** Work accesses reserved addresses that are unmapped or inaccessible. */
  ACCESS_NOT_MAPPED("work accesses addresses without accessible memory"),
  /** Work accesses memory of a suspended pool. */
  SUSPENDED_ACCESS("work accesses memory of a suspended pool"),
  /** A call uses a handle or memory of a device on which it cannot work. */
  WRONG_DEVICE("a handle or memory of one device is used where it cannot be accessed"),
  /** Work accesses memory of another device without peer access, which could have been enabled. */
  PEER_NOT_ENABLED("work accesses memory of another device without peer access"),
  /** A host function, which runs in stream order, called the driver. */
  NOT_PERMITTED("code in stream order called the driver, which waits for this code"),
  /** The host waits for a stream that waits for the host. */
  DEADLOCK("the host waits for work that waits for the host"),
  /** A kernel was launched on a thread on which no device is current. */
  NO_CONTEXT("no device is current on the thread that launches a kernel"),
  /** A stream, event, buffer or pool was used after it was closed. The call was refused. */
  INVALID_HANDLE("a handle was used after it was closed"),
  /** An argument breaks the rules of virtual memory. The call was refused. */
  INVALID_VALUE("an argument breaks the rules of virtual memory"),
  /** Two threads of a launch access the same bytes, one of them writes, and nothing orders them. */
  KERNEL_RACE("two threads of a launch access the same bytes, and nothing orders them"),
  /** A thread accesses bytes outside of shared, local, constant or parameter memory. */
  KERNEL_OUT_OF_BOUNDS("a thread accesses bytes outside of a variable"),
  /** A thread accesses an address that is not a multiple of the size of the access. */
  KERNEL_MISALIGNED("a thread accesses an address that is not a multiple of the access's size"),
  /** A thread reads shared or local bytes that no thread has written. */
  KERNEL_UNINIT_READ("a thread reads shared or local bytes that were never written"),
  /** Not all threads of a block reach a barrier. */
  KERNEL_BARRIER("a barrier that some threads of the block do not reach"),
  /** The mask of a function of a warp names other lanes than those that execute it. */
  KERNEL_WARP_MASK("the mask of a warp's function does not name the lanes that execute it"),
  /** An assert of a kernel failed, or the kernel trapped. */
  KERNEL_TRAP("a thread of the kernel failed an assert, or trapped"),
  /** Threads of a launch wait for each other, or run without an end. */
  KERNEL_HANG("threads of the kernel wait for each other, or run without an end"),
  /** Only the lockstep of a warp orders two accesses, as in code from before Volta. */
  KERNEL_WARP_SYNCHRONOUS("only the lockstep of a warp orders two accesses of its threads"),
  /** A stream waits for an event that was never recorded. Such a wait orders nothing. */
  WAIT_ON_UNRECORDED_EVENT("a wait for an event that was never recorded orders nothing");

  private static final String PAGE = "docs/simulator.md";

  private final String meaning;

  HazardCode(String meaning) {
    this.meaning = meaning;
  }

  /** Returns the stable anchor of the code's section in the documentation. */
  public String getAnchor() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns the page of the documentation with its anchor, relative to the project. */
  public String getLink() {
    return PAGE + "#" + getAnchor();
  }

  /** Returns the meaning as one clause, which reports show. */
  public String getMeaning() {
    return meaning;
  }

  /**
   * Returns whether the fault lies within one launch of a kernel's code, which recorded programs do
   * not contain.
   */
  public boolean isWithinKernel() {
    return name().startsWith("KERNEL_");
  }

  /**
   * Returns whether the code is a warning. Warnings are listed apart from hazards. The call was
   * legal and is only probably wrong, or an exception has already refused it.
   */
  public boolean isWarning() {
    return switch (this) {
      case WAIT_ON_UNRECORDED_EVENT, INVALID_HANDLE, INVALID_VALUE, KERNEL_WARP_SYNCHRONOUS -> true;
      default -> false;
    };
  }
}
