import { randomUUID } from 'node:crypto';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import type { Log } from '../base/log.ts';
import type { Metrics } from './metrics.ts';

const SERVICE = 'encryption-service';

/** OpenTelemetry's recommended buckets for HTTP durations, in seconds. */
const DURATIONS_S = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

const METHODS = new Set(['CONNECT', 'DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'TRACE']);

/** Sends metrics as OTLP/HTTP with JSON. Each process is an instance, so that cumulative totals do not mix. */
export function startMetrics(name: string, endpoint: string, log: Log): Metrics {
  const resource = resourceFromAttributes({
    'service.namespace': SERVICE,
    'service.name': name,
    'service.instance.id': randomUUID(),
  });
  const reader = new PeriodicExportingMetricReader({ exporter: new LoggedExporter(endpoint, log) });
  const provider = new MeterProvider({ resource, readers: [reader] });
  const meter = provider.getMeter(SERVICE);
  const durations = meter.createHistogram('http.server.request.duration', {
    description: 'Duration of HTTP server requests.',
    unit: 's',
    advice: { explicitBucketBoundaries: DURATIONS_S },
  });
  const active = meter.createUpDownCounter('http.server.active_requests', {
    description: 'Number of active HTTP server requests.',
    unit: '{request}',
  });
  const operations = meter.createCounter('encryption_service.operations', {
    description: 'Attempts at the operations that the audit log records.',
    unit: '{operation}',
  });
  const failedCommits = meter.createCounter('encryption_service.commit.failures', {
    description: 'Group commits that failed or whose response was lost.',
    unit: '{commit}',
  });
  const waiting = meter.createObservableGauge('encryption_service.waiting', {
    description: 'Items that wait for a place in a batch.',
    unit: '{item}',
  });
  const secretChecks = meter.createObservableGauge('encryption_service.secret_checks.in_flight', {
    description: 'API key secrets that are being checked with Argon2id or wait to be checked.',
    unit: '{check}',
  });
  return {
    began: (method) => active.add(1, describeRequest(method)),
    answered({ method, route, status, code, took_ms }) {
      active.add(-1, describeRequest(method));
      durations.record(took_ms / 1000, {
        ...describeRequest(method),
        'http.response.status_code': status,
        ...(route !== undefined && { 'http.route': route }),
        ...(status >= 500 && code !== undefined && { 'error.type': code }),
      });
    },
    attempted(operation, tier, failure) {
      operations.add(1, {
        'encryption_service.operation': operation,
        ...(tier !== undefined && { 'encryption_service.key.tier': tier }),
        ...(failure !== undefined && { 'error.type': failure }),
      });
    },
    commitFailed: () => failedCommits.add(1),
    watch({ commits, decisions, reads, secretChecks: checks }) {
      const queues = Object.entries({ commit: commits, decision: decisions, read: reads });
      waiting.addCallback((result) => {
        for (const [queue, level] of queues) result.observe(level(), { 'encryption_service.queue': queue });
      });
      secretChecks.addCallback((result) => result.observe(checks()));
    },
    end: () => provider.shutdown(),
  };
}

function describeRequest(method = '') {
  return { 'http.request.method': METHODS.has(method) ? method : '_OTHER', 'url.scheme': 'http' };
}

/** An exporter that logs failures, which OpenTelemetry's exporter does not report. */
class LoggedExporter extends OTLPMetricExporter {
  readonly #log: Log;

  constructor(url: string, log: Log) {
    super({ url });
    this.#log = log;
  }

  override export(...[metrics, done]: Parameters<OTLPMetricExporter['export']>): void {
    super.export(metrics, (result) => {
      if (result.error !== undefined) this.#log.write('metrics export failed', {}, result.error);
      done(result);
    });
  }
}
