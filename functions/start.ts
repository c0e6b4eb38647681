import type { RequestListener } from 'node:http';
import { http } from '@google-cloud/functions-framework';
import { makeLog } from '../shared/base/log.ts';
import { type Config, readConfig } from '../shared/config.ts';
import { type Env, type Loaders, makeEnv } from '../shared/env.ts';
import { endProcess } from '../shared/http/ending.ts';
import { takeOverServers } from '../shared/http/intake.ts';
import { admitInvoker } from '../shared/http/invoked.ts';
import type { Route } from '../shared/http/route.ts';
import { makeListener } from '../shared/http/serve.ts';
import { type Job, type Jobs, obeyLocalStack } from '../shared/local.ts';
import { findGoogleCredentials } from '../shared/store/google-credentials.ts';
import { type Metrics, NO_METRICS, whenLoaded } from '../shared/telemetry/metrics.ts';
import { makeRouter } from './router.ts';
import { makeJobListener } from './scheduled/listener.ts';

/** What a function has besides what all have: clients, and the jobs that the local stack may have it do. */
interface Extras {
  readonly load?: Loaders;
  readonly jobs?: Jobs;
}

/** Makes this process the function of that name: it answers the routes. */
export function startRoutes(name: string, routesOf: (config: Config) => readonly Route[], extras: Extras = {}): void {
  startFunction(name, extras, (env) => makeListener(env, makeRouter(routesOf(env.config))));
}

/** Makes this process the function of that name: it does the job at every request. */
export function startJob(name: string, job: Job, load: Loaders): void {
  startFunction(name, { load, jobs: { [name]: job } }, (env) => makeJobListener(env, job));
}

/** Throws an `Error` that says what is wrong with the environment. */
function startFunction(
  name: string,
  { load = {}, jobs = {} }: Extras,
  listenerOf: (env: Env) => RequestListener,
): void {
  const config = readConfig(process.env);
  // Firestore's client starts spans even where no tracer is, a tenth of an operation's processor time; this alone stops it.
  process.env.FIRESTORE_ENABLE_TRACING ??= 'off';
  const { env, hooks } = makeEnv(config, load, metricsOf(name, config));
  const listener = admitInvoker(env, listenerOf(env));
  takeOverServers(config.usesGoogle ? onceSignedIn(env, listener) : listener, env.log, () => env.metrics.end());
  if (env.config.localStack) obeyLocalStack(env, hooks, jobs);
  http(name, () => {
    throw new Error('functions-framework serves past the intake');
  });
}

/** Answers nothing until Google's credentials are found; where they are not, the process ends and says so. */
function onceSignedIn({ log }: Env, listener: RequestListener): RequestListener {
  const signedIn = findGoogleCredentials(process.env.GOOGLE_APPLICATION_CREDENTIALS).catch((error: Error) =>
    endProcess(log, error.message, error),
  );
  return async (message, response) => {
    await signedIn;
    listener(message, response);
  };
}

/** OpenTelemetry is read from disk only where it is used. */
function metricsOf(name: string, { metricsEndpoint }: Config): Metrics {
  if (metricsEndpoint === undefined) return NO_METRICS;
  const loading = import('../shared/telemetry/opentelemetry.ts');
  return whenLoaded(loading.then(({ startMetrics }) => startMetrics(name, metricsEndpoint, makeLog())));
}
