package io.lineage.spark;

import java.io.IOException;
import java.util.Deque;

/** Where documents go: {@link Spool}, a directory, or {@link HttpTransport}, a collector. */
interface Transport {
  /** Makes ready. Called once, before anything else. */
  void start();

  /**
   * Takes documents from the head, each once it is safe, and throws where it can take no more. Called by
   * one thread.
   */
  void deliver(Deque<byte[]> documents) throws IOException;

  /** Would documents that are made now be too many? Asked on the listener bus. */
  boolean isFull();

  /** No document comes after this. Called by the same thread. */
  void end();

  /** Waits until all has arrived, but not beyond this {@link System#nanoTime}, and tells what has not. */
  void await(long nanoTime) throws InterruptedException;

  /** Where documents go, for people; without secrets. */
  String target();
}
