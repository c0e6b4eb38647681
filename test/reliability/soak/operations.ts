import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { SoakKey } from './tenants.ts';
import { kindOf, operate, type Step, transit, type Visit, WRITING } from './visit.ts';

const DATA_KEY_BYTES = 32;
const LARGEST_BYTES = 4_096;

/** Performs one of the five operations with one of the tenant’s keys. */
export const useKey: Step = async (visit) => {
  const { tenant, random } = visit;
  const key = random.pick(tenant.keys);
  await key.use(() => random.pick([encrypt, encrypt, wrap, open, open, unwrap, rewrap])(visit, key));
};

/** Performs one of the five operations through its Transit route. */
export const useTransit: Step = async (visit) => {
  const { tenant, random } = visit;
  const key = random.pick(tenant.keys);
  await key.use(() => random.pick([transitEncrypt, transitDecrypt, transitBatch, transitRewrap, dataKey])(visit, key));
};

/** Sends a value that no key decrypts. */
export const useWrongValue: Step = async ({ tenant, sender, random }) => {
  const key = random.pick(tenant.keys);
  const input = { ciphertext: randomBytes(64) };
  await key.use(() =>
    sender.call(kindOf(key), tenant.apiKey, (service) => service.decrypt(key.id, input), '400 invalid_ciphertext'),
  );
};

/** Decrypts all values of a key that were kept. Returns the number of values. */
export async function decryptAll(visit: Visit, key: SoakKey): Promise<number> {
  for (const value of key.values) await decryptValue(visit, key, value);
  return key.values.length;
}

function call<Answer>(
  { tenant, sender }: Visit,
  key: SoakKey,
  operation: 'encrypt' | 'decrypt' | 'wrap' | 'unwrap' | 'rewrap',
  work: Parameters<typeof sender.call<Answer>>[2],
) {
  return operate(tenant, key, operation, sender.call(kindOf(key), tenant.apiKey, work));
}

async function encrypt(visit: Visit, key: SoakKey): Promise<void> {
  const { random } = visit;
  const plaintext = randomBytes(random.next() < 0.5 ? DATA_KEY_BYTES : 1 + random.below(LARGEST_BYTES));
  const aad = random.next() < 0.5 ? null : randomBytes(16);
  const { version } = key;
  const sealed = await call(visit, key, 'encrypt', (service) => service.encrypt(key.id, { plaintext, aad }));
  if (sealed !== undefined) key.keep({ ...sealed, plaintext, aad, version });
}

async function wrap(visit: Visit, key: SoakKey): Promise<void> {
  const { version } = key;
  const wrapped = await call(visit, key, 'wrap', (service) => service.wrap(key.id));
  if (wrapped === undefined) return;
  if (wrapped.dek?.length !== DATA_KEY_BYTES) visit.flaw('wrap: no data key of 32 bytes');
  key.keep({ ciphertext: wrapped.wrapped, plaintext: wrapped.dek ?? new Uint8Array(), aad: null, version });
}

async function open(visit: Visit, key: SoakKey): Promise<void> {
  if (key.values.length > 0) await decryptValue(visit, key, visit.random.pick(key.values));
}

async function decryptValue(visit: Visit, key: SoakKey, value: SoakKey['values'][number]): Promise<void> {
  const { ciphertext, aad } = value;
  const opened = await call(visit, key, 'decrypt', (service) => service.decrypt(key.id, { ciphertext, aad }));
  if (opened !== undefined) expectBytes(visit, 'decrypt', opened.plaintext, value.plaintext);
}

async function unwrap(visit: Visit, key: SoakKey): Promise<void> {
  const wrapped = key.values.filter(({ plaintext }) => plaintext.length === DATA_KEY_BYTES);
  if (wrapped.length === 0) return;
  const { ciphertext, aad, plaintext } = visit.random.pick(wrapped);
  const input = { wrapped: ciphertext, aad };
  const opened = await call(visit, key, 'unwrap', (service) => service.unwrap(key.id, input));
  if (opened !== undefined) expectBytes(visit, 'unwrap', opened.dek, plaintext);
}

async function rewrap(visit: Visit, key: SoakKey): Promise<void> {
  if (key.values.length === 0) return;
  const { version } = key;
  const { ciphertext, aad, plaintext } = visit.random.pick(key.values);
  const sealed = await call(visit, key, 'rewrap', (service) => service.rewrap(key.id, { ciphertext, aad }));
  if (sealed !== undefined) key.keep({ ...sealed, plaintext, aad, version });
}

