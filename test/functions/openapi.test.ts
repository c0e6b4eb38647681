import { expect, test } from 'vitest';
import { makeOpenApiRoute } from '../../functions/health/openapi.ts';
import { routesByGroup } from '../../functions/routes.ts';
import { readConfig } from '../../shared/config.ts';
import { makeEnv } from '../../shared/env.ts';
import { LEAST } from '../shared/environment.ts';
import { asRequest, readSent } from '../shared/http/exchange.ts';

test('the document is made once, however often and by however many it is asked for', async () => {
  let made = 0;
  const route = makeOpenApiRoute(async () => {
    made++;
    return Object.values(routesByGroup({ identity: true, billing: true })).flat();
  });
  const { env } = makeEnv(readConfig({ ...LEAST, FIRESTORE_EMULATOR_HOST: '127.0.0.1:1' }), {});
  const ask = () => readSent({}, (message) => route.respond(env, asRequest(message)));
  const [first, second] = await Promise.all([ask(), ask()]);
  expect((await ask()).body).toBe(first?.body);
  expect(second?.body).toBe(first?.body);
  expect(made).toBe(1);
});
