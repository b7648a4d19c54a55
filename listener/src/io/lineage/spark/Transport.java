package io.lineage.spark;

import java.io.IOException;
import java.util.Deque;

/** The destination of documents: {@link Spool}, a directory, or {@link HttpTransport}, a collector. */
interface Transport {
  /** Prepares the transport. Called once, before any other method. */
  void start();

  /**
   * Removes documents from the head of the queue once they are safe, and throws if it cannot accept more.
   * Called by one thread.
   */
  void deliver(Deque<byte[]> documents) throws IOException;

  /** Returns whether new documents would exceed a limit. Called on the listener bus. */
  boolean isFull();

  /** Marks the end: no more documents follow. Called by the same thread. */
  void end();

  /**
   * Waits until all documents have arrived, until this {@link System#nanoTime} at the latest, and logs the
   * missing ones.
   */
  void await(long nanoTime) throws InterruptedException;

  /** Returns a description of the destination, without secrets. */
  String target();
}
