import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { z } from 'zod';
import { eventsOfKey, inWords } from '../support/audit.ts';
import { list, outcome } from '../support/client.ts';
import { kmsVersionStates } from '../support/kms.ts';
import { encrypt, operate } from '../support/operations.ts';
import { DAY_MS } from '../support/steer.ts';
import { makeTenant, type Tenant } from '../support/tenant.ts';
import type { Field, Process } from './field.ts';
import { each, type Race, sending } from './race.ts';

const summary = z.object({ failed: z.int() });
const GONE = '404 not_found';

const RAN = 'ran';

/** Runs destroy-due-keys in a process. Returns `ran`, or how many keys failed, perhaps of other rounds. */
async function destroyDue(process: Process): Promise<string> {
  const { failed } = summary.parse(await process.run('destroy-due-keys'));
  return failed > 0 ? `${failed} failed` : RAN;
}

const inEightDays = () => new Date(Date.now() + 8 * DAY_MS).toISOString();

/** Expects that the key is destroyed, also in the KMS. Its log must record this once, as the last successful row. */
async function expectDestroyed({ here }: Field, tenant: Tenant, id: string): Promise<void> {
  expect(outcome(await tenant.api.send('GET', `/v1/keys/${id}`))).toBe(GONE);
  const rows = inWords(await eventsOfKey(tenant.api, id));
  expect(rows.filter((row) => row === 'destroy_key')).toHaveLength(1);
  expect(rows.filter((row) => !row.includes(' ')).at(-1)).toBe('destroy_key');
  expect(await kmsVersionStates(here, id)).toEqual(['DESTROY_SCHEDULED']);
}

/** Makes a software key pending deletion, and a ciphertext under that key. */
async function makePending({ api, createKey }: Tenant) {
  const id = await createKey('software');
  const ciphertext = await encrypt(api, id, 'AAAA');
  await api.send('DELETE', `/v1/keys/${id}`);
  return { id, path: `/v1/keys/${id}`, ciphertext };
}

export const deletionRaces: readonly Race[] = [
  {
    name: 'a key that is created while destroy-due-keys runs with a fast clock exists completely or not at all',
    allowed: each(['201', '500 internal_error'], [RAN]),
    open: async (field) => {
      await field.there.setClock(inEightDays());
      const { api } = await makeTenant(field.here);
      return async () => {
        const name = randomUUID();
        const creation = sending(api, 'POST', '/v1/keys', { name, tier: 'software' });
        const check = async ([created]: readonly string[]) => {
          const named = async () => list(await api.send('GET', '/v1/keys')).filter((key) => key.name === name);
          if (created !== '201') {
            expect(await named()).toEqual([]);
            expect(await creation(field.here)).toBe('201');
          }
          const [{ id }] = z.tuple([z.object({ id: z.string() })]).parse(await named());
          expect(outcome(await operate(api, id, 'wrap', {}))).toBe('200');
        };
        return { contenders: [() => creation(field.here), () => destroyDue(field.there)], check };
      };
    },
  },
  {
    name: 'two simultaneous requests to delete a key count as one deletion',
    allowed: ['200 | 200'],
    open: async ({ there }) => {
      const { api, createKey } = await makeTenant(there);
      return async () => {
        const id = await createKey('wrapped');
        const deletion = sending(api, 'DELETE', `/v1/keys/${id}`);
        const check = async () => expect(inWords(await eventsOfKey(api, id))).toEqual(['create_key', 'delete_key']);
        return { contenders: [deletion, deletion], check };
      };
    },
  },
  {
    name: 'if one request restores a key pending deletion while another request destroys the key, the key ends up destroyed',
    allowed: each(['200', '409 restore_window_closed', GONE], ['204']),
    open: async (field) => {
      const tenant = await makeTenant(field.there);
      return async () => {
        const { id, path } = await makePending(tenant);
        const contenders = [
          sending(tenant.api, 'POST', `${path}/restore`),
          sending(tenant.console, 'POST', `${path}/destroy`),
        ];
        return { contenders, check: () => expectDestroyed(field, tenant, id) };
      };
    },
  },
  {
    name: 'if a key pending deletion is restored while destroy-due-keys runs with a fast clock, the key is restored or destroyed',
    allowed: each(['200', '409 restore_window_closed', GONE], [RAN]),
    open: async (field) => {
      await field.there.setClock(inEightDays());
      const tenant = await makeTenant(field.here);
      return async () => {
        const { id, path, ciphertext } = await makePending(tenant);
        const restoration = sending(tenant.api, 'POST', `${path}/restore`);
        const check = async ([restored]: readonly string[]) => {
          if (restored !== '200') return expectDestroyed(field, tenant, id);
          expect(await operate(tenant.api, id, 'decrypt', { ciphertext })).toMatchObject({
            status: 200,
            body: { plaintext: 'AAAA' },
          });
          expect(await kmsVersionStates(field.here, id)).toEqual(['ENABLED']);
        };
        return { contenders: [() => restoration(field.here), () => destroyDue(field.there)], check };
      };
    },
  },
  {
    name: 'two simultaneous requests to destroy a key pending deletion destroy the key once',
    allowed: ['204 | 204', `204 | ${GONE}`, `${GONE} | 204`],
    open: async (field) => {
      const tenant = await makeTenant(field.there);
      return async () => {
        const { id, path } = await makePending(tenant);
        const destruction = sending(tenant.console, 'POST', `${path}/destroy`);
        return { contenders: [destruction, destruction], check: () => expectDestroyed(field, tenant, id) };
      };
    },
  },
  {
    name: 'if a request and destroy-due-keys destroy a key at the same time, the key is destroyed once',
    allowed: each(['204', GONE], [RAN]),
    open: async (field) => {
      await field.there.setClock(inEightDays());
      const tenant = await makeTenant(field.here);
      return async () => {
        const { id, path } = await makePending(tenant);
        const destruction = sending(tenant.console, 'POST', `${path}/destroy`);
        const contenders = [() => destruction(field.here), () => destroyDue(field.there)];
        return { contenders, check: () => expectDestroyed(field, tenant, id) };
      };
    },
  },
  {
    name: 'two simultaneous runs of destroy-due-keys destroy each of four due keys once',
    alone: true,
    allowed: each([RAN], [RAN]),
    open: async (field) => {
      const { here, there } = field;
      const tenant = await makeTenant(here);
      return async () => {
        await Promise.all([here.setClock(null), there.setClock(null)]);
        const keys = await Promise.all([1, 2, 3, 4].map(() => makePending(tenant)));
        await Promise.all([here.setClock(inEightDays()), there.setClock(inEightDays())]);
        const check = async () => {
          for (const { id } of keys) await expectDestroyed(field, tenant, id);
        };
        return { contenders: [() => destroyDue(here), () => destroyDue(there)], check };
      };
    },
  },
];
