package org.vramkit.examples

import com.google.inject.Guice
import org.vramkit.api.allocator.ElementType
import org.vramkit.api.allocator.Workspace
import org.vramkit.guice.GpuModule
import org.vramkit.guice.GpuResources
import org.vramkit.pool.buffer.BufferPool

/** Receives the workspace and the buffer pool of device 0 by injection. */
class Model @jakarta.inject.Inject constructor(
    private val workspace: Workspace,
    private val buffers: BufferPool,
    private val resources: GpuResources,
) {
    fun step(): String {
        val stream = resources.getDevice(0).defaultStream
        buffers.acquireZeroed(ElementType.FLOAT32, 1000, stream).use { weights ->
            workspace.acquire(weights.size, stream).use { scratch ->
                return "${weights.count} weights, ${scratch.size} bytes of scratch"
            }
        }
    }
}

fun wireByGuice(module: GpuModule): String {
    val injector = Guice.createInjector(module)
    injector.getInstance(GpuResources::class.java).use {
        return injector.getInstance(Model::class.java).step()
    }
}
