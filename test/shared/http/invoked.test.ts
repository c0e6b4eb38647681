import { expect, test } from 'vitest';
import { makeLog } from '../../../shared/base/log.ts';
import { readConfig } from '../../../shared/config.ts';
import { admitInvoker } from '../../../shared/http/invoked.ts';
import { INVOKER, MINIMAL } from '../environment.ts';
import { withServer } from './exchange.ts';

const config = readConfig({ ...MINIMAL, ...INVOKER });
const log = makeLog(() => undefined);

test.each([
  ['the liveness probe', '/health', {}, 200],
  ['a call with a wrong token', '/health', { authorization: 'Bearer x' }, 401],
  ['a call of another path', '/v1/keys', {}, 401],
])('a function with an invoker answers %s without doing its work', async (_, path, headers, status) => {
  let calls = 0;
  const listener = admitInvoker(config, log, () => void calls++);
  const answer = await withServer(listener, (port) => fetch(`http://127.0.0.1:${port}${path}`, { headers }));
  expect([answer.status, calls]).toEqual([status, 0]);
  expect(answer.headers.get('x-request-id')).toMatch(/./);
});
