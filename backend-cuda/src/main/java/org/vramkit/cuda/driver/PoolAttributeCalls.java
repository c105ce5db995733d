package org.vramkit.cuda.driver;

/**
 * Calls for attributes of driver pools, by {@code CUmemPool_attribute} number. They need a driver
 * of CUDA 11.3 or newer.
 */
public interface PoolAttributeCalls {

  /** The first driver version that has all attributes; pools of CUDA 11.2 have no statistics. */
  int SINCE = 11030;

  /** {@code CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES}. */
  int REUSE_FOLLOW_EVENT_DEPENDENCIES = 1;

  /** {@code CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC}. */
  int REUSE_ALLOW_OPPORTUNISTIC = 2;

  /** {@code CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES}. */
  int REUSE_ALLOW_INTERNAL_DEPENDENCIES = 3;

  /** {@code CU_MEMPOOL_ATTR_RELEASE_THRESHOLD}. */
  int RELEASE_THRESHOLD = 4;

  /** {@code CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT}. */
  int RESERVED_MEM_CURRENT = 5;

  /** {@code CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH}. */
  int RESERVED_MEM_HIGH = 6;

  /** {@code CU_MEMPOOL_ATTR_USED_MEM_CURRENT}. */
  int USED_MEM_CURRENT = 7;

  /** {@code CU_MEMPOOL_ATTR_USED_MEM_HIGH}. */
  int USED_MEM_HIGH = 8;

  /** The calls of a binding that lacks them. */
  PoolAttributeCalls ABSENT =
      new PoolAttributeCalls() {
        @Override
        public int cuMemPoolSetAttribute(Handle pool, int attribute, long value) {
          return CudaDriver.UNSUPPORTED;
        }

        @Override
        public int cuMemPoolGetAttribute(Handle pool, int attribute, long[] value) {
          return CudaDriver.UNSUPPORTED;
        }
      };

  /** Sets an attribute; values of reuse policies are 0 or 1. */
  int cuMemPoolSetAttribute(Handle pool, int attribute, long value);

  /** Gets an attribute. */
  int cuMemPoolGetAttribute(Handle pool, int attribute, long[] value);
}
