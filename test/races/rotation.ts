import { expect } from 'vitest';
import { eventsOfKey, inWords } from '../support/audit.ts';
import { type Answer, outcome, text } from '../support/client.ts';
import { kmsVersionStates } from '../support/kms.ts';
import { keyObject, read } from '../support/objects.ts';
import { encrypt, operate, rotate } from '../support/operations.ts';
import { HOUR_MS } from '../support/steer.ts';
import { Client, type Tenant } from '../support/tenant.ts';
import type { ProcessPair } from './process-pair.ts';
import { combinations, type Race, type RaceRequest, sending } from './race.ts';

const REFUSED = '400 invalid_ciphertext';
const DATA = 'AAAA';

/** The number of versions of a key that can decrypt after a rotation, by tier. */
const RETAINED = { wrapped: 1, software: 3, hsm: 2 } as const;
type Tier = keyof typeof RETAINED;
const TIERS = ['wrapped', 'software', 'hsm'] as const;

/** Makes a key whose next rotation retires the first version, and a ciphertext under the first version. */
async function makeKeyBeforeRetirement({ api, createKey }: Tenant, tier: Tier) {
  const id = await createKey(tier);
  const first = await encrypt(api, id, DATA);
  await rotate(api, id, RETAINED[tier] - 1);
  return { id, path: `/v1/keys/${id}`, first, primary: RETAINED[tier] };
}

interface MadeCiphertext {
  readonly ciphertext: string;
  /** Whether the answer came after that of the rotation. */
  readonly afterRotation: boolean;
}

/** Returns a request that makes a ciphertext, and the list of the ciphertexts that it has made. */
function makeCiphertext({ token }: Client, path: string, body: object, rotation: { ended: boolean }) {
  const made: MadeCiphertext[] = [];
  const request: RaceRequest = async (at) => {
    const answer: Answer = await new Client(at, token).send('POST', path, body);
    if (answer.status === 200) made.push({ ciphertext: text(answer, 'ciphertext'), afterRotation: rotation.ended });
    return outcome(answer);
  };
  return { request, made };
}

const decryptOutcome = async ({ api }: Tenant, id: string, ciphertext: string) =>
  outcome(await operate(api, id, 'decrypt', { ciphertext }));

/** Returns the key version that made a ciphertext of a wrapped key. */
const versionOf = (ciphertext: string) => Buffer.from(ciphertext, 'base64').readUIntBE(1, 3);

/**
 * Expects that the ciphertexts can be decrypted, except those that an older version of a `wrapped` key made. Such a
 * ciphertext must have been returned before the rotation ended.
 */
async function expectDecryptable(
  tenant: Tenant,
  id: string,
  tier: Tier,
  primary: number,
  made: readonly MadeCiphertext[],
) {
  for (const { ciphertext, afterRotation } of made) {
    const isRetained = tier !== 'wrapped' || versionOf(ciphertext) === primary;
    expect(isRetained || !afterRotation).toBe(true);
    expect(await decryptOutcome(tenant, id, ciphertext)).toBe(isRetained ? '200' : REFUSED);
  }
}

/**
 * Expects that the key has every version up to the primary, and that only the retained versions are enabled, both in
 * the service and in the KMS.
 */
async function expectConsistentVersions(
  { stackProcess }: ProcessPair,
  { api }: Tenant,
  id: string,
  tier: Tier,
  primary: number,
): Promise<void> {
  const key = read(keyObject, await api.send('GET', `/v1/keys/${id}`));
  const numbers = Array.from({ length: primary }, (_, index) => index + 1);
  expect(key.primary_version).toBe(primary);
  expect(key.versions.map(({ version, state }) => `${version} ${state}`)).toEqual(
    numbers.map((number) => `${number} ${number > primary - RETAINED[tier] ? 'enabled' : 'destroy_scheduled'}`),
  );
  const inKms = tier === 'wrapped' ? [] : await kmsVersionStates(stackProcess, id);
  expect(inKms.filter((state) => state === 'ENABLED')).toHaveLength(tier === 'wrapped' ? 0 : RETAINED[tier]);
  const ciphertext = await encrypt(api, id, DATA);
  if (tier === 'wrapped') expect(versionOf(ciphertext)).toBe(primary);
  expect(await operate(api, id, 'decrypt', { ciphertext })).toMatchObject({ body: { plaintext: DATA } });
}

