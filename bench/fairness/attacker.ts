/*
 * Attacks, from a process of its own, which takes nothing from whoever measures:
 * node bench/fairness/attacker.ts '{"attack","stack","url","firestore"}'. Says when it is ready, begins with the next
 * message, and with the one after that ends and says what it was answered.
 */
import { once } from 'node:events';
import { z } from 'zod';
import { ATTACKS } from './attacks.ts';
import { askNoting } from './ordinary.ts';
import { Tally } from './tally.ts';
import { makeTenant } from './tenant.ts';

const asked = z
  .object({
    attack: z.string(),
    stack: z.object({ baseUrl: z.string(), controlUrl: z.string() }),
    url: z.string(),
    firestore: z.string(),
  })
  .parse(JSON.parse(process.argv[2] ?? ''));
const attack = ATTACKS.find(({ name }) => name === asked.attack);
if (attack === undefined) throw new Error(`no such attack: ${asked.attack}`);

const { url, firestore } = asked;
const stop = new AbortController();
const tally = new Tally();
const tenant = await makeTenant(asked.stack);
const send = (one: Parameters<typeof askNoting>[1]) => askNoting(url, one, tally, stop.signal);
const begin = await attack.prepare({ tenant, url, firestore, stopped: stop.signal, tally, send });
process.send?.({ ready: true });
await once(process, 'message');
begin().catch((error: unknown) => {
  process.stderr.write(`${attack.name}: ${error instanceof Error ? error.stack : error}\n`);
});
await once(process, 'message');
stop.abort();
process.send?.({ answers: tally.answers }, () => process.exit());
