import { expect, test } from 'vitest';
import { nextPage } from '../../src/http/link.ts';
import { EncryptionService } from '../../src/service.ts';
import { failureOf } from '../support/failure-of.ts';
import { API_KEY, KEY } from '../support/objects.ts';
import { answer, refuse, scriptedServer } from '../support/scripted-server.ts';

const server = scriptedServer();
const connect = () => new EncryptionService({ url: server.url, apiKey: API_KEY });
const event = (ts: string) => ({ ts, operation: 'encrypt', result: 'success', error_code: null });
const next = (to: string) => ({ link: `<${to}>; rel="next"` });

test('each page is requested with the credential, at the link in the previous page', async () => {
  server.play(
    answer(200, [event('2026-11-20T10:00:03.000003Z')], next('/v1/audit?limit=1&cursor=a%2Bb')),
    answer(200, [event('2026-11-20T10:00:02.000002Z')], next('/v1/audit?limit=1&cursor=c')),
    answer(200, [event('2026-11-20T10:00:01.000001Z')]),
  );
  const events = await Array.fromAsync(connect().readAudit({ limit: 1 }));
  expect(events.map(({ ts }) => ts.toISOString())).toEqual([
    '2026-11-20T10:00:03.000Z',
    '2026-11-20T10:00:02.000Z',
    '2026-11-20T10:00:01.000Z',
  ]);
  expect(server.requests.map(({ call }) => call)).toEqual([
    'GET /v1/audit?limit=1',
    'GET /v1/audit?limit=1&cursor=a%2Bb',
    'GET /v1/audit?limit=1&cursor=c',
  ]);
  expect(server.requests.every(({ headers }) => headers.authorization === `Bearer ${API_KEY}`)).toBe(true);
});

test('a page is requested only when it is needed', async () => {
  server.play(answer(200, [event('2026-11-20T10:00:03Z')], next(`/v1/keys/${KEY.id}/audit?cursor=a`)));
  for await (const one of connect().readKeyAudit(KEY.id)) {
    expect(one.operation).toBe('encrypt');
    break;
  }
  expect(server.requests.map(({ call }) => call)).toEqual([`GET /v1/keys/${KEY.id}/audit`]);
});

test('a next-page link to another server or path is requested from the original server and path', async () => {
  server.play(answer(200, [], next(`http://127.0.0.1:1/v1/keys?cursor=a`)), answer(200, []));
  await Array.fromAsync(connect().readAudit());
  expect(server.requests.map(({ call }) => call)).toEqual(['GET /v1/audit', 'GET /v1/audit?cursor=a']);
});

test('if a page fails, reading the list throws the error after it has returned the events of earlier pages', async () => {
  server.play(answer(200, [event('2026-11-20T10:00:03Z')], next('/v1/audit?cursor=a')), refuse(400, 'invalid_query'));
  const seen: unknown[] = [];
  const read = async () => {
    for await (const one of connect().readAudit()) seen.push(one.operation);
  };
  expect(await failureOf(read())).toMatchObject({ code: 'invalid_query' });
  expect(seen).toEqual(['encrypt']);
});

test.each([
  ['</v1/audit?cursor=a>; rel="next"', '?cursor=a'],
  ['</v1/audit?cursor=a>;rel=next', '?cursor=a'],
  ['</v1/audit?cursor=z>; rel="prev", </v1/audit?cursor=a>; rel="next"', '?cursor=a'],
  ['</v1/audit?cursor=z>; rel="prev"', undefined],
  ['</v1/audit>; rel="next"', undefined],
  ['', undefined],
  [undefined, undefined],
])('for the Link header %j, the query of the next page is %j', (link, query) => {
  expect(nextPage(link)).toBe(query);
});
