import { expect } from 'vitest';
import { eventsOfKey, inWords } from '../support/audit.ts';
import { type Answer, outcome, text } from '../support/client.ts';
import { kmsVersionStates } from '../support/kms.ts';
import { keyObject, read } from '../support/objects.ts';
import { encrypt, operate, rotate } from '../support/operations.ts';
import { HOUR_MS } from '../support/steer.ts';
import { Client, makeTenant, type Tenant } from '../support/tenant.ts';
import type { Field } from './field.ts';
import { type Contender, each, type Race, sending } from './race.ts';

const REFUSED = '400 invalid_ciphertext';
const DATA = 'AAAA';

/** The number of versions of a key that can decrypt after a rotation, by tier. */
const RETAINED = { wrapped: 1, software: 3, hsm: 2 } as const;
type Tier = keyof typeof RETAINED;
const TIERS = ['wrapped', 'software', 'hsm'] as const;

/** Makes a key whose next rotation retires the first version, and a ciphertext under the first version. */
async function makeFull({ api, createKey }: Tenant, tier: Tier) {
  const id = await createKey(tier);
  const first = await encrypt(api, id, DATA);
  await rotate(api, id, RETAINED[tier] - 1);
  return { id, path: `/v1/keys/${id}`, first, primary: RETAINED[tier] };
}

/** Returns a contender that makes a ciphertext, and the list of the ciphertexts so far. */
function makeCiphertext({ token }: Client, path: string, body: object) {
  const made: string[] = [];
  const contender: Contender = async (at) => {
    const answer: Answer = await new Client(at, token).send('POST', path, body);
    if (answer.status === 200) made.push(text(answer, 'ciphertext'));
    return outcome(answer);
  };
  return { contender, made };
}

const decryptOutcome = async ({ api }: Tenant, id: string, ciphertext: string) =>
  outcome(await operate(api, id, 'decrypt', { ciphertext }));

/** Returns the key version that made a ciphertext of a wrapped key. */
const versionOf = (ciphertext: string) => Buffer.from(ciphertext, 'base64').readUIntBE(1, 3);

/** Expects that ciphertexts from a rotation decrypt, except those that an older version of a wrapped key made. */
async function expectOpening(tenant: Tenant, id: string, tier: Tier, primary: number, made: readonly string[]) {
  for (const ciphertext of made) {
    const isRetained = tier !== 'wrapped' || versionOf(ciphertext) === primary;
    expect(await decryptOutcome(tenant, id, ciphertext)).toBe(isRetained ? '200' : REFUSED);
  }
}

/** Expects the store to have every version up to the primary, and only retained versions to be enabled there and in the KMS. */
async function expectWhole({ here }: Field, { api }: Tenant, id: string, tier: Tier, primary: number): Promise<void> {
  const key = read(keyObject, await api.send('GET', `/v1/keys/${id}`));
  const numbers = Array.from({ length: primary }, (_, index) => index + 1);
  expect(key.primary_version).toBe(primary);
  expect(key.versions.map(({ version, state }) => `${version} ${state}`)).toEqual(
    numbers.map((number) => `${number} ${number > primary - RETAINED[tier] ? 'enabled' : 'destroy_scheduled'}`),
  );
  const inKms = tier === 'wrapped' ? [] : await kmsVersionStates(here, id);
  expect(inKms.filter((state) => state === 'ENABLED')).toHaveLength(tier === 'wrapped' ? 0 : RETAINED[tier]);
  const ciphertext = await encrypt(api, id, DATA);
  if (tier === 'wrapped') expect(versionOf(ciphertext)).toBe(primary);
  expect(await operate(api, id, 'decrypt', { ciphertext })).toMatchObject({ body: { plaintext: DATA } });
}

const againstUse = (tier: Tier): Race => ({
  name: `a ${tier} key can encrypt and rewrap during a rotation`,
  allowed: each(['200'], ['200'], ['200', REFUSED]),
  open: async (field) => {
    const tenant = await makeTenant(field.there);
    return async () => {
      const { id, path, first, primary } = await makeFull(tenant, tier);
      const encryption = makeCiphertext(tenant.api, `${path}/encrypt`, { plaintext: DATA });
      const rewrapping = makeCiphertext(tenant.api, `${path}/rewrap`, { ciphertext: first });
      const rotation = sending(tenant.api, 'POST', `${path}/rotate`);
      const check = async () => {
        await expectWhole(field, tenant, id, tier, primary + 1);
        await expectOpening(tenant, id, tier, primary + 1, [...encryption.made, ...rewrapping.made]);
        expect(await decryptOutcome(tenant, id, first)).toBe(REFUSED);
      };
      return { contenders: [rotation, encryption.contender, rewrapping.contender], check };
    };
  },
});

const twice = (tier: Tier): Race => ({
  name: `two simultaneous rotations give a ${tier} key two new versions`,
  allowed: ['200 | 200'],
  open: async (field) => {
    const tenant = await makeTenant(field.there);
    return async () => {
      const { id, path, primary } = await makeFull(tenant, tier);
      const rotation = sending(tenant.api, 'POST', `${path}/rotate`);
      const check = async () => {
        await expectWhole(field, tenant, id, tier, primary + 2);
        const rows = inWords(await eventsOfKey(tenant.api, id)).filter((row) => row === 'rotate_key');
        expect(rows).toHaveLength(primary + 1);
      };
      return { contenders: [rotation, rotation], check };
    };
  },
});

const againstDeletion: Race = {
  name: 'a key that is rotated and deleted at the same time works after it is restored',
  allowed: each(['200', '409 key_pending_deletion'], ['200']),
  open: async (field) => {
    const tenant = await makeTenant(field.there);
    return async () => {
      const { id, path, primary } = await makeFull(tenant, 'wrapped');
      const contenders = [sending(tenant.api, 'POST', `${path}/rotate`), sending(tenant.api, 'DELETE', path)];
      const check = async ([rotated]: readonly string[]) => {
        expect(outcome(await tenant.api.send('POST', `${path}/restore`))).toBe('200');
        await expectWhole(field, tenant, id, 'wrapped', rotated === '200' ? primary + 1 : primary);
      };
      return { contenders, check };
    };
  },
};

const againstDestruction: Race = {
  name: 'a key that is rotated and destroyed at the same time has no usable version left in the KMS',
  alone: true,
  allowed: each(['200', '409 key_pending_deletion', '404 not_found'], ['204']),
  open: async (field) => {
    const tenant = await makeTenant(field.there);
    return async () => {
      const { id, path } = await makeFull(tenant, 'hsm');
      const contenders = [
        sending(tenant.api, 'POST', `${path}/rotate`),
        sending(tenant.console, 'POST', `${path}/destroy`),
      ];
      const check = async () => {
        // If the rotation made a version after the destruction, destroy-due-keys finds that version later.
        await field.there.setClock(new Date(Date.now() + HOUR_MS).toISOString());
        await field.there.run('destroy-due-keys');
        await field.there.setClock(null);
        const states = await kmsVersionStates(field.here, id);
        expect(states.filter((state) => state !== 'DESTROY_SCHEDULED')).toEqual([]);
      };
      return { contenders, check };
    };
  },
};

export const rotationRaces: readonly Race[] = [
  ...TIERS.map(againstUse),
  ...TIERS.map(twice),
  againstDeletion,
  againstDestruction,
];
