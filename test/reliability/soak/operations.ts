import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { kindOf, operate, type Step, type StepContext, transit, WRITING } from './step.ts';
import type { SoakKey } from './tenants.ts';

const DATA_KEY_BYTES = 32;
const LARGEST_BYTES = 4_096;

/** Performs one of the five operations with one of the tenant’s keys. */
export const useKey: Step = async (context) => {
  const { tenant, random } = context;
  const key = random.pick(tenant.keys);
  await key.use(() => random.pick([encrypt, encrypt, wrap, open, open, unwrap, rewrap])(context, key));
};

/** Performs one of the five operations through its Transit route. */
export const useTransit: Step = async (context) => {
  const { tenant, random } = context;
  const key = random.pick(tenant.keys);
  await key.use(() =>
    random.pick([transitEncrypt, transitDecrypt, transitBatch, transitRewrap, dataKey])(context, key),
  );
};

/** Sends a value that no key can decrypt. */
export const useWrongValue: Step = async ({ tenant, sender, random }) => {
  const key = random.pick(tenant.keys);
  const input = { ciphertext: randomBytes(64) };
  await key.use(() =>
    sender.call(kindOf(key), tenant.apiKey, (service) => service.decrypt(key.id, input), '400 invalid_ciphertext'),
  );
};

/** Decrypts all kept values of a key. Returns their number. */
export async function decryptAll(context: StepContext, key: SoakKey): Promise<number> {
  for (const value of key.values) await decryptValue(context, key, value);
  return key.values.length;
}

function call<Answer>(
  { tenant, sender }: StepContext,
  key: SoakKey,
  operation: 'encrypt' | 'decrypt' | 'wrap' | 'unwrap' | 'rewrap',
  work: Parameters<typeof sender.call<Answer>>[2],
) {
  return operate(tenant, key, operation, sender.call(kindOf(key), tenant.apiKey, work));
}

async function encrypt(context: StepContext, key: SoakKey): Promise<void> {
  const { random } = context;
  const plaintext = randomBytes(random.next() < 0.5 ? DATA_KEY_BYTES : 1 + random.below(LARGEST_BYTES));
  const aad = random.next() < 0.5 ? null : randomBytes(16);
  const { version } = key;
  const sealed = await call(context, key, 'encrypt', (service) => service.encrypt(key.id, { plaintext, aad }));
  if (sealed !== undefined) key.keep({ ...sealed, plaintext, aad, version });
}

async function wrap(context: StepContext, key: SoakKey): Promise<void> {
  const { version } = key;
  const wrapped = await call(context, key, 'wrap', (service) => service.wrap(key.id));
  if (wrapped === undefined) return;
  if (wrapped.dek?.length !== DATA_KEY_BYTES) context.flaw('wrap: no data key of 32 bytes');
  key.keep({ ciphertext: wrapped.wrapped, plaintext: wrapped.dek ?? new Uint8Array(), aad: null, version });
}

async function open(context: StepContext, key: SoakKey): Promise<void> {
  if (key.values.length > 0) await decryptValue(context, key, context.random.pick(key.values));
}

async function decryptValue(context: StepContext, key: SoakKey, value: SoakKey['values'][number]): Promise<void> {
  const { ciphertext, aad } = value;
  const opened = await call(context, key, 'decrypt', (service) => service.decrypt(key.id, { ciphertext, aad }));
  if (opened !== undefined) expectBytes(context, 'decrypt', opened.plaintext, value.plaintext);
}

async function unwrap(context: StepContext, key: SoakKey): Promise<void> {
  const wrapped = key.values.filter(({ plaintext }) => plaintext.length === DATA_KEY_BYTES);
  if (wrapped.length === 0) return;
  const { ciphertext, aad, plaintext } = context.random.pick(wrapped);
  const input = { wrapped: ciphertext, aad };
  const opened = await call(context, key, 'unwrap', (service) => service.unwrap(key.id, input));
  if (opened !== undefined) expectBytes(context, 'unwrap', opened.dek, plaintext);
}

