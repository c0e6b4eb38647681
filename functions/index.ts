import type { RequestListener } from 'node:http';
import { http } from '@google-cloud/functions-framework';
import { readConfig } from '../shared/config.ts';
import { makeEnv } from '../shared/env.ts';
import { takeOverServers } from '../shared/http/intake.ts';
import { makeListener } from '../shared/http/serve.ts';
import { obeyLocalStack } from '../shared/local.ts';
import { makeRouter } from './router.ts';
import { routesByGroup } from './routes.ts';
import { JOBS } from './scheduled/jobs.ts';
import { makeJobListener } from './scheduled/listener.ts';

/** The function that knows every route. */
const ROUTER = 'router';

const { env, hooks } = makeEnv(readConfig(process.env));
const groups = routesByGroup(env.config);
const routed = { [ROUTER]: Object.values(groups).flat(), ...groups };

const functions = new Map<string, () => RequestListener>();
for (const [name, routes] of Object.entries(routed)) functions.set(name, () => makeListener(env, makeRouter(routes)));
for (const [name, job] of Object.entries(JOBS)) functions.set(name, () => makeJobListener(env, job));

const target = process.env.FUNCTION_TARGET ?? ROUTER;
const makeTarget = functions.get(target);
if (makeTarget === undefined) throw new Error(`FUNCTION_TARGET: there is no function ${target}`);
takeOverServers(makeTarget());
if (env.config.localStack) obeyLocalStack(env, hooks, JOBS);

for (const name of functions.keys()) {
  http(name, () => {
    throw new Error('functions-framework serves past the intake');
  });
}
