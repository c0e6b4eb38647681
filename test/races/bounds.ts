import { expect } from 'vitest';
import { BOUNDED } from '../support/bounds.ts';
import { list, outcome, text } from '../support/client.ts';
import { countsOf, setCount } from '../support/counts.ts';
import { makeTenant } from '../support/tenant.ts';
import { each, type Race, sending } from './race.ts';

const REFUSED = '409 limit_reached';

const twoCreations: readonly Race[] = BOUNDED.map(({ things, counter, most, path, body }) => ({
  name: `if the limit on ${things} allows one more, exactly one of two simultaneous creations succeeds`,
  allowed: [`201 | ${REFUSED}`, `${REFUSED} | 201`],
  open:
    async ({ here, there }) =>
    async () => {
      const { id, console } = await makeTenant(there);
      const before = list(await console.send('GET', path)).length;
      await setCount(here, id, counter, most - 1);
      const contenders = [1, 2].map(() => sending(console, 'POST', path, body()));
      const check = async () => {
        expect(list(await console.send('GET', path))).toHaveLength(before + 1);
        expect((await countsOf(here, id))[counter]).toBe(most);
        expect(outcome(await console.send('POST', path, body()))).toBe(REFUSED);
      };
      return { contenders, check };
    },
}));

/** A deletion at the limit makes room. A simultaneous creation may come before or after the deletion. */
const endings: readonly Race[] = BOUNDED.map(({ things, counter, most, path, body, end: [method, suffix] }) => ({
  name: `if the limit on ${things} is reached, a creation succeeds only after a deletion`,
  allowed: each(['204'], ['201', REFUSED]),
  open:
    async ({ here, there }) =>
    async () => {
      const { id, console } = await makeTenant(there);
      const ending = text(await console.send('POST', path, body()), 'id');
      await setCount(here, id, counter, most);
      const contenders = [
        sending(console, method, `${path}/${ending}${suffix}`),
        sending(console, 'POST', path, body()),
      ];
      const check = async ([, created]: readonly string[]) => {
        expect((await countsOf(here, id))[counter]).toBe(created === '201' ? most : most - 1);
      };
      return { contenders, check };
    },
}));

export const boundRaces: readonly Race[] = [...twoCreations, ...endings];
