package io.lineage.spark;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The transport to a collector. Documents are stored in a directory before they are sent, because unsent ones
 * must outlive the driver. If the directory is not writable, they are sent from memory.
 */
final class HttpTransport implements Transport {
  private static final Logger LOG = LoggerFactory.getLogger(LineageListener.class);

  private final Path directory;
  private final Spool spool;
  private final UnsentQuota quota;
  private final Collector collector;
  private final DroppedDocuments drops;
  private final Sender sender;
  private final Thread thread;
  private boolean isUnwritableReported;

  HttpTransport(Settings settings, String run, Collector collector, DroppedDocuments drops) {
    // Unique even if applications are configured with the same run id, because other drivers may send and
    // delete the files of a dead one.
    String name = run + "." + UUID.randomUUID().toString().substring(0, 8);
    this.directory = settings.spool.resolve("unsent");
    this.spool = new Spool(directory, name, settings.spoolRotateBytes);
    this.quota = new UnsentQuota(directory, settings.unsentMaxBytes);
    this.collector = collector;
    this.drops = drops;
    this.sender = new Sender(spool, collector, new UnsentSpoolSender(directory, name), quota);
    this.thread = new Thread(sender, "lineage-sender");
  }

  @Override
  public void start() {
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public String target() {
    return "the collector " + collector.url() + " by way of " + directory;
  }

  @Override
  public void deliver(Deque<byte[]> documents) throws IOException {
    int before = documents.size();
    quota.take(documents.stream().mapToLong(document -> document.length + 1).sum());
    try {
      spool.deliver(documents);
      sender.spooled(before);
    } catch (IOException | RuntimeException unwritable) {
      sender.spooled(before - documents.size());
      straight(documents, unwritable);
    }
  }

  @Override
  public boolean isFull() {
    return quota.isFull();
  }

  private void straight(Deque<byte[]> documents, Exception unwritable) throws IOException {
    if (!isUnwritableReported) {
      isUnwritableReported = true;
      LOG.warn(
          "Lineage: the directory {} cannot be written ({}). Documents are sent to the collector from memory;"
              + " those that it has not accepted when the driver ends are lost. Set {} to another directory.",
          directory, unwritable.toString(), Settings.SPOOL);
    }
    while (!documents.isEmpty()) {
      List<byte[]> batch = head(documents);
      try {
        collector.send(batch, (document, reason) -> drops.count(DroppedDocuments.Reason.SPOOL));
      } catch (CollectorUnavailableException e) {
        throw new IOException(unwritable + "; the collector is unavailable: " + e.getMessage(), unwritable);
      }
      batch.forEach(sent -> documents.removeFirst());
    }
  }

  private static List<byte[]> head(Deque<byte[]> documents) {
    List<byte[]> batch = new ArrayList<>();
    long bytes = 0;
    for (byte[] document : documents) {
      if (!Batches.fits(batch.size(), bytes, document)) {
        break;
      }
      bytes += document.length;
      batch.add(document);
    }
    return batch;
  }

  @Override
  public void end() {
    sender.end();
  }

  @Override
  public void await(long nanoTime) throws InterruptedException {
    TimeUnit.NANOSECONDS.timedJoin(thread, Math.max(1, nanoTime - System.nanoTime()));
    sender.giveUp(thread);
    spool.end();
    if (sender.missing() > 0) {
      LOG.warn(
          "Lineage: {} documents of this application did not reach the collector {}. They are in {}."
              + " Ingest them with: lineage ingest {}",
          sender.missing(), collector.url(), directory, directory);
    }
  }
}
