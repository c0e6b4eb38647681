/*
 * Makes one attack. It runs in a separate process, so that it does not slow down the measurement: node
 * bench/fairness/attacker.ts '{"attack","stack","url","firestore"}'. Sends an IPC message when the attack is prepared.
 * The parent's first message starts the attack, and its second message ends it. The reply to the second message is the
 * tallies.
 */
import { once } from 'node:events';
import { z } from 'zod';
import type { HttpRequest } from '../load.ts';
import { makeTenant } from '../tenant.ts';
import { Tally } from './attack.ts';
import { ATTACKS } from './attacks.ts';
import { sendAndTally } from './ordinary.ts';

const options = z
  .object({
    attack: z.string(),
    stack: z.object({ baseUrl: z.string(), controlUrl: z.string() }),
    url: z.string(),
    firestore: z.string(),
  })
  .parse(JSON.parse(process.argv[2] ?? ''));
const attack = ATTACKS.find(({ name }) => name === options.attack);
if (attack === undefined) throw new Error(`no such attack: ${options.attack}`);

const { url, firestore } = options;
const stop = new AbortController();
const tally = new Tally();
const victim = new Tally();
const tenant = await makeTenant(options.stack);
const send = (request: HttpRequest) => sendAndTally(url, request, tally, stop.signal);
const sendAsVictim = (request: HttpRequest) => sendAndTally(url, request, victim, stop.signal);
const makeAccomplice = () => makeTenant(options.stack);
const start = await attack.prepare({
  tenant,
  makeAccomplice,
  url,
  firestore,
  stopped: stop.signal,
  tally,
  send,
  sendAsVictim,
});
process.send?.({ ready: true });
await once(process, 'message');
start().catch((error: unknown) => {
  process.stderr.write(`${attack.name}: ${error instanceof Error ? error.stack : error}\n`);
});
await once(process, 'message');
stop.abort();
process.send?.({ answers: tally.answers, victim: victim.answers }, () => process.exit());
