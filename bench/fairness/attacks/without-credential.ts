import { makeId } from '../../../shared/base/ids.ts';
import { makeSecret, viewToken } from '../../../shared/tenancy/token.ts';
import type { Attack } from '../attack.ts';
import { atInterval } from '../pace.ts';

/** Tries to exhaust the dependencies with readiness checks. */
export const readiness: Attack = {
  name: 'readiness',
  sends: '`GET /health/ready` without a credential, 50 a second',
  prepare:
    async ({ stopped, send }) =>
    () =>
      atInterval(20, stopped, () => send({ method: 'GET', path: '/health/ready' })),
};

/** Tries to overload Firestore with reads. */
export const unknownApiKeys: Attack = {
  name: 'unknown API keys',
  sends: 'requests with unknown API keys, 300 a second',
  prepare:
    async ({ stopped, send }) =>
    () =>
      atInterval(10, stopped, () => [1, 2, 3].map(() => send({ method: 'GET', path: '/v1/keys', token: unknown() }))),
};

/** Tries to use up the processor time. */
export const openApiDocument: Attack = {
  name: 'OpenAPI document',
  sends: '`GET /v1/openapi.json` without a credential, 200 a second',
  prepare:
    async ({ stopped, send }) =>
    () =>
      atInterval(5, stopped, () => send({ method: 'GET', path: '/v1/openapi.json' })),
};

function unknown(): string {
  return viewToken({ apiKeyId: makeId(), secret: makeSecret() });
}
