import { connect } from 'node:net';
import type { Attack, Attacker } from '../attack.ts';
import { atInterval, inParallel } from '../pace.ts';
import { WEBHOOK_PATH } from '../subscription-events.ts';

const OF_ONE = 500;
const API_KEYS = 25;
const OF_EACH = 100;
const WEBHOOKS = 64;
const DRIP_MS = 1_000;
/** The interval, in milliseconds, in which the rate limit allows each API key one request. */
const RATE_MS = 10;

/** Tries to exhaust the concurrency limit of requests, and the resources that a request uses before its body has been read. */
export const slowBodies: Attack = {
  name: 'slow bodies',
  sends: `${OF_ONE} simultaneous requests of one API key, whose bodies never end`,
  prepare: (attacker) => encryptSlowly(attacker, [attacker.tenant.apiKey], OF_ONE),
};

/** Sends more concurrent requests than one process accepts. */
export const slowBodiesOfMany: Attack = {
  name: 'slow bodies of many',
  sends: `${OF_EACH} simultaneous requests of each of ${API_KEYS} API keys, whose bodies never end`,
  async prepare(attacker) {
    return encryptSlowly(attacker, await inParallel(API_KEYS, () => attacker.tenant.mint()), OF_EACH);
  },
};

/** Tries to exhaust the concurrency limit of webhooks. */
export const slowWebhooks: Attack = {
  name: 'slow webhooks',
  sends: `${WEBHOOKS} simultaneous webhooks with a wrong signature, whose bodies never end`,
  prepare: async (attacker) => () =>
    keepOpen(attacker, WEBHOOKS, `POST ${WEBHOOK_PATH} HTTP/1.1\r\nstripe-signature: t=1,v1=00\r\n`),
};

async function encryptSlowly(attacker: Attacker, tokens: readonly string[], each: number) {
  const key = await attacker.tenant.createKey(attacker.url, 'wrapped');
  const head = (token: string) => `POST /v1/keys/${key}/encrypt HTTP/1.1\r\nauthorization: Bearer ${token}\r\n`;
  return () => Promise.all(tokens.map((token) => keepOpen(attacker, each, head(token))));
}

/**
 * Keeps `count` requests open at the same time. Opens at most one request per interval, and replaces requests that were
 * answered.
 */
function keepOpen(attacker: Attacker, count: number, head: string): Promise<void> {
  let open = 0;
  return atInterval(RATE_MS, attacker.stopped, () => {
    if (open >= count) return;
    open++;
    begin(attacker, head, () => open--);
  });
}

function begin({ url, tally, stopped }: Attacker, head: string, ended: () => void): void {
  const { hostname, port, host } = new URL(url);
  const startedAt = performance.now();
  const socket = connect(Number(port), hostname);
  socket.write(`${head}host: ${host}\r\ncontent-type: application/json\r\ncontent-length: 60000\r\n\r\n{`);
  const drip = setInterval(() => socket.write(' '), DRIP_MS);
  const destroy = () => socket.destroy();
  stopped.addEventListener('abort', destroy);
  socket.once('data', (answer) => {
    const [, status = ''] = /^HTTP\/1\.1 (\d+)/.exec(answer.toString()) ?? [];
    const [, error = ''] = /"error":"(\w+)"/.exec(answer.toString()) ?? [];
    tally.record(`${status} ${error}`.trim(), performance.now() - startedAt);
    socket.destroy();
  });
  socket.on('error', () => undefined);
  socket.once('close', () => {
    clearInterval(drip);
    stopped.removeEventListener('abort', destroy);
    ended();
  });
}
