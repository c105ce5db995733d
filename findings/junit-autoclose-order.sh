#!/usr/bin/env bash
# JUnit 5.14.4: @AutoClose closes the fields of a class in an order that does not follow their declaration.
#
# A reader expects what try-with-resources does: the reverse order of declaration. Fields close by the hash of their
# names, so renaming a field changes the order: here the backend closes before its allocator, and the GPU first of all. The
# allocator then fails to return its memory, or leaks. Close such fields in one @AfterEach method. The Javadoc of @AutoClose
# calls the order deterministic but intentionally nonobvious.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
use_jdk
fetch org.junit.platform:junit-platform-console-standalone:1.14.4

cat >ResourcesTest.java <<'END'
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

class ResourcesTest {
  record Resource(String name) implements AutoCloseable {
    @Override
    public void close() {
      System.out.println("closed " + name);
    }
  }

  @AutoClose final Resource backend = new Resource("backend");
  @AutoClose final Resource allocator = new Resource("allocator");
  @AutoClose final Resource stream = new Resource("stream");

  @Test
  void uses() {}
}

class RenamedTest {
  @AutoClose final ResourcesTest.Resource gpu = new ResourcesTest.Resource("gpu");
  @AutoClose final ResourcesTest.Resource pool = new ResourcesTest.Resource("pool");
  @AutoClose final ResourcesTest.Resource queue = new ResourcesTest.Resource("queue");

  @Test
  void uses() {}
}
END
"$javac" -cp 'lib/*' -d classes ResourcesTest.java

probe() {
  local each
  for each in ResourcesTest RenamedTest; do
    "$java" -jar lib/junit-platform-console-standalone-1.14.4.jar execute -cp classes -c "$each" \
      --details none --disable-banner >run.log
    grep '^closed' run.log | sed "s/^closed //" | paste -sd' '
  done
}

guess='stream allocator backend
queue pool gpu'
known='stream backend allocator
gpu pool queue'
observe "JUnit 5.14.4, $(jdk_version)" probe
