import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { z } from 'zod';
import { eventsOfKey, inWords } from '../support/audit.ts';
import { list, outcome } from '../support/client.ts';
import { kmsVersionStates } from '../support/kms.ts';
import { encrypt, operate } from '../support/operations.ts';
import { DAY_MS } from '../support/steer.ts';
import { makeTenant, type Tenant } from '../support/tenant.ts';
import type { Process, ProcessPair } from './process-pair.ts';
import { combinations, type Race, sending } from './race.ts';

const summary = z.object({ failed: z.int() });
const GONE = '404 not_found';

const RAN = 'ran';

/**
 * Runs destroy-due-keys in a process. Returns `ran`, or the number of failed destructions, which can include keys of
 * other rounds.
 */
async function destroyDue(process: Process): Promise<string> {
  const { failed } = summary.parse(await process.run('destroy-due-keys'));
  return failed > 0 ? `${failed} failed` : RAN;
}

const inEightDays = () => new Date(Date.now() + 8 * DAY_MS).toISOString();

/**
 * Expects that the key is destroyed in the store and the KMS, and that the destruction is recorded once, as the last
 * successful operation on the key.
 */
async function expectDestroyed({ stackProcess }: ProcessPair, tenant: Tenant, id: string): Promise<void> {
  expect(outcome(await tenant.api.send('GET', `/v1/keys/${id}`))).toBe(GONE);
  const rows = inWords(await eventsOfKey(tenant.api, id));
  expect(rows.filter((row) => row === 'destroy_key')).toHaveLength(1);
  expect(rows.filter((row) => !row.includes(' ')).at(-1)).toBe('destroy_key');
  expect(await kmsVersionStates(stackProcess, id)).toEqual(['DESTROY_SCHEDULED']);
}

/** Makes a `software` key that is pending deletion, with a ciphertext from before its deletion. */
async function makePending({ api, createKey }: Tenant) {
  const id = await createKey('software');
  const ciphertext = await encrypt(api, id, 'AAAA');
  await api.send('DELETE', `/v1/keys/${id}`);
  return { id, path: `/v1/keys/${id}`, ciphertext };
}

export const deletionRaces: readonly Race[] = [
  {
    name: 'if a key is created while destroy-due-keys runs with a fast clock, the key works, or the creation fails and can be repeated',
    allowed: combinations(['201', '500 internal_error'], [RAN]),
    setUp: async (pair) => {
      await pair.secondProcess.setClock(inEightDays());
      const { api } = await makeTenant(pair.stackProcess);
      return async () => {
        const name = randomUUID();
        const creation = sending(api, 'POST', '/v1/keys', { name, tier: 'software' });
        const check = async ([created]: readonly string[]) => {
          const named = async () => list(await api.send('GET', '/v1/keys')).filter((key) => key.name === name);
          if (created !== '201') {
            expect(await named()).toEqual([]);
            expect(await creation(pair.stackProcess)).toBe('201');
          }
          const [{ id }] = z.tuple([z.object({ id: z.string() })]).parse(await named());
          expect(outcome(await operate(api, id, 'wrap', {}))).toBe('200');
        };
        return { requests: [() => creation(pair.stackProcess), () => destroyDue(pair.secondProcess)], check };
      };
    },
  },
  {
    name: 'two simultaneous requests to delete a key are recorded as one deletion',
    allowed: ['200 | 200'],
    round: async (_, { api, createKey }) => {
      const id = await createKey('wrapped');
      const deletion = sending(api, 'DELETE', `/v1/keys/${id}`);
      const check = async () => expect(inWords(await eventsOfKey(api, id))).toEqual(['create_key', 'delete_key']);
      return { requests: [deletion, deletion], check };
    },
  },
  {
    name: 'if one request restores a key pending deletion while another request destroys the key, the key ends up destroyed',
    allowed: combinations(['200', '409 restore_window_closed', GONE], ['204']),
    round: async (pair, tenant) => {
      const { id, path } = await makePending(tenant);
      const requests = [
        sending(tenant.api, 'POST', `${path}/restore`),
        sending(tenant.console, 'POST', `${path}/destroy`),
      ];
      return { requests, check: () => expectDestroyed(pair, tenant, id) };
    },
  },
  {
    name: 'if a key pending deletion is restored while destroy-due-keys runs with a fast clock, the key is restored or destroyed',
    allowed: combinations(['200', '409 restore_window_closed', GONE], [RAN]),
    setUp: async (pair) => {
      await pair.secondProcess.setClock(inEightDays());
      const tenant = await makeTenant(pair.stackProcess);
      return async () => {
        const { id, path, ciphertext } = await makePending(tenant);
        const restoration = sending(tenant.api, 'POST', `${path}/restore`);
        const check = async ([restored]: readonly string[]) => {
          if (restored !== '200') return expectDestroyed(pair, tenant, id);
          expect(await operate(tenant.api, id, 'decrypt', { ciphertext })).toMatchObject({
            status: 200,
            body: { plaintext: 'AAAA' },
          });
          expect(await kmsVersionStates(pair.stackProcess, id)).toEqual(['ENABLED']);
        };
        return { requests: [() => restoration(pair.stackProcess), () => destroyDue(pair.secondProcess)], check };
      };
    },
  },
  {
    name: 'two simultaneous requests to destroy a key pending deletion destroy the key once',
    allowed: [`204 | ${GONE}`, `${GONE} | 204`],
    round: async (pair, tenant) => {
      const { id, path } = await makePending(tenant);
      const destruction = sending(tenant.console, 'POST', `${path}/destroy`);
      return { requests: [destruction, destruction], check: () => expectDestroyed(pair, tenant, id) };
    },
  },
  {
    name: 'if a request and destroy-due-keys destroy a key at the same time, the key is destroyed once',
    allowed: combinations(['204', GONE], [RAN]),
    setUp: async (pair) => {
      await pair.secondProcess.setClock(inEightDays());
      const tenant = await makeTenant(pair.stackProcess);
      return async () => {
        const { id, path } = await makePending(tenant);
        const destruction = sending(tenant.console, 'POST', `${path}/destroy`);
        const requests = [() => destruction(pair.stackProcess), () => destroyDue(pair.secondProcess)];
        return { requests, check: () => expectDestroyed(pair, tenant, id) };
      };
    },
  },
  {
    name: 'two simultaneous runs of destroy-due-keys destroy each of four due keys once',
    sequential: true,
    allowed: combinations([RAN], [RAN]),
    setUp: async (pair) => {
      const { stackProcess, secondProcess } = pair;
      const tenant = await makeTenant(stackProcess);
      return async () => {
        await Promise.all([stackProcess.setClock(null), secondProcess.setClock(null)]);
        const keys = await Promise.all([1, 2, 3, 4].map(() => makePending(tenant)));
        await Promise.all([stackProcess.setClock(inEightDays()), secondProcess.setClock(inEightDays())]);
        const check = async () => {
          for (const { id } of keys) await expectDestroyed(pair, tenant, id);
        };
        return { requests: [() => destroyDue(stackProcess), () => destroyDue(secondProcess)], check };
      };
    },
  },
];
