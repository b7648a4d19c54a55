package io.lineage.spark;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The output of the listener bus. The bus adds a reference to the plan to a bounded queue. One thread encodes
 * plans as JSON and another delivers the JSON, so that a slow disk does not keep plans in memory.
 */
final class Pipeline {
  private static final Logger LOG = LoggerFactory.getLogger(LineageListener.class);

  /** Plans may be thousands of operators deep and are traversed recursively. */
  static final long STACK_BYTES = 256L << 20;

  private static final Document END = (json, withPlans) -> {};

  private final ArrayBlockingQueue<Document> queue;
  private final DroppedDocuments drops;
  private final Transport transport;
  private final Delivery delivery;
  private final Thread encoder;
  private final Thread deliverer;
  private final Backlog unencoded = new Backlog();
  private boolean isFailureReported;

  Pipeline(Settings settings, Transport transport, DroppedDocuments drops) {
    this.drops = drops;
    this.queue = new ArrayBlockingQueue<>(settings.queuePlans);
    this.transport = transport;
    this.delivery = new Delivery(transport, settings, drops);
    this.encoder = new Thread(null, this::encodeAll, "lineage-encoder", STACK_BYTES);
    this.deliverer = new Thread(delivery, "lineage-delivery");
  }

  void start() {
    transport.start();
    for (Thread thread : new Thread[] {encoder, deliverer}) {
      thread.setDaemon(true);
      thread.start();
    }
  }

  /** Adds a document, or drops it if too many are queued. Never blocks. */
  void put(Document document) {
    if (transport.isFull()) {
      drops.count(DroppedDocuments.Reason.UNSENT);
    } else if (queue.offer(document)) {
      unencoded.add();
    } else {
      drops.count(DroppedDocuments.Reason.QUEUE);
    }
  }

  /** Waits until the documents added so far are delivered, until this {@link System#nanoTime} at the latest. */
  void flush(long nanoTime) throws InterruptedException {
    if (encoder.isAlive() && unencoded.await(nanoTime)) {
      delivery.await(nanoTime);
    }
  }

  /** Adds the last document and waits, for at most this time, until all documents are delivered. */
  void close(Document last, long millis) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    boolean ending = offer(last, end) && offer(END, end);
    TimeUnit.NANOSECONDS.timedJoin(encoder, Math.max(1, end - System.nanoTime()));
    TimeUnit.NANOSECONDS.timedJoin(deliverer, Math.max(1, end - System.nanoTime()));
    transport.await(end);
    if (!ending || deliverer.isAlive()) {
      LOG.warn(
          "Lineage: not all documents were delivered within {} ms. Increase {} to wait longer.",
          millis, Settings.FLUSH_TIMEOUT);
    }
  }

  private boolean offer(Document document, long end) throws InterruptedException {
    return queue.offer(document, end - System.nanoTime(), TimeUnit.NANOSECONDS);
  }

  private void encodeAll() {
    try {
      for (Document next = queue.take(); next != END; next = queue.take()) {
        encode(next);
        unencoded.finish(1);
      }
    } catch (InterruptedException e) {
      LOG.warn("Lineage: the encoder was interrupted. No further documents of this application are recorded.");
    } finally {
      delivery.end();
    }
  }

  private void encode(Document document) {
    try {
      deliver(json(document, true));
    } catch (Throwable e) {
      failed(e);
      try {
        deliver(json(document, false));
      } catch (Throwable again) {
        drops.count(DroppedDocuments.Reason.ERROR);
      }
    }
  }

  /** Delivers a document, unless it is empty, as that of a micro-batch without new plans. */
  private void deliver(byte[] json) {
    if (json.length > 0) {
      delivery.put(json);
    }
  }

  private static byte[] json(Document document, boolean withPlans) {
    Json json = new Json();
    document.write(json, withPlans);
    return json.toBytes();
  }

  private void failed(Throwable e) {
    if (!isFailureReported) {
      isFailureReported = true;
      LOG.warn(
          "Lineage: a plan could not be recorded. Its document has no plan. Further failures are not logged.",
          e);
    }
  }
}
