package org.vramkit.examples

import java.util.concurrent.atomic.AtomicLongArray
import org.vramkit.api.device.Backend
import org.vramkit.partition.device.DevicePool
import org.vramkit.partition.scatter.Scatter

/** Sums numbers on all devices. Each tile stores its sum at its index, so the order of addition is fixed. */
fun scatterSum(backend: Backend, units: Long): Long {
    val pool = DevicePool.of(backend)
    val parts = AtomicLongArray(pool.count)
    Scatter.over(pool).use { scatter ->
        scatter.run(units) { tile ->
            parts.set(tile.index, (tile.tile.from until tile.tile.to).sum())
        }
    }
    return (0 until parts.length()).sumOf { parts.get(it) }
}
