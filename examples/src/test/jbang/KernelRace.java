// JBang finds the files of a script beside the script, wherever the catalog comes from.
//SOURCES ../java/org/vramkit/examples/racy/ReverseTest.java
//FILES org/vramkit/examples/racy/reverse.ptx=../resources/org/vramkit/examples/racy/reverse.ptx

/** Adds the kernel to the test that launches it. */
final class KernelRace {
  private KernelRace() {}
}
