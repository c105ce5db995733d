package org.vramkit.kotlin

/** Closes a resource and returns the first failure so far, with later ones suppressed. */
internal fun closing(first: Throwable?, resource: AutoCloseable): Throwable? {
    try {
        resource.close()
    } catch (e: Throwable) {
        if (first == null) {
            return e
        }
        // A lost device may throw the same failure again.
        if (first !== e) {
            first.addSuppressed(e)
        }
    }
    return first
}

/** Initializes a new resource, and closes it if that fails. */
internal inline fun <T : AutoCloseable> T.orClose(fill: (T) -> Unit): T {
    try {
        fill(this)
        return this
    } catch (e: Throwable) {
        closing(e, this)
        throw e
    }
}
