package io.lineage.spark;

import java.io.IOException;
import java.util.Deque;

/** The destination of documents: {@link Spool}, a directory, or {@link HttpTransport}, a collector. */
interface Transport {
  /** Prepares the transport. Called once, before any other method. */
  void start();

  /**
   * Delivers the documents of a queue, from its head, and removes each that is safe. Throws if it cannot accept
   * a document. Called by one thread.
   */
  void deliver(Deque<byte[]> documents) throws IOException;

  /** Returns whether a limit is exceeded and new documents are dropped. Called on the listener bus. */
  boolean isFull();

  /** Marks the end of the documents. Called by the same thread. */
  void end();

  /**
   * Waits until all documents have arrived, until this {@link System#nanoTime} at the latest. Logs the number
   * of the others.
   */
  void await(long nanoTime) throws InterruptedException;

  /** Returns a description of the destination, without secrets. */
  String target();
}