function expectBytes({ flaw }: Visit, operation: string, actual: Uint8Array, expected: Uint8Array): void {
  if (!Buffer.from(actual).equals(expected))
    flaw(`${operation}: the plaintext differs from the one that was encrypted`);
}

const sealed = z.object({ data: z.object({ ciphertext: z.string(), key_version: z.int() }) });
const opened = z.object({ data: z.object({ plaintext: z.base64() }) });
const item = z.object({ ciphertext: z.string() }).or(z.object({ error: z.string() }));
const batch = z.object({ data: z.object({ batch_results: z.array(item) }) });
const BATCH = 3;

function pathOf(what: string, { name }: SoakKey): string {
  return `/transit/${what}/${encodeURIComponent(name)}`;
}

function readSealed(text: string, version: number): { ciphertext: Uint8Array; version: number } {
  return { ciphertext: Buffer.from(text.slice(text.lastIndexOf(':') + 1), 'base64'), version };
}

function viewSealed({ ciphertext, version }: SoakKey['values'][number]): string {
  return `vault:v${version}:${Buffer.from(ciphertext).toString('base64')}`;
}

async function transitEncrypt(visit: Visit, key: SoakKey): Promise<void> {
  const plaintext = randomBytes(DATA_KEY_BYTES);
  const body = { plaintext: plaintext.toString('base64') };
  const sent = transit(visit, 'Transit', visit.random.pick(WRITING), pathOf('encrypt', key), body);
  const answer = await operate(visit.tenant, key, 'encrypt', sent);
  if (answer === undefined) return;
  const { data } = sealed.parse(answer);
  key.keep({ ...readSealed(data.ciphertext, data.key_version), plaintext, aad: null });
}

async function transitDecrypt(visit: Visit, key: SoakKey): Promise<void> {
  if (key.values.length === 0) return;
  const value = visit.random.pick(key.values);
  const body = {
    ciphertext: viewSealed(value),
    associated_data: value.aad && Buffer.from(value.aad).toString('base64'),
  };
  const answer = await operate(
    visit.tenant,
    key,
    'decrypt',
    transit(visit, 'Transit', visit.random.pick(WRITING), pathOf('decrypt', key), body),
  );
  if (answer === undefined) return;
  expectBytes(visit, 'Transit decrypt', Buffer.from(opened.parse(answer).data.plaintext, 'base64'), value.plaintext);
}

async function transitBatch(visit: Visit, key: SoakKey): Promise<void> {
  const plaintexts = Array.from({ length: BATCH }, () => randomBytes(DATA_KEY_BYTES));
  const body = { batch_input: plaintexts.map((plaintext) => ({ plaintext: plaintext.toString('base64') })) };
  const { version } = key;
  const at = performance.now();
  const itemsOf = (answer: unknown) => batch.parse(answer).data.batch_results;
  const answer = await operate(
    visit.tenant,
    key,
    'encrypt',
    transit(visit, 'Transit', visit.random.pick(WRITING), pathOf('encrypt', key), body),
    (done) => itemsOf(done).filter((one) => 'ciphertext' in one).length,
    BATCH,
  );
  if (answer === undefined) return;
  for (const [index, one] of itemsOf(answer).entries()) {
    const plaintext = plaintexts[index];
    if ('error' in one)
      visit.sender.noteRefusal('Transit', `400 ${one.error.replace(/:.*/s, '')}`, at, performance.now());
    else if (plaintext !== undefined) key.keep({ ...readSealed(one.ciphertext, version), plaintext, aad: null });
  }
}

async function transitRewrap(visit: Visit, key: SoakKey): Promise<void> {
  const plain = key.values.filter(({ aad }) => aad === null);
  if (plain.length === 0) return;
  const value = visit.random.pick(plain);
  const sent = transit(visit, 'Transit', visit.random.pick(WRITING), pathOf('rewrap', key), {
    ciphertext: viewSealed(value),
  });
  const answer = await operate(visit.tenant, key, 'rewrap', sent);
  if (answer === undefined) return;
  const { data } = sealed.parse(answer);
  key.keep({ ...value, ...readSealed(data.ciphertext, data.key_version) });
}

async function dataKey(visit: Visit, key: SoakKey): Promise<void> {
  const which = visit.random.pick(['plaintext', 'wrapped']);
  await operate(
    visit.tenant,
    key,
    'wrap',
    transit(visit, 'Transit', visit.random.pick(WRITING), pathOf(`datakey/${which}`, key), {}),
  );
}
