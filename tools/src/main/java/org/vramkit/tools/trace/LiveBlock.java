package org.vramkit.tools.trace;

/** A block of a device that was live when a snapshot was taken. */
record LiveBlock(long device, long address, long size, long stream, Origin origin) {}
