import { makeId } from '../../../shared/base/ids.ts';
import { makeSecret, viewToken } from '../../../shared/tenancy/token.ts';
import type { Attack } from '../attack.ts';
import { atInterval } from '../pace.ts';

/** Exhausts the checks of whether the dependencies are ready. */
export const readiness: Attack = {
  name: 'readiness',
  sends: '`GET /health/ready` from anybody, 50 a second',
  prepare:
    async ({ stopped, send }) =>
    () =>
      atInterval(20, stopped, () => send({ method: 'GET', path: '/health/ready' })),
};

/** Exhausts Firestore reads. */
export const unknownApiKeys: Attack = {
  name: 'unknown API keys',
  sends: 'unknown API keys, from anyone, 300 a second',
  prepare:
    async ({ stopped, send }) =>
    () =>
      atInterval(10, stopped, () => [1, 2, 3].map(() => send({ method: 'GET', path: '/v1/keys', token: unknown() }))),
};

/** Exhausts processor time. */
export const openApiDocument: Attack = {
  name: 'OpenAPI document',
  sends: '`GET /v1/openapi.json` from anybody, 200 a second',
  prepare:
    async ({ stopped, send }) =>
    () =>
      atInterval(5, stopped, () => send({ method: 'GET', path: '/v1/openapi.json' })),
};

function unknown(): string {
  return viewToken({ apiKeyId: makeId(), secret: makeSecret() });
}
