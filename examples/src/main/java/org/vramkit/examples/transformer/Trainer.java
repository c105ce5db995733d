package org.vramkit.examples.transformer;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Device;
import org.vramkit.api.error.Batch;
import org.vramkit.examples.transformer.Replica.Part;
import org.vramkit.partition.device.DevicePool;
import org.vramkit.partition.scatter.Scatter;
import org.vramkit.partition.scatter.TileContext;

/**
 * Trains a model on all devices of a backend. Each device has a replica of the model. A scatter
 * divides the sequences of a batch over the devices; then each replica adds the gradients of all
 * parts, in the same order, and updates its parameters. Not thread-safe.
 */
public final class Trainer implements AutoCloseable {
  private static final long SEED = 1;

  private final TrainingOptions options;
  private final Corpus corpus;
  private final List<Replica> replicas = new ArrayList<>();
  private final Scatter scatter;
  private int steps;

  private Trainer(Backend backend, TrainingOptions options, Setup setup) {
    this.options = options;
    this.corpus = new Corpus(options.size());
    float[] start = new Parameters(options.size()).start(SEED);
    try {
      for (Device each : backend.getDevices()) {
        replicas.add(new Replica(each, peersOf(each), options, setup, start));
      }
      scatter = Scatter.over(DevicePool.of(backend));
    } catch (RuntimeException | Error e) {
      Batch.after(e, this::closeReplicas);
      throw e;
    }
  }

  /**
   * Opens a trainer with new parameters.
   *
   * @param backend a backend whose devices, if there are several, can access each other's memory
   */
  public static Trainer open(Backend backend, TrainingOptions options) {
    return open(backend, options, Setup.ofProgram());
  }

  static Trainer open(Backend backend, TrainingOptions options, Setup setup) {
    return new Trainer(backend, options, setup);
  }

  private static Device[] peersOf(Device device) {
    List<? extends Device> all = device.getBackend().getDevices();
    Device[] peers = all.stream().filter(each -> !each.equals(device)).toArray(Device[]::new);
    for (Device each : peers) {
      if (!device.getPeerAccess().canAccess(each)) {
        throw new IllegalStateException(
            device + " cannot access the memory of " + each + "; train on one of them");
      }
      device.getPeerAccess().enable(each);
    }
    return peers;
  }

  /** Trains with the next batch and returns the loss before the update. */
  public float step() {
    return step(corpus.next(options.sequences()));
  }

  /** Trains with a batch and returns the loss before the update. */
  float step(Corpus.Batch batch) {
    List<Part> parts = backpropagate(batch);
    try {
      steps++;
      replicas.forEach(each -> each.update(parts, steps));
      return lossOf(parts);
    } finally {
      Batch.forEach(parts, Part::close);
    }
  }

  /** Returns the gradients of all parts, complete, in the order of their sequences. */
  List<Part> backpropagate(Corpus.Batch batch) {
    List<Part> parts = Collections.synchronizedList(new ArrayList<>());
    try {
      scatter.run(batch.sequences().length, tile -> parts.add(backpropagate(batch, tile)));
    } catch (RuntimeException | Error e) {
      Batch.after(e, () -> Batch.forEach(parts, Part::close));
      throw e;
    }
    parts.sort(Comparator.comparingInt(Part::first));
    return parts;
  }

  private Part backpropagate(Corpus.Batch batch, TileContext tile) {
    int from = (int) tile.getTile().from();
    int to = (int) tile.getTile().to();
    return replicaOn(tile.getDevice()).backpropagate(batch, from, to, tile.getStream());
  }

  private Replica replicaOn(Device device) {
    return replicas.stream()
        .filter(each -> each.getDevice().equals(device))
        .findFirst()
        .orElseThrow();
  }

  /** Returns the loss of all parts, whose copies are complete. */
  static float lossOf(List<Part> parts) {
    float loss = 0;
    for (Part each : parts) {
      loss += each.loss().getBytes().getFloat(0);
    }
    return loss;
  }

  /** Returns the replicas of all devices. */
  List<Replica> getReplicas() {
    return replicas;
  }

  private void closeReplicas() {
    Batch.forEach(replicas, Replica::close);
  }

  @Override
  public void close() {
    Batch.run(scatter::close, this::closeReplicas);
  }
}
