import { createServer, type RequestListener } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { DecisionPoint } from '../../../shared/auth/decision-point.ts';
import { listen } from '../../support/second-service.ts';

const PRINCIPAL = { id: 'one', roles: ['api_key'], attr: {} };
const RESOURCES = [{ resource: { kind: 'key', id: 'one', attr: {} }, actions: ['wrap'] }];
const ALLOWED = JSON.stringify({ results: [{ actions: { wrap: 'EFFECT_ALLOW' } }] });

/** A decision point that answers as it is told, and the paths it was asked. */
async function answering(answer: RequestListener, path = '') {
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url);
    answer(request, response);
  });
  const port = await listen(server);
  onTestFinished(() => server.closeAllConnections());
  onTestFinished(() => void server.close());
  const point = new DecisionPoint(`http://127.0.0.1:${port}${path}`);
  return { asked, check: () => point.check(PRINCIPAL, RESOURCES) };
}

describe('the decision point', () => {
  test.each(['', '/', '/cerbos', '/cerbos/'])(
    'is asked below its address (%s), connection after connection kept',
    async (path) => {
      const { asked, check } = await answering((_, response) => response.end(ALLOWED), path);
      for (let time = 0; time < 2; time++) expect(await check()).toEqual([{ wrap: 'EFFECT_ALLOW' }]);
      expect(new Set(asked)).toEqual(new Set([`${path.replace(/\/$/, '')}/api/check/resources`]));
    },
  );

  test.each<[string, RequestListener]>([
    ['another status', (_, response) => response.writeHead(500).end(ALLOWED)],
    ['no JSON', (_, response) => response.end('allow')],
    ['other JSON', (_, response) => response.end('{"results":[{"actions":[]}]}')],
    ['no answer but an end', (request) => request.socket.destroy()],
    [
      'half of one',
      (_, response) => response.writeHead(200, { 'content-length': 99 }).write(ALLOWED, () => response.destroy()),
    ],
  ])('has decided nothing with %s', async (_, answer) => {
    await expect((await answering(answer)).check()).rejects.toThrow();
  });

  test('is asked again where the connection that was kept is closed before it is used', async () => {
    const { asked, check } = await answering((request, response) => {
      if (asked.length === 2) request.socket.resetAndDestroy();
      else response.end(ALLOWED);
    });
    for (let time = 0; time < 2; time++) expect(await check()).toEqual([{ wrap: 'EFFECT_ALLOW' }]);
    expect(asked).toHaveLength(3);
  });
});
