import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { hedge } from '../../../shared/base/hedge.ts';

/** A hedged call whose attempts stay open until the test ends them. */
function makeHedge(repeating?: Parameters<typeof hedge>[2]) {
  const attempts: PromiseWithResolvers<string>[] = [];
  const attempt = () => {
    const made = Promise.withResolvers<string>();
    attempts.push(made);
    return made.promise;
  };
  const outcome = hedge(attempt, 40, repeating).catch((failure: unknown) => `failed: ${failure}`);
  return { attempts, outcome, becomeLate: () => turn(void vi.advanceTimersByTime(40)) };
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

describe('a hedged call', () => {
  test.each([
    ['the first', 0],
    ['the second', 1],
  ])('if %s attempt of a hedged call succeeds first, the call returns its answer', async (_, quicker) => {
    const { attempts, outcome, becomeLate } = makeHedge();
    await becomeLate();
    expect(attempts).toHaveLength(2);
    attempts[quicker]?.resolve('quick');
    await turn();
    attempts[1 - quicker]?.reject('slow');
    expect(await outcome).toBe('quick');
  });

  test('a hedged call makes no second attempt after the first has succeeded or failed', async () => {
    for (const end of ['resolve', 'reject'] as const) {
      const { attempts, outcome, becomeLate } = makeHedge();
      attempts[0]?.[end]('early');
      await outcome;
      await becomeLate();
      expect(attempts).toHaveLength(1);
    }
  });

  test('a hedged call makes no second attempt if the call must not be repeated', async () => {
    const { attempts, outcome, becomeLate } = makeHedge({ mayRepeat: () => false });
    await becomeLate();
    expect(attempts).toHaveLength(1);
    attempts[0]?.resolve('late');
    expect(await outcome).toBe('late');
  });

  test('if one attempt of a hedged call fails, the other attempt’s answer is returned', async () => {
    const { attempts, outcome, becomeLate } = makeHedge();
    await becomeLate();
    attempts[0]?.reject('refused');
    await turn();
    attempts[1]?.resolve('right');
    expect(await outcome).toBe('right');
  });

  test.each([
    ['grave', 'mild'],
    ['mild', 'grave'],
  ])('if both attempts of a hedged call fail, the more serious error is thrown (%s, then %s)', async (...failures) => {
    const { attempts, outcome, becomeLate } = makeHedge({ isGravest: (failure) => failure === 'grave' });
    await becomeLate();
    for (const [at, failure] of failures.entries()) {
      attempts[at]?.reject(failure);
      await turn();
    }
    expect(await outcome).toBe('failed: grave');
  });
});
