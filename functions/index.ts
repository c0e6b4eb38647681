import { http } from '@google-cloud/functions-framework';
import { readConfig } from '../shared/config.ts';
import { makeEnv } from '../shared/env.ts';
import { takeOverServers } from '../shared/http/intake.ts';
import { makeListener } from '../shared/http/serve.ts';
import { makeRouter } from './router.ts';
import { routesByGroup } from './routes.ts';

/** The name of the function that knows every route. */
const ROUTER = 'router';

const env = makeEnv(readConfig(process.env));
const groups = routesByGroup(env.config);
const functions = { [ROUTER]: Object.values(groups).flat(), ...groups };

const target = process.env.FUNCTION_TARGET ?? ROUTER;
const routes = Object.entries(functions).find(([name]) => name === target)?.[1];
if (routes === undefined) throw new Error(`FUNCTION_TARGET: there is no function ${target}`);
takeOverServers(makeListener(env, makeRouter(routes)));

for (const name of Object.keys(functions)) {
  http(name, () => {
    throw new Error('functions-framework serves past the intake');
  });
}
