import { expect } from 'vitest';
import { list, outcome, text } from '../support/client.ts';
import { BOUNDED, countsOf, setCount } from '../support/counts.ts';
import { makeTenant } from '../support/tenant.ts';
import { combinations, type Race, sending } from './race.ts';

const REFUSED = '409 limit_reached';

const twoCreations: readonly Race[] = BOUNDED.map(({ things, counter, most, path, body }) => ({
  name: `if the limit on ${things} allows one more, exactly one of two simultaneous creations succeeds`,
  allowed: [`201 | ${REFUSED}`, `${REFUSED} | 201`],
  setUp:
    async ({ stackProcess, secondProcess }) =>
    async () => {
      const { id, console } = await makeTenant(secondProcess);
      const before = list(await console.send('GET', path)).length;
      await setCount(stackProcess, id, counter, most - 1);
      const requests = [1, 2].map(() => sending(console, 'POST', path, body()));
      const check = async () => {
        expect(list(await console.send('GET', path))).toHaveLength(before + 1);
        expect((await countsOf(stackProcess, id))[counter]).toBe(most);
        expect(outcome(await console.send('POST', path, body()))).toBe(REFUSED);
      };
      return { requests, check };
    },
}));

/**
 * At the limit, a creation can succeed only after a deletion. The service may process either of the two requests first.
 */
const creationsAtLimit: readonly Race[] = BOUNDED.map(
  ({ things, counter, most, path, body, end: [method, suffix] }) => ({
    name: `if the limit on ${things} is reached, a creation succeeds only after a deletion`,
    allowed: combinations(['204'], ['201', REFUSED]),
    setUp:
      async ({ stackProcess, secondProcess }) =>
      async () => {
        const { id, console } = await makeTenant(secondProcess);
        const deletedId = text(await console.send('POST', path, body()), 'id');
        await setCount(stackProcess, id, counter, most);
        const requests = [
          sending(console, method, `${path}/${deletedId}${suffix}`),
          sending(console, 'POST', path, body()),
        ];
        const check = async ([, created]: readonly string[]) => {
          expect((await countsOf(stackProcess, id))[counter]).toBe(created === '201' ? most : most - 1);
        };
        return { requests, check };
      },
  }),
);

export const limitRaces: readonly Race[] = [...twoCreations, ...creationsAtLimit];
