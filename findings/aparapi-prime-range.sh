#!/usr/bin/env bash
# Aparapi 3.0.0: a range whose size is a prime runs in work-groups of one work-item.
#
# A reader passes the number of elements to Range.create(), and expects full groups and a remainder, or padding. The
# local size must divide the global one, so 1,000,003 elements get a million groups of one, of which a GPU fills one lane
# of each warp; 1,000,000 get groups of 250, not of a multiple of 32. Round the range up to a multiple of 256 and test the
# index in the kernel. No warning is printed. Runs without OpenCL.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
use_jdk
fetch com.aparapi:aparapi:3.0.0

cat >Probe.java <<'END'
import com.aparapi.Range;

class Probe {
  public static void main(String[] arguments) {
    for (int elements : new int[] {1 << 20, 1_000_000, 1_000_003}) {
      Range range = Range.create(elements);
      System.out.printf("%d elements: %d groups of %d%n", elements, range.getNumGroups(0), range.getLocalSize(0));
    }
  }
}
END

guess='1048576 elements: 4096 groups of 256
1000000 elements: 3907 groups of 256
1000003 elements: 3907 groups of 256'
known='1048576 elements: 4096 groups of 256
1000000 elements: 4000 groups of 250
1000003 elements: 1000003 groups of 1'
observe "aparapi 3.0.0, $(jdk_version)" "$java" -cp 'lib/*' Probe.java
