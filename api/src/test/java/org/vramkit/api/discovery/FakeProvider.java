package org.vramkit.api.discovery;

import java.util.List;
import java.util.function.Supplier;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Device;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.spi.Availability;
import org.vramkit.api.spi.BackendProvider;

/** A provider whose every answer a test chooses; it is available and opens until told otherwise. */
class FakeProvider implements BackendProvider {
  private final String name;
  private final int priority;
  private Supplier<Availability> probe = () -> Availability.yes("made for tests");
  private Supplier<Backend> open;

  FakeProvider(String name, int priority) {
    this.name = name;
    this.priority = priority;
    this.open = () -> new FakeBackend(name);
  }

  FakeProvider probing(Supplier<Availability> answer) {
    probe = answer;
    return this;
  }

  FakeProvider opening(Supplier<Backend> answer) {
    open = answer;
    return this;
  }

  FakeProvider unavailable(String reason) {
    return probing(() -> Availability.no(reason));
  }

  @Override
  public String getName() {
    return name;
  }

  @Override
  public int getPriority() {
    return priority;
  }

  @Override
  public Availability probe() {
    return probe.get();
  }

  @Override
  public Backend open() {
    return open.get();
  }

  /** A backend without devices. */
  record FakeBackend(String getName) implements Backend {
    @Override
    public List<Device> getDevices() {
      return List.of();
    }

    @Override
    public Device getDevice(int ordinal) {
      throw new InvalidArgumentException("no device " + ordinal + ": there are 0");
    }

    @Override
    public void close() {}
  }
}
