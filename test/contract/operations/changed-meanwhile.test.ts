import { afterEach, describe, expect, inject, test, vi } from 'vitest';
import { DAY_US, MINUTE_US, makeInstant } from '../../../shared/base/clock.ts';
import { monthOf } from '../../../shared/base/month.ts';
import { decrypt, encrypt as encryptBytes } from '../../../shared/keys/cipher.ts';
import { KEYS, type Key } from '../../../shared/keys/key.ts';
import { make } from '../../../shared/keys/renewal.ts';
import { destroyIfDue } from '../../../shared/lifecycle/destroy-key.ts';
import { replaceKey } from '../../../shared/lifecycle/due.ts';
import { rotateKey } from '../../../shared/lifecycle/rotate-key.ts';
import type { Ended } from '../../../shared/metering/group-commit.ts';
import { eventsOfKey, inWords } from '../../support/audit.ts';
import { setSubscription } from '../../support/billing.ts';
import { type Answer, outcome } from '../../support/client.ts';
import { loadKey, openInProcess, serveInProcess } from '../../support/in-process.ts';
import { encrypt, operate } from '../../support/operations.ts';
import { Client, makeTenant } from '../../support/tenant.ts';
import { transit } from '../../support/transit.ts';
import { lineOf } from '../../support/usage.ts';

const stack = inject('stack');
const DATA = Buffer.alloc(32, 7).toString('base64');
const BATCH = { batch_input: [{ plaintext: DATA }, { plaintext: DATA }] };

afterEach(() => {
  vi.restoreAllMocks();
});

type Step = 'encryption' | 'commit' | 'write of the last use, after the commit';

/** A key whose operations run in this process. `during` calls a function once, a quarter of a second after a step. */
async function openKey(tier: 'wrapped' | 'software' = 'wrapped') {
  const { services: opened, clock } = openInProcess(stack, { TRANSIT: 'on' });
  let elapsedMs = 0;
  const startStopwatch = () => {
    const startedMs = elapsedMs;
    return () => elapsedMs - startedMs;
  };
  const services = { ...opened, startStopwatch };
  const tenant = await makeTenant(stack);
  const name = 'orders';
  const id = await tenant.createKey(tier, name);
  const ciphertext = await encrypt(tenant.api, id, DATA);
  const load = () => loadKey(services, id);
  const atOnce = { ...services, settle: async () => undefined };
  const rotateNow = async () => {
    const key = await load();
    await rotateKey(atOnce, { requestId: null, tenantId: key.tenant_id }, key);
  };
  const change = async (changes: Partial<Key>) => {
    const key = await load();
    await services.store.write((writes) => replaceKey(writes, { ...key, ...changes }));
  };
  const pending = (inUs: number) => {
    const now = services.clock.now();
    return change({
      state: 'pending_deletion',
      delete_requested_at: now,
      destroy_after: makeInstant(now + inUs),
      deletions: [{ requested_at: now, restored_at: null }],
    });
  };
  const destroyNow = async () => {
    await pending(0);
    await destroyIfDue(atOnce, (await load()).id, async () => undefined);
  };

  const { dataKeys } = services;
  if (dataKeys === undefined) throw new Error('there is no wrapped root');
  const during = (step: Step, meanwhile: () => Promise<void>, times = 1) => {
    let left = times;
    const after = async () => {
      if (left-- <= 0) return;
      await meanwhile();
      elapsedMs += 251;
    };
    if (step === 'commit') {
      const record = services.commits.record.bind(services.commits);
      const recordThen = (ended: Ended) => record(ended).then(after);
      vi.spyOn(services.commits, 'record').mockImplementation(recordThen);
    } else if (step === 'write of the last use, after the commit') {
      const committed = Promise.withResolvers<void>();
      const record = services.commits.record.bind(services.commits);
      vi.spyOn(services.commits, 'record').mockImplementation((ended) => record(ended).finally(committed.resolve));
      vi.spyOn(services.lastUse, 'note').mockImplementation(() => committed.promise.then(after));
    } else {
      const unwrap = dataKeys.unwrap.bind(dataKeys);
      vi.spyOn(dataKeys, 'unwrap').mockImplementation(async (place, wrapped) => {
        const dataKey = await unwrap(place, wrapped);
        await after();
        return dataKey;
      });
    }
  };
  let keyReads = 0;
  let readMs = 0;
  const read = services.store.read.bind(services.store);
  vi.spyOn(services.store, 'read').mockImplementation((path) => {
    if (path.startsWith(`${KEYS.name}/`)) {
      keyReads++;
      elapsedMs += readMs;
    }
    return read(path);
  });
  const slowReads = () => {
    readMs = 251;
  };

  /** Calls a route in this process. */
  const call = async (send: (client: Client) => Promise<Answer>): Promise<Answer> => {
    await using server = await serveInProcess(services, stack);
    keyReads = 0;
    return await send(new Client(server, tenant.api.token));
  };
  const encryptHere = () => call((client) => operate(client, id, 'encrypt', { plaintext: DATA }));
  const events = async () => inWords(await eventsOfKey(tenant.console, id)).filter((row) => /crypt|wrap/.test(row));
  const expectOpens = async (made: string) =>
    expect(outcome(await operate(tenant.api, id, 'decrypt', { ciphertext: made }))).toBe('200');
  return {
    ...{ services, clock, tenant, id, name, ciphertext, rotateNow, change, pending, destroyNow, during },
    ...{ readsOfKey: () => keyReads, slowReads, call, encryptHere, events, expectOpens },
  };
}

