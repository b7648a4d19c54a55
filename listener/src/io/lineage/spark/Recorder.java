package io.lineage.spark;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.spark.SparkConf;
import org.apache.spark.scheduler.SparkListenerApplicationEnd;
import org.apache.spark.scheduler.SparkListenerApplicationStart;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.scheduler.SparkListenerJobEnd;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd;
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart;
import org.apache.spark.sql.streaming.StreamingQueryListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Option;

/** The record of root executions: one START, and one COMPLETE or FAIL, for each. */
final class Recorder {
  private static final Logger LOG = LoggerFactory.getLogger(LineageListener.class);

  private final DroppedDocuments drops = new DroppedDocuments();
  private final Application application;
  private final CatalogCommands catalog;
  private final Documents documents;
  private final EarlierPlans earlier;
  private final Models models;
  private final Plans plans;
  private final Pipeline pipeline;
  private final Supplier<Transport> transports;
  private final long flushMillis;
  private final Map<Long, Execution> open = new LinkedHashMap<>();
  private final Map<Long, Execution> rootOf = new HashMap<>();
  private final LateRoots lateRoots = new LateRoots();
  private final OutcomeCounts outcomes = new OutcomeCounts();
  private final StreamingQueries streams;
  private final RddJobs jobs;
  private final LastJobs lastJobs = new LastJobs();
  private final QueryListener queries = new QueryListener(this);

  /** The end reported by an event, until the QueryExecutionListener is called. */
  private ExecutionEnd ending;

  private boolean ended;

  Recorder(SparkConf conf, CompatibilityCheck compatibility) {
    Settings settings = new Settings(conf);
    Redaction redaction = new Redaction(conf);
    application = new Application(conf, settings.namespace, redaction, compatibility);
    TableLocations locations = new TableLocations(conf, drops);
    catalog = new CatalogCommands(locations);
    earlier = new EarlierPlans(drops);
    plans = new Plans(settings.planMaxBytes, redaction, locations, earlier);
    models = new Models(drops);
    documents = new Documents(application, plans, models, redaction);
    transports = () -> createTransport(conf, settings, compatibility);
    Transport transport = transports.get();
    DriverExit.watch();
    ExitReport.forget();
    pipeline = new Pipeline(settings, transport, drops);
    if (transport instanceof Spool) {
      OwnSpools.add(((Spool) transport).files(), pipeline);
    }
    flushMillis = settings.flushMillis;
    jobs = new RddJobs(documents, models, redaction);
    StreamingDocuments streaming = new StreamingDocuments(documents, plans, redaction);
    streams = new StreamingQueries(streaming, pipeline, outcomes, settings.streamingMillis);
    pipeline.start();
    LOG.info("Lineage {}: the documents of run {} go to {}",
        compatibility.version, application.run, transport.target());
  }

  private Transport createTransport(SparkConf conf, Settings settings, CompatibilityCheck compatibility) {
    Endpoint endpoint = Endpoint.of(conf);
    return endpoint == null
        ? new Spool(settings.spool, application.run, settings.spoolRotateBytes)
        : new HttpTransport(settings, application.run, new Collector(endpoint, compatibility.version), drops);
  }

  void failed() {
    drops.count(DroppedDocuments.Reason.ERROR);
  }

  void on(SparkListenerEvent event) throws InterruptedException {
    if (ended) {
      return; // application_end is the last document
    }
    conclude(); // if a session's listeners were cleared, QueryListener is not called
    if (event instanceof SparkListenerJobStart) {
      started((SparkListenerJobStart) event);
    } else if (event instanceof SparkListenerJobEnd) {
      ended((SparkListenerJobEnd) event);
    } else if (event instanceof SparkListenerSQLExecutionStart) {
      started((SparkListenerSQLExecutionStart) event);
    } else if (event instanceof SparkListenerSQLExecutionEnd) {
      ended((SparkListenerSQLExecutionEnd) event);
    } else if (event instanceof SparkListenerApplicationStart) {
      application.started((SparkListenerApplicationStart) event);
      pipeline.put(documents.applicationStart(((SparkListenerApplicationStart) event).time()));
    } else if (event instanceof StreamingQueryListener.Event) {
      streams.on((StreamingQueryListener.Event) event);
    } else if (event instanceof SparkListenerApplicationEnd) {
      ended((SparkListenerApplicationEnd) event);
    }
  }

  private void started(SparkListenerJobStart event) {
    Long execution = LastJobs.execution(event);
    if (execution == null) {
      jobs.started(event);
    } else if (open.containsKey(execution) || rootOf.containsKey(execution)) {
      lastJobs.started(execution, event);
    }
  }

  private void started(SparkListenerSQLExecutionStart event) {
    lateRoots.started(event.executionId());
    Option<Object> root = event.rootExecutionId();
    Execution holder = root.isDefined() ? open.get(lateRoots.holder((Long) root.get())) : null;
    if (holder != null) {
      rootOf.put(event.executionId(), holder);
      return;
    }
    Execution execution = new Execution(event);
    if (root.isDefined() && lateRoots.add((Long) root.get(), execution.id)) {
      execution.lateRoot = (Long) root.get();
    }
    QueryExecution query = execution.query();
    open.put(execution.id, execution);
    queries.listenTo(query);
    execution.stream = streams.of(execution, query);
    if (execution.stream == null && !lateRoots.contains(execution.id)) {
      started(execution, execution.running());
    }
  }

  private void started(Execution execution, Execution.Run run) {
    execution.planReported = run.analyzed != null;
    pipeline.put(documents.executionStart(execution, run));
  }

  private void ended(SparkListenerJobEnd event) {
    Document document = jobs.ended(event);
    if (document != null) {
      pipeline.put(document);
    }
  }

