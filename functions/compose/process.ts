import type { RequestListener } from 'node:http';
import { http } from '@google-cloud/functions-framework';
import { type Clock, makeClock } from '../../shared/base/clock.ts';
import { type Log, makeLog } from '../../shared/base/log.ts';
import { type Config, readConfig } from '../../shared/config.ts';
import { admitBalanced } from '../../shared/http/balanced.ts';
import type { Dialect } from '../../shared/http/dialect.ts';
import { type Group, routesOf } from '../../shared/http/group.ts';
import { admitInvoker } from '../../shared/http/invoked.ts';
import { type BoundRoute, bind } from '../../shared/http/route.ts';
import { makeListener } from '../../shared/http/serve.ts';
import { findGoogleCredentials } from '../../shared/store/google-credentials.ts';
import { type Metrics, NO_METRICS, whenLoaded } from '../../shared/telemetry/metrics.ts';
import { endProcess, takeOver } from '../framework/take-over.ts';
import type { Job } from '../needs.ts';
import { makeRouter } from '../router.ts';
import { makeJobListener } from '../scheduled/listener.ts';

/** The services that every function has. They need no network. */
export type Process = {
  readonly name: string;
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
};

/** Reads the configuration from the environment. Throws an `Error` that names missing or malformed variables. */
export function openProcess(name: string, clock: Clock = makeClock()): Process {
  const config = readConfig(process.env);
  // Firestore's client creates trace spans even if tracing is not configured. Only this setting stops that.
  process.env.FIRESTORE_ENABLE_TRACING ??= 'off';
  return { name, config, clock, log: makeLog(), metrics: openMetrics(name, config) };
}

/** Serves the routes of these groups. Leaves out routes of features that are not configured. */
export function serveGroups<Parts extends Process>(parts: Parts, ...groups: readonly Group<Parts>[]): void {
  serveRoutes(
    parts,
    groups.flatMap((group) => bind(routesOf(group, parts.config), parts)),
  );
}

/** Serves routes that are bound to their parts. */
export function serveRoutes(own: Process, routes: readonly BoundRoute[]): void {
  const dialects = [...new Set(routes.map(({ description }) => description.dialect))];
  serve(own, makeListener(own, makeRouter(routes), dialects), dialects);
}

/** Runs the job on every request, and answers with the summary of the run. */
export function serveJob<Parts extends Process>(parts: Parts, { run }: Job<Parts>): void {
  serve(
    parts,
    makeJobListener(parts, () => run(parts)),
  );
}

function serve(own: Process, answers: RequestListener, dialects: readonly Dialect[] = []): void {
  const { name, config, log, metrics } = own;
  const listener = admitInvoker(config, log, admitBalanced(config, log, answers));
  const isLocal = config.firestoreEmulatorHost !== undefined;
  // With an emulator, anyone may call the service and the demo's API key is known, so keep out the network.
  const address = isLocal ? '127.0.0.1' : undefined;
  takeOver(isLocal ? listener : onceSignedIn(log, listener), log, () => metrics.end(), { address, dialects });
  http(name, () => {
    throw new Error('functions-framework received a request that the service should have handled');
  });
}

/** Delays requests until Google credentials are found. Ends the process if there are none. */
function onceSignedIn(log: Log, listener: RequestListener): RequestListener {
  const signedIn = findGoogleCredentials(process.env.GOOGLE_APPLICATION_CREDENTIALS).catch((error: Error) =>
    endProcess(log, 'process exited: no Google Cloud credentials', { reason: error.message }, error),
  );
  return async (message, response) => {
    await signedIn;
    listener(message, response);
  };
}

/** Starts metrics. Loads OpenTelemetry only if metrics are configured. */
function openMetrics(name: string, { metricsEndpoint }: Config): Metrics {
  if (metricsEndpoint === undefined) return NO_METRICS;
  const loading = import('../../shared/telemetry/opentelemetry.ts');
  return whenLoaded(loading.then(({ startMetrics }) => startMetrics(name, metricsEndpoint, makeLog())));
}
