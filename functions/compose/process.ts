import type { RequestListener } from 'node:http';
import { http } from '@google-cloud/functions-framework';
import { type Clock, makeClock } from '../../shared/base/clock.ts';
import { type Log, makeLog } from '../../shared/base/log.ts';
import { type Config, readConfig } from '../../shared/config.ts';
import { exists } from '../../shared/http/configured.ts';
import { endProcess } from '../../shared/http/ending.ts';
import { takeOverServers } from '../../shared/http/intake.ts';
import { admitInvoker } from '../../shared/http/invoked.ts';
import type { BoundRoute } from '../../shared/http/route.ts';
import { makeListener } from '../../shared/http/serve.ts';
import { findGoogleCredentials } from '../../shared/store/google-credentials.ts';
import { type Metrics, NO_METRICS, whenLoaded } from '../../shared/telemetry/metrics.ts';
import { makeRouter } from '../router.ts';
import { makeJobListener } from '../scheduled/listener.ts';

/** What every function has, whatever it answers. */
export interface Process {
  /** The function's name. */
  readonly name: string;
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** Makes this process the function of that name. Throws an `Error` that says what is wrong with the environment. */
export function openProcess(name: string, clock: Clock = makeClock()): Process {
  const config = readConfig(process.env);
  // Firestore's client starts spans even where no tracer is; this alone stops it.
  process.env.FIRESTORE_ENABLE_TRACING ??= 'off';
  return { name, config, clock, log: makeLog(), metrics: openMetrics(name, config) };
}

/** Has the process answer the routes, as far as they exist where this is configured. */
export function serveRoutes(own: Process, routes: readonly BoundRoute[]): void {
  const existing = routes.filter(({ description }) => exists(description, own.config));
  const dialects = [...new Set(existing.map(({ description }) => description.dialect))];
  serve(own, makeListener(own, makeRouter(existing), dialects));
}

/** Has the process do the job at every request, and answer its summary. */
export function serveJob(own: Process, job: () => Promise<unknown>): void {
  serve(own, makeJobListener(own, job));
}

function serve(own: Process, answers: RequestListener): void {
  const { name, config, log, metrics } = own;
  const listener = admitInvoker(config, log, answers);
  takeOverServers(config.firestoreEmulatorHost === undefined ? onceSignedIn(log, listener) : listener, log, () =>
    metrics.end(),
  );
  http(name, () => {
    throw new Error('functions-framework serves past the intake');
  });
}

/** Answers nothing until Google's credentials are found; where they are not, the process ends and says so. */
function onceSignedIn(log: Log, listener: RequestListener): RequestListener {
  const signedIn = findGoogleCredentials(process.env.GOOGLE_APPLICATION_CREDENTIALS).catch((error: Error) =>
    endProcess(log, error.message, error),
  );
  return async (message, response) => {
    await signedIn;
    listener(message, response);
  };
}

/** OpenTelemetry is read from disk only where it is used. */
function openMetrics(name: string, { metricsEndpoint }: Config): Metrics {
  if (metricsEndpoint === undefined) return NO_METRICS;
  const loading = import('../../shared/telemetry/opentelemetry.ts');
  return whenLoaded(loading.then(({ startMetrics }) => startMetrics(name, metricsEndpoint, makeLog())));
}
