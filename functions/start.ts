import type { RequestListener } from 'node:http';
import { http } from '@google-cloud/functions-framework';
import { type Config, readConfig } from '../shared/config.ts';
import { type Env, makeEnv } from '../shared/env.ts';
import { takeOverServers } from '../shared/http/intake.ts';
import type { Route } from '../shared/http/route.ts';
import { makeListener } from '../shared/http/serve.ts';
import { type Job, type Jobs, obeyLocalStack } from '../shared/local.ts';
import { makeRouter } from './router.ts';
import { makeJobListener } from './scheduled/listener.ts';

/** Makes this process the function of that name: it answers the routes. */
export function startRoutes(name: string, routesOf: (config: Config) => readonly Route[], jobs: Jobs = {}): void {
  startFunction(name, (env) => makeListener(env, makeRouter(routesOf(env.config))), jobs);
}

/** Makes this process the function of that name: it does the job at every request. */
export function startJob(name: string, job: Job): void {
  startFunction(name, (env) => makeJobListener(env, job), { [name]: job });
}

/** Throws an `Error` that says what is wrong with the environment. `jobs` are what the local stack may have it do. */
function startFunction(name: string, listenerOf: (env: Env) => RequestListener, jobs: Jobs): void {
  const { env, hooks } = makeEnv(readConfig(process.env));
  takeOverServers(listenerOf(env));
  if (env.config.localStack) obeyLocalStack(env, hooks, jobs);
  http(name, () => {
    throw new Error('functions-framework serves past the intake');
  });
}