type OpenKey = Awaited<ReturnType<typeof openKey>>;

const MAKES = {
  encrypt: ({ id }, client) => operate(client, id, 'encrypt', { plaintext: DATA }),
  wrap: ({ id }, client) => operate(client, id, 'wrap', { dek: DATA }),
  rewrap: ({ id, ciphertext }, client) => operate(client, id, 'rewrap', { ciphertext }),
  'Transit’s encrypt': ({ name }, client) => transit(client, `POST /encrypt/${name}`, { plaintext: DATA }),
  'a batch of Transit’s encrypt': ({ name }, client) => transit(client, `POST /encrypt/${name}`, BATCH),
  'Transit’s datakey': ({ name }, client) => transit(client, `POST /datakey/wrapped/${name}`, {}),
} satisfies Record<string, (open: OpenKey, client: Client) => Promise<Answer>>;

/** Returns the ciphertexts in an answer, without Transit's prefix. */
function ciphertextsIn({ body }: Answer): string[] {
  return [...JSON.stringify(body).matchAll(/"(?:ciphertext|wrapped)":"(?:vault:v[12]:)?([^"]+)"/g)].map(
    ([, found = '']) => found,
  );
}

describe.each(['encryption', 'commit', 'write of the last use, after the commit'] as const)(
  'a rotation during the %s',
  (step) => {
    test.each(Object.entries(MAKES))(
      '%s returns ciphertext of the new version, and counts once',
      async (name, send) => {
        const open = await openKey();
        open.during(step, open.rotateNow);
        const answer = await open.call((client) => send(open, client));
        expect(outcome(answer)).toBe('200');
        const made = ciphertextsIn(answer);
        expect(made).toHaveLength(name.startsWith('a batch') ? 2 : 1);
        expect((await lineOf(open.tenant.api, open.id)).ops).toBe(1 + made.length);
        for (const one of made) await open.expectOpens(one);
      },
    );
  },
);

test('a quick operation reads its key once, whatever the service’s clock says', async () => {
  const { clock, encryptHere, readsOfKey, during } = await openKey();
  during('encryption', async () => clock.move(MINUTE_US), 0);
  expect(outcome(await encryptHere())).toBe('200');
  expect(readsOfKey()).toBe(1);
  clock.move(MINUTE_US);
  expect(outcome(await encryptHere())).toBe('200');
  expect(readsOfKey()).toBe(1);
});

test('an operation that took over a quarter of a second reads its key again before the commit, and before the response', async () => {
  for (const step of ['encryption', 'commit'] as const) {
    const { encryptHere, readsOfKey, during } = await openKey();
    during(step, async () => undefined);
    expect(outcome(await encryptHere())).toBe('200');
    expect(readsOfKey()).toBe(2);
  }
});

test('an operation counts in the month in which it was checked', async () => {
  const { clock, during, encryptHere, tenant, id } = await openKey();
  during('encryption', async () => clock.move(31 * DAY_US));
  expect(outcome(await encryptHere())).toBe('200');
  expect((await lineOf(tenant.api, id, monthOf(clock.now()))).ops).toBe(0);
  expect((await lineOf(tenant.api, id)).ops).toBe(2);
});