const useDuringRotation = (tier: Tier): Race => ({
  name: `during a rotation, a ${tier} key encrypts, and rewraps a ciphertext unless the rotation has retired its version`,
  allowed: combinations(['200'], ['200'], ['200', REFUSED]),
  round: async (pair, tenant) => {
    const { id, path, first, primary } = await makeKeyBeforeRetirement(tenant, tier);
    const ending = { ended: false };
    const encryption = makeCiphertext(tenant.api, `${path}/encrypt`, { plaintext: DATA }, ending);
    const rewrapping = makeCiphertext(tenant.api, `${path}/rewrap`, { ciphertext: first }, ending);
    const rotate = sending(tenant.api, 'POST', `${path}/rotate`);
    const rotation: RaceRequest = async (at) => {
      const rotated = await rotate(at);
      ending.ended = true;
      return rotated;
    };
    const check = async () => {
      await expectConsistentVersions(pair, tenant, id, tier, primary + 1);
      await expectDecryptable(tenant, id, tier, primary + 1, [...encryption.made, ...rewrapping.made]);
      expect(await decryptOutcome(tenant, id, first)).toBe(REFUSED);
    };
    return { requests: [rotation, encryption.request, rewrapping.request], check };
  },
});

const twoRotations = (tier: Tier): Race => ({
  name: `two simultaneous rotations give a ${tier} key two new versions`,
  allowed: ['200 | 200'],
  round: async (pair, tenant) => {
    const { id, path, primary } = await makeKeyBeforeRetirement(tenant, tier);
    const rotation = sending(tenant.api, 'POST', `${path}/rotate`);
    const check = async () => {
      await expectConsistentVersions(pair, tenant, id, tier, primary + 2);
      const rows = inWords(await eventsOfKey(tenant.api, id)).filter((row) => row === 'rotate_key');
      expect(rows).toHaveLength(primary + 1);
    };
    return { requests: [rotation, rotation], check };
  },
});

const rotationAndDeletion: Race = {
  name: 'a key that is rotated and deleted at the same time works after it is restored',
  allowed: combinations(['200', '409 key_pending_deletion'], ['200']),
  round: async (pair, tenant) => {
    const { id, path, primary } = await makeKeyBeforeRetirement(tenant, 'wrapped');
    const requests = [sending(tenant.api, 'POST', `${path}/rotate`), sending(tenant.api, 'DELETE', path)];
    const check = async ([rotated]: readonly string[]) => {
      expect(outcome(await tenant.api.send('POST', `${path}/restore`))).toBe('200');
      await expectConsistentVersions(pair, tenant, id, 'wrapped', rotated === '200' ? primary + 1 : primary);
    };
    return { requests, check };
  },
};

const rotationAndDestruction: Race = {
  name: 'a key that is rotated and destroyed at the same time has no usable version left in the KMS',
  sequential: true,
  allowed: combinations(['200', '409 key_pending_deletion', '404 not_found'], ['204']),
  round: async (pair, tenant) => {
    const { id, path } = await makeKeyBeforeRetirement(tenant, 'hsm');
    const requests = [
      sending(tenant.api, 'POST', `${path}/rotate`),
      sending(tenant.console, 'POST', `${path}/destroy`),
    ];
    const check = async () => {
      // If the rotation made a version after the destruction, destroy-due-keys destroys that version later.
      await pair.secondProcess.setClock(new Date(Date.now() + HOUR_MS).toISOString());
      await pair.secondProcess.run('destroy-due-keys');
      await pair.secondProcess.setClock(null);
      const states = await kmsVersionStates(pair.stackProcess, id);
      expect(states.filter((state) => state !== 'DESTROY_SCHEDULED')).toEqual([]);
    };
    return { requests, check };
  },
};

export const rotationRaces: readonly Race[] = [
  ...TIERS.map(useDuringRotation),
  ...TIERS.map(twoRotations),
  rotationAndDeletion,
  rotationAndDestruction,
];
