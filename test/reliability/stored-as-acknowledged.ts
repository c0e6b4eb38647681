import { z } from 'zod';
import { FairQueue } from '../../shared/base/fair-queue.ts';
import { checkLog, serviceFor } from '../support/check-log.ts';
import type { Client, Tenant } from '../support/tenant.ts';
import { usageOf } from '../support/usage.ts';
import { type KnownKey, type Ledger, UnexpectedAnswer } from './ledger.ts';

const DECRYPTING = { what: 'keys whose ciphertexts are decrypted', owner: 'drill', running: 12, runningPerOwner: 12 };

const shownKey = z.object({
  versions: z.array(z.object({ version: z.int(), state: z.string() })),
  /** Missing in the answers of versions of the service that do not have this field. */
  description: z.string().nullish(),
});
const plain = z.object({ plaintext: z.string() });
const decrypted = z.union([plain, z.object({ data: plain }).transform(({ data }) => data)]);

/**
 * Decrypts every ciphertext in the ledger. If the key version of a ciphertext is no longer enabled, the service must
 * refuse. Adds wrong answers to the ledger's flaws. Returns the number of ciphertexts that were decrypted.
 */
export async function decryptKept(ledger: Ledger): Promise<number> {
  const queue = new FairQueue(DECRYPTING);
  const counts = await Promise.all(ledger.keys.map((key) => queue.run('', () => decryptKeptOf(ledger, key))));
  return counts.reduce((sum, count) => sum + count, 0);
}

/**
 * Compares counts, audit rows and sealed logs with the ledger, and adds the differences to the ledger's flaws. Throws
 * if a report cannot be read.
 */
export async function compareStored({ keys, rows, flaws }: Ledger, tenants: readonly Tenant[]): Promise<void> {
  const counted = new Map<string, number>();
  const left = new Map<string, string[]>();
  for (const { console } of tenants) {
    for (const { key_id, ops } of await usageOf(console)) counted.set(key_id, ops);
    for (const [id, row] of await readRows(console)) left.set(id, [...(left.get(id) ?? []), row]);
    const { findings, entries } = await checkLog(console);
    for (const { code, message } of findings) flaws.push(`a sealed log: ${code}: ${message}`);
    if (entries === 0) flaws.push('no entry of a log is sealed');
  }
  for (const { id, ops } of keys) {
    const known = counted.get(id) ?? 0;
    if (known !== ops) flaws.push(`a key performed ${ops} operations, but ${known} are counted`);
  }
  for (const [id, row] of rows) {
    const found = left.get(id)?.join() ?? 'none';
    if (found !== row) flaws.push(`a request must leave the audit row “${row}”, but left ${found}`);
  }
  for (const [id, found] of left)
    if (!rows.has(id)) flaws.push(`the audit row “${found.join()}” belongs to no request`);
}

/** Reads a key and decrypts its ciphertexts. Returns the number of ciphertexts that were decrypted. */
async function decryptKeptOf(ledger: Ledger, key: KnownKey): Promise<number> {
  const { id, by, kept } = key;
  let count = 0;
  try {
    const { versions, description } = shownKey.parse((await ledger.send({ by, call: `GET /v1/keys/${id}` })).body);
    if (description !== undefined && description !== key.description) {
      ledger.flaws.push(`a key must have the description “${key.description}”, but has “${description}”`);
    }
    const enabled = versions.filter(({ state }) => state === 'enabled').map(({ version }) => version);
    for (const { version, call, body, plaintext } of kept) {
      const refused = enabled.includes(version) ? undefined : 'invalid_ciphertext';
      const answer = await ledger.send({ by, call, body, row: 'decrypt', meters: key, refused });
      if (refused !== undefined) continue;
      if (decrypted.parse(answer.body).plaintext !== plaintext) ledger.flaws.push('a ciphertext has another plaintext');
      count++;
    }
  } catch (error) {
    if (!(error instanceof UnexpectedAnswer)) throw error;
  }
  return count;
}

/**
 * Returns a tenant's audit rows in the form in which the ledger keeps them: the request id, and `operation error_code`.
 */
export async function readRows(session: Client): Promise<[id: string, row: string][]> {
  const events = await Array.fromAsync(serviceFor(session).readAudit({ limit: 1000 }));
  return events.map(({ request_id, operation, error_code }) => {
    return [request_id ?? '', [operation, error_code ?? []].flat().join(' ')];
  });
}
