import { makeId } from '../../../shared/base/ids.ts';
import { makeSecret, viewToken } from '../../../shared/tenancy/token.ts';
import type { Attack } from '../attack.ts';
import { every } from '../pace.ts';

/** Takes the parts that are asked how they are. */
export const readiness: Attack = {
  name: 'readiness',
  sends: '`GET /health/ready` from anybody, 50 a second',
  prepare:
    async ({ stopped, send }) =>
    () =>
      every(20, stopped, () => send({ method: 'GET', path: '/health/ready' })),
};

/** Takes reads of Firestore. */
export const unknownApiKeys: Attack = {
  name: 'unknown API keys',
  sends: 'API keys that are none, from anybody, 300 a second',
  prepare:
    async ({ stopped, send }) =>
    () =>
      every(10, stopped, () => [1, 2, 3].map(() => send({ method: 'GET', path: '/v1/keys', token: unknown() }))),
};

/** Takes the process. */
export const openApiDocument: Attack = {
  name: 'OpenAPI document',
  sends: '`GET /v1/openapi.json` from anybody, 200 a second',
  prepare:
    async ({ stopped, send }) =>
    () =>
      every(5, stopped, () => send({ method: 'GET', path: '/v1/openapi.json' })),
};

function unknown(): string {
  return viewToken({ apiKeyId: makeId(), secret: makeSecret() });
}
