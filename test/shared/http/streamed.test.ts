import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { makeLog } from '../../../shared/base/log.ts';
import { readConfig } from '../../../shared/config.ts';
import { Routes } from '../../../shared/http/pipeline.ts';
import type { Request } from '../../../shared/http/request.ts';
import { makeListener } from '../../../shared/http/serve.ts';
import { begin, streamLines, streamList } from '../../../shared/http/streamed.ts';
import { NO_METRICS } from '../../../shared/telemetry/metrics.ts';
import { MINIMAL } from '../environment.ts';
import { withServer } from './exchange.ts';

const PAGES = 600;
/** 100 lines of 100 characters. All pages together are larger than what is read before an answer begins. */
const page = Array.from({ length: 100 }, () => 'x'.repeat(100));

/** Yields `PAGES` pages, then throws if `fails`. `read` has the number of pages so far. */
function makeSource({ pages = PAGES, fails = false } = {}) {
  const source = { read: 0, ended: false };
  async function* lines() {
    try {
      for (; source.read < pages; source.read++) yield page;
      if (fails) throw new Error('the store failed');
    } finally {
      source.ended = true;
    }
  }
  return { source, lines: lines() };
}

const spec = { id: 'r', path: '/', summary: 's', description: 'd', tag: 'Health', statuses: [200] } as const;
const { description } = new Routes([]).openRoute({
  ...spec,
  answer: z.string(),
  respond: async () => ({ status: 200, body: '' }),
});

/** Serves these lines as a list. Resolves `logged` with the names of the log lines. */
function serving(lines: AsyncIterable<readonly string[]>, use: (port: number, logged: string[]) => Promise<void>) {
  const logged: string[] = [];
  const log = makeLog((line) => logged.push(String(line)));
  const services = { config: readConfig(MINIMAL), log, metrics: NO_METRICS };
  const respond = async (_: Request) => {
    const { pieces } = streamList(lines, (line) => line);
    return { status: 200, ...(await begin({ pieces }, (work) => work())) };
  };
  const listener = makeListener(services, async () => ({ route: { description, respond }, pathId: '' }));
  return withServer(listener, (port) => use(port, logged));
}

test('a list that does not fit into memory is sent whole, in pieces', async () => {
  const { source, lines } = makeSource();
  await serving(lines, async (port) => {
    const response = await fetch(`http://127.0.0.1:${port}/`);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.has('content-length')).toBe(false);
    const list = z.array(z.string()).parse(await response.json());
    expect([list.length, new Set(list)]).toEqual([PAGES * page.length, new Set(page)]);
    expect(source.ended).toBe(true);
  });
});

test('a list that fits into memory has a content-length', async () => {
  const { lines } = makeSource({ pages: 3 });
  await serving(lines, async (port) => {
    const response = await fetch(`http://127.0.0.1:${port}/`);
    expect(Number(response.headers.get('content-length'))).toBe((await response.text()).length);
  });
});

test('a list is read no faster than its client receives it, and no further once the client has disconnected', async () => {
  const { source, lines } = makeSource({ pages: Number.POSITIVE_INFINITY });
  await serving(lines, async (port) => {
    const client = connect(port, '127.0.0.1').pause();
    onTestFinished(() => void client.destroy());
    client.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    await expect.poll(() => source.read).toBeGreaterThan(300);
    await expect
      .poll(async () => {
        const before = source.read;
        for (let turns = 0; turns < 50; turns++) await new Promise((resolve) => setImmediate(resolve));
        return source.read - before;
      })
      .toBe(0);
    client.destroy();
    await expect.poll(() => source.ended).toBe(true);
  });
});

test.each([
  ['before the answer begins is 500', 3, async (port: number) => expect((await get(port)).status).toBe(500)],
  [
    'after that closes the connection',
    PAGES,
    async (port: number) => expect((await get(port)).text()).rejects.toThrow(),
  ],
])('an error of the store %s, and is logged', async (_, pages, check) => {
  await serving(makeSource({ pages, fails: true }).lines, async (port, logged) => {
    await check(port);
    await expect.poll(() => logged.join('')).toContain('request failed');
  });
});

test('an object has its lines between the members that are known before and after them', async () => {
  async function* lines() {
    yield [];
    yield [1, 2];
    yield [3];
  }
  const { pieces } = streamLines({ before: { a: 'é' }, lines: lines(), after: () => ({ total: 6 }) });
  expect(JSON.parse((await Array.fromAsync(pieces)).join(''))).toEqual({ a: 'é', lines: [1, 2, 3], total: 6 });
});

test('HEAD ends the reading of a list', async () => {
  const { source, lines } = makeSource();
  await serving(lines, async (port) => {
    const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'HEAD' });
    expect([response.status, await response.text()]).toEqual([200, '']);
    await expect.poll(() => source.ended).toBe(true);
  });
});

function get(port: number): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}/`);
}