  private void ended(SparkListenerSQLExecutionEnd event) {
    long id = event.executionId();
    Object stages = lastJobs.ended(id);
    Execution holder = rootOf.remove(id);
    if (holder != null) {
      nestedEnded(holder, event, stages);
      return;
    }
    Execution execution = open.remove(id);
    boolean failed = ExecutionEnd.failure(event) != null;
    if (failed && execution != null && execution.lateRoot != null) {
      lateRoots.failed(execution.lateRoot);
    }
    if (lateRoots.endsAsRepetition(id, ExecutionEnd.query(event), failed)) {
      return;
    }
    if (execution == null) {
      execution = new Execution(id, event.time());
      started(execution, new Execution.Run(id, ExecutionEnd.query(event)));
    }
    ending = new ExecutionEnd(execution, event, stages);
    queries.listenTo(ending.query);
    if (!ending.willBeReported()) {
      conclude();
    }
  }

  /** Adds a nested execution. One that failed within a micro-batch is not part of the stream. */
  private void nestedEnded(Execution holder, SparkListenerSQLExecutionEnd event, Object stages) {
    Execution.Run run = new Execution.Run(event.executionId(), ExecutionEnd.query(event));
    boolean failed = ExecutionEnd.failure(event) != null;
    if (ExecutionEnd.madeCheckpoint(event) && run.analyzed != null) {
      pipeline.put(
          (json, withPlans) ->
              earlier.checkpoint(
                  run.analyzed,
                  plans.of(run.analyzed, run.session),
                  LastJobs.checkpoint(stages),
                  holder.started));
    }
    learn(run, failed, holder.started);
    if (holder.stream == null || !failed) {
      holder.addNested(run);
    }
  }

  /** Records the effects of a command on a catalog or session, for later documents. */
  private void learn(Execution.Run run, boolean failed, long started) {
    if (!failed && EarlierPlans.concern(run.analyzed)) {
      pipeline.put((json, withPlans) -> earlier.variables(run.analyzed, run.session, plans, started));
    }
    if (CatalogCommands.concern(run.analyzed)) {
      pipeline.put((json, withPlans) -> catalog.ended(run.analyzed, failed));
    }
  }

  /** Processes the public callback for the end of a query, which follows its event on the bus. */
  void concluded(QueryExecution query, Exception failure) {
    if (ending != null && ending.isOf(query)) {
      ending = ending.as(query, failure);
      conclude();
    }
  }

  /** Reports the pending end with the data available. */
  private void conclude() {
    ExecutionEnd end = ending;
    if (end == null) {
      return;
    }
    ending = null;
    if (end.execution.stream != null) {
      streams.batchEnded(end.execution.stream, end);
      return;
    }
    Execution.Run run = new Execution.Run(end.execution.id, end.query);
    pipeline.put(documents.executionEnd(end.execution, run, end.time, end.failure));
    if (end.madeCheckpoint() && run.analyzed != null) {
      pipeline.put(
          (json, withPlans) ->
              earlier.checkpoint(
                  run.analyzed,
                  end.execution.plan(run, plans),
                  LastJobs.checkpoint(end.stages),
                  end.execution.started));
    }
    if (end.failure == null && run.analyzed != null && Models.concern(end.execution.ml)) {
      pipeline.put(
          (json, withPlans) -> {
            Plan plan = end.execution.plan(run, plans);
            models.read(end.execution.ml, plan.json, plan.isWhole);
          });
    }
    learn(run, end.failure != null, end.execution.started);
    outcomes.add(end.failure);
  }

  /**
   * Returns whether the JVM is shutting down. In this case Spark's shutdown hook stopped the application, and
   * the event's exit code 0 is not that of the program.
   */
  private static boolean isShuttingDown() {
    try {
      Thread probe = new Thread(() -> {});
      Runtime.getRuntime().addShutdownHook(probe);
      Runtime.getRuntime().removeShutdownHook(probe);
      return false;
    } catch (IllegalStateException e) {
      return true;
    }
  }

  /** Reports the end of the application again, because the driver failed after the end of Spark. */
  private void failedAfterwards(DriverExit exit) throws IOException, InterruptedException {
    Json json = new Json();
    documents
        .applicationEnd(System.currentTimeMillis(), null, exit, outcomes, drops)
        .write(json, false);
    Transport transport = transports.get();
    transport.start();
    transport.deliver(new ArrayDeque<>(Collections.singleton(json.toBytes())));
    transport.end();
    transport.await(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(flushMillis));
  }

  private void ended(SparkListenerApplicationEnd event) throws InterruptedException {
    ended = true;
    streams.endAll(event.time());
    for (Execution execution : new ArrayList<>(open.values())) {
      if (execution.stream != null) {
        continue; // its query has reported its end
      }
      Failure failure =
          new Failure("io.lineage.spark.Unfinished", "The application ended while this was running.", "");
      pipeline.put(documents.executionEnd(execution, execution.running(), event.time(), failure));
      outcomes.add(failure);
    }
    Failure unfinished =
        new Failure("io.lineage.spark.Unfinished", "The application ended while this was running.", "");
    jobs.endAll(event.time(), unfinished).forEach(pipeline::put);
    outcomes.unseenJobs = jobs.unseen();
    boolean shutdown = isShuttingDown();
    Object exitCode = shutdown ? null : SparkFacts.get(event, "exitCode");
    DriverExit exit = shutdown ? DriverExit.look() : null;
    pipeline.close(
        documents.applicationEnd(event.time(), exitCode, exit, outcomes, drops), flushMillis);
    if (!shutdown) {
      ExitReport.prepare(this::failedAfterwards);
    }
    if (drops.total() > 0) {
      LOG.warn("Lineage: {} documents of this application were lost.", drops.total());
    }
  }
}