test('a batch ends although each read of its key takes over a quarter of a second', async () => {
  const { call, name, slowReads } = await openKey();
  slowReads();
  const answer = await call((client) => transit(client, `POST /encrypt/${name}`, BATCH));
  expect([outcome(answer), ciphertextsIn(answer).length]).toEqual(['200', 2]);
});

test('decrypt and unwrap never read their key again', async () => {
  for (const operation of ['decrypt', 'unwrap'] as const) {
    const { call, id, ciphertext, readsOfKey, during } = await openKey();
    during('encryption', async () => undefined);
    const body = { [operation === 'decrypt' ? 'ciphertext' : 'wrapped']: ciphertext };
    expect(outcome(await call((client) => operate(client, id, operation, body)))).toBe('200');
    expect(readsOfKey()).toBe(1);
  }
});

test('an encryption that three more rotations overtake is done a fourth time, and a fourth rotation makes it fail with 503', async () => {
  for (const [rotations, expected] of [
    [3, '200'],
    [4, '503 unavailable'],
  ] as const) {
    const { encryptHere, during, rotateNow, events } = await openKey();
    during('encryption', rotateNow, rotations);
    const answer = await encryptHere();
    expect(outcome(answer)).toBe(expected);
    expect(await events()).toEqual(['encrypt', expected === '200' ? 'encrypt' : 'encrypt unavailable']);
  }
});

test.each<[string, string, string[], (open: OpenKey) => Promise<void>]>([
  ['destroyed', '404 not_found', [], ({ destroyNow }) => destroyNow()],
  [
    'pending deletion and due',
    '409 key_pending_deletion',
    ['encrypt key_pending_deletion'],
    ({ pending }) => pending(0),
  ],
  [
    'pending deletion and due in less than half a second',
    '409 key_pending_deletion',
    ['encrypt key_pending_deletion'],
    ({ pending }) => pending(250_000),
  ],
  ['pending deletion', '200', ['encrypt'], ({ pending }) => pending(MINUTE_US)],
  ['frozen', '200', ['encrypt'], ({ change, clock }) => change({ frozen_at: clock.now() })],
  ['unpaid', '200', ['encrypt'], ({ tenant }) => setSubscription(stack, tenant.id, 'canceled')],
  [
    'unreadable',
    '500 internal_error',
    ['encrypt internal_error'],
    async ({ services }) => void vi.spyOn(services.store, 'find').mockRejectedValue(new Error('no answer')),
  ],
])(
  'if its key is %s meanwhile, an encryption gets %s; before the commit it is recorded so, afterwards its count and event stay',
  async (_, expected, recordedBefore, change) => {
    for (const step of ['encryption', 'commit'] as const) {
      const open = await openKey();
      open.during(step, () => change(open));
      expect([step, outcome(await open.encryptHere())]).toEqual([step, expected]);
      vi.restoreAllMocks();
      expect(await open.events()).toEqual(['encrypt', ...(step === 'commit' ? ['encrypt'] : recordedBefore)]);
    }
  },
);

test('if the KMS refuses a version that is no longer primary, the encryption is done again with the new one', async () => {
  const { services, id, rotateNow } = await openKey('software');
  const key = await loadKey(services, id);
  await rotateNow();
  const lastRead = { key, age: services.startStopwatch() };
  const encryptUnlessFirst = async ({ primary_version }: Key) => (primary_version === 1 ? undefined : 'made');
  const made = { result: 'made', version: 2, repeats: 1 };
  expect(await make(services, lastRead, encryptUnlessFirst)).toMatchObject(made);
});

test('an operation fails with not_found if its key is destroyed before it calls the KMS', async () => {
  const { services, id, ciphertext, destroyNow } = await openKey('software');
  const key = await loadKey(services, id);
  const [data, noAad] = [Buffer.from('data'), Buffer.alloc(0)];
  const lastRead = { key, age: services.startStopwatch() };
  await destroyNow();
  const gone = { code: 'not_found' };
  const sealing = make(services, lastRead, (latest) => encryptBytes(services, latest, data, noAad));
  await expect(sealing).rejects.toMatchObject(gone);
  await expect(decrypt(services, key, Buffer.from(ciphertext, 'base64'), noAad)).rejects.toMatchObject(gone);
});
