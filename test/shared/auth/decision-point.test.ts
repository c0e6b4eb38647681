import { createServer, type RequestListener } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { DecisionPoint } from '../../../shared/auth/decision-point.ts';
import { listen } from '../../support/second-service.ts';

const PRINCIPAL = { id: 'one', roles: ['api_key'], attr: {} };
const RESOURCES = [{ resource: { kind: 'key', id: 'one', attr: {} }, actions: ['wrap'] }];
const ALLOWED = JSON.stringify({ results: [{ actions: { wrap: 'EFFECT_ALLOW' } }] });

/**
 * Starts a policy decision point that answers with `answer`. Returns `check`, which asks it for a decision, and
 * `requested`, the paths of the requests that it received.
 */
async function startDecisionPoint(answer: RequestListener, path = '') {
  const requested: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    requested.push(request.url);
    answer(request, response);
  });
  const port = await listen(server);
  onTestFinished(() => server.closeAllConnections());
  onTestFinished(() => void server.close());
  const point = new DecisionPoint(`http://127.0.0.1:${port}${path}`);
  return { requested, check: () => point.check(PRINCIPAL, RESOURCES) };
}

describe('the policy decision point', () => {
  test.each(['', '/', '/cerbos', '/cerbos/'])(
    'the address of the policy decision point may have the base path "%s"',
    async (path) => {
      const { requested, check } = await startDecisionPoint((_, response) => response.end(ALLOWED), path);
      for (let time = 0; time < 2; time++) expect(await check()).toEqual([{ wrap: 'EFFECT_ALLOW' }]);
      expect(new Set(requested)).toEqual(new Set([`${path.replace(/\/$/, '')}/api/check/resources`]));
    },
  );

  test.each<[string, RequestListener]>([
    ['status 500', (_, response) => response.writeHead(500).end(ALLOWED)],
    ['text that is not JSON', (_, response) => response.end('allow')],
    ['JSON of another shape', (_, response) => response.end('{"results":[{"actions":[]}]}')],
    ['a closed connection', (request) => request.socket.destroy()],
    [
      'a truncated response',
      (_, response) => response.writeHead(200, { 'content-length': 99 }).write(ALLOWED, () => response.destroy()),
    ],
  ])('a policy check fails if the decision point answers with %s', async (_, answer) => {
    await expect((await startDecisionPoint(answer)).check()).rejects.toThrow();
  });

  test('a policy check is retried if a reused connection closes before the answer', async () => {
    const { requested, check } = await startDecisionPoint((request, response) => {
      if (requested.length === 2) request.socket.resetAndDestroy();
      else response.end(ALLOWED);
    });
    for (let time = 0; time < 2; time++) expect(await check()).toEqual([{ wrap: 'EFFECT_ALLOW' }]);
    expect(requested).toHaveLength(3);
  });
});
