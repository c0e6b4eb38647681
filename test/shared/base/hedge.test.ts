import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { hedge, type Repeating } from '../../../shared/base/hedge.ts';

/** A hedge whose attempts end when the test likes. */
function makeHedge(repeating?: Repeating) {
  const attempts: PromiseWithResolvers<string>[] = [];
  const { promise: late, resolve: comeLate } = Promise.withResolvers<void>();
  const attempt = () => {
    const made = Promise.withResolvers<string>();
    attempts.push(made);
    return made.promise;
  };
  const outcome = hedge(attempt, late, repeating).catch((failure: unknown) => `failed: ${failure}`);
  return { attempts, outcome, comeLate: () => turn(comeLate()) };
}

describe('a hedge', () => {
  test.each([
    ['the first', 0],
    ['the second', 1],
  ])('has the answer of whichever attempt succeeds first: %s', async (_, quicker) => {
    const { attempts, outcome, comeLate } = makeHedge();
    await comeLate();
    expect(attempts).toHaveLength(2);
    attempts[quicker]?.resolve('quick');
    await turn();
    attempts[1 - quicker]?.reject('slow');
    expect(await outcome).toBe('quick');
  });

  test('makes no second attempt once the first has an answer, or has failed', async () => {
    for (const end of ['resolve', 'reject'] as const) {
      const { attempts, outcome, comeLate } = makeHedge();
      attempts[0]?.[end]('early');
      await outcome;
      await comeLate();
      expect(attempts).toHaveLength(1);
    }
  });

  test('makes no second attempt where it may not', async () => {
    const { attempts, outcome, comeLate } = makeHedge({ mayRepeat: () => false });
    await comeLate();
    expect(attempts).toHaveLength(1);
    attempts[0]?.resolve('late');
    expect(await outcome).toBe('late');
  });

  test('waits for the other attempt when one fails', async () => {
    const { attempts, outcome, comeLate } = makeHedge();
    await comeLate();
    attempts[0]?.reject('refused');
    await turn();
    attempts[1]?.resolve('right');
    expect(await outcome).toBe('right');
  });

  test.each([
    ['grave', 'mild'],
    ['mild', 'grave'],
  ])('fails with the gravest failure (%s, then %s)', async (...failures) => {
    const { attempts, outcome, comeLate } = makeHedge({ isGravest: (failure) => failure === 'grave' });
    await comeLate();
    for (const [at, failure] of failures.entries()) {
      attempts[at]?.reject(failure);
      await turn();
    }
    expect(await outcome).toBe('failed: grave');
  });
});
