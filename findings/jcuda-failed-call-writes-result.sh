#!/usr/bin/env bash
# JCuda 12.6.0: a call that fails overwrites its result with zero.
#
# A reader expects what CUDA does: a call that returns an error leaves the result as it was. The binding passes a copy,
# zero at first, and writes it back whatever the status. As the status of a call is the only sign of an error until
# setExceptionsEnabled(true), a benchmark whose events were not complete, or whose GPU is missing, reports 0 ms.
# Runs without a GPU: JCuda's natives contain the CUDA runtime, whose calls then return 35 (insufficient driver).
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
use_jdk
fetch org.jcuda:jcuda:12.6.0 org.jcuda:jcuda-natives:12.6.0:linux-x86_64

cat >Probe.java <<'END'
import jcuda.runtime.JCuda;
import jcuda.runtime.cudaEvent_t;

class Probe {
  public static void main(String[] arguments) {
    float[] milliseconds = {-1};
    int status = JCuda.cudaEventElapsedTime(milliseconds, new cudaEvent_t(), new cudaEvent_t());
    System.out.println("failed: " + (status != 0) + ", milliseconds: " + milliseconds[0]);
  }
}
END

guess='failed: true, milliseconds: -1.0'
known='failed: true, milliseconds: 0.0'
observe "jcuda 12.6.0, $(jdk_version)" "$java" -Djava.io.tmpdir="$work" -cp 'lib/*' Probe.java
