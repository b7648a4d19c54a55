package io.lineage.spark;

import java.lang.ref.WeakReference;
import org.apache.spark.SparkConf;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerApplicationEnd;
import org.apache.spark.scheduler.SparkListenerApplicationStart;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.scheduler.SparkListenerJobEnd;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The class for spark.extraListeners. It must load in any Spark without an effect on it: an exception in the
 * constructor makes the application fail, and a LinkageError in a callback stops its SparkContext.
 */
public final class LineageListener extends SparkListener {
  private static final Logger LOG = LoggerFactory.getLogger(LineageListener.class);

  private static WeakReference<SparkConf> last = new WeakReference<>(null);

  private Recorder recorder;
  private boolean isLossReported;

  public LineageListener(SparkConf conf) {
    try {
      CompatibilityCheck compatibility = CompatibilityCheck.check();
      if (compatibility.problem() != null) {
        LOG.error("Lineage is off for this application: {}.", compatibility.problem());
      } else if (isSecond(conf)) {
        LOG.warn("Lineage: spark.extraListeners contains this listener twice. The second one is ignored.");
      } else if (Settings.enabled(conf)) {
        recorder = new Recorder(conf, compatibility);
      } else {
        LOG.info("Lineage is off for this application: its settings or environment disable it.");
      }
    } catch (Throwable e) {
      LOG.error("Lineage is off for this application: the listener could not start.", e);
    }
  }

  /** Returns whether this is a further listener of the application, whose listeners all get the same object. */
  private static synchronized boolean isSecond(SparkConf conf) {
    boolean second = last.get() == conf;
    last = new WeakReference<>(conf);
    return second;
  }

  @Override
  public void onApplicationStart(SparkListenerApplicationStart event) {
    guarded(event);
  }

  @Override
  public void onJobStart(SparkListenerJobStart event) {
    guarded(event);
  }

  @Override
  public void onJobEnd(SparkListenerJobEnd event) {
    guarded(event);
  }

  @Override
  public void onOtherEvent(SparkListenerEvent event) {
    guarded(event);
  }

  @Override
  public void onApplicationEnd(SparkListenerApplicationEnd event) {
    guarded(event);
  }

  private void guarded(SparkListenerEvent event) {
    if (recorder == null) {
      return;
    }
    try {
      recorder.on(event);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the bus is being stopped
    } catch (Throwable e) {
      recorder.failed();
      if (!isLossReported) {
        isLossReported = true;
        LOG.warn("Lineage: an event was lost. Further losses are counted, but not logged.", e);
      }
    }
  }
}