async function rewrap(context: StepContext, key: SoakKey): Promise<void> {
  if (key.values.length === 0) return;
  const { version } = key;
  const { ciphertext, aad, plaintext } = context.random.pick(key.values);
  const sealed = await call(context, key, 'rewrap', (service) => service.rewrap(key.id, { ciphertext, aad }));
  if (sealed !== undefined) key.keep({ ...sealed, plaintext, aad, version });
}

function expectBytes({ flaw }: StepContext, operation: string, actual: Uint8Array, expected: Uint8Array): void {
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

function viewEncrypted({ ciphertext, version }: SoakKey['values'][number]): string {
  return `vault:v${version}:${Buffer.from(ciphertext).toString('base64')}`;
}

async function transitEncrypt(context: StepContext, key: SoakKey): Promise<void> {
  const plaintext = randomBytes(DATA_KEY_BYTES);
  const body = { plaintext: plaintext.toString('base64') };
  const sent = transit(context, 'Transit', context.random.pick(WRITING), pathOf('encrypt', key), body);
  const answer = await operate(context.tenant, key, 'encrypt', sent);
  if (answer === undefined) return;
  const { data } = sealed.parse(answer);
  key.keep({ ...readSealed(data.ciphertext, data.key_version), plaintext, aad: null });
}

async function transitDecrypt(context: StepContext, key: SoakKey): Promise<void> {
  if (key.values.length === 0) return;
  const value = context.random.pick(key.values);
  const body = {
    ciphertext: viewEncrypted(value),
    associated_data: value.aad && Buffer.from(value.aad).toString('base64'),
  };
  const answer = await operate(
    context.tenant,
    key,
    'decrypt',
    transit(context, 'Transit', context.random.pick(WRITING), pathOf('decrypt', key), body),
  );
  if (answer === undefined) return;
  expectBytes(context, 'Transit decrypt', Buffer.from(opened.parse(answer).data.plaintext, 'base64'), value.plaintext);
}

async function transitBatch(context: StepContext, key: SoakKey): Promise<void> {
  const plaintexts = Array.from({ length: BATCH }, () => randomBytes(DATA_KEY_BYTES));
  const body = { batch_input: plaintexts.map((plaintext) => ({ plaintext: plaintext.toString('base64') })) };
  const { version } = key;
  const at = performance.now();
  const itemsOf = (answer: unknown) => batch.parse(answer).data.batch_results;
  const answer = await operate(
    context.tenant,
    key,
    'encrypt',
    transit(context, 'Transit', context.random.pick(WRITING), pathOf('encrypt', key), body),
    (done) => itemsOf(done).filter((one) => 'ciphertext' in one).length,
    BATCH,
  );
  if (answer === undefined) return;
  for (const [index, one] of itemsOf(answer).entries()) {
    const plaintext = plaintexts[index];
    if ('error' in one)
      context.sender.noteRefusal('Transit', `400 ${one.error.replace(/:.*/s, '')}`, at, performance.now());
    else if (plaintext !== undefined) key.keep({ ...readSealed(one.ciphertext, version), plaintext, aad: null });
  }
}

async function transitRewrap(context: StepContext, key: SoakKey): Promise<void> {
  const plain = key.values.filter(({ aad }) => aad === null);
  if (plain.length === 0) return;
  const value = context.random.pick(plain);
  const sent = transit(context, 'Transit', context.random.pick(WRITING), pathOf('rewrap', key), {
    ciphertext: viewEncrypted(value),
  });
  const answer = await operate(context.tenant, key, 'rewrap', sent);
  if (answer === undefined) return;
  const { data } = sealed.parse(answer);
  key.keep({ ...value, ...readSealed(data.ciphertext, data.key_version) });
}

async function dataKey(context: StepContext, key: SoakKey): Promise<void> {
  const which = context.random.pick(['plaintext', 'wrapped']);
  await operate(
    context.tenant,
    key,
    'wrap',
    transit(context, 'Transit', context.random.pick(WRITING), pathOf(`datakey/${which}`, key), {}),
  );
}
