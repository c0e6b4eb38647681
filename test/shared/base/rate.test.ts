import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Kind, Rate } from '../../../shared/base/rate.ts';
import { TokenBuckets } from '../../../shared/base/token-buckets.ts';
import { makeManualTime } from '../../support/manual-time.ts';

const WAIT_MS = 250;
const BURST_MS = 1_000;

/** A rate of `perSecond` tokens for all owners, of which one owner may take half. */
function makeHarness(perSecond: number) {
  const time = makeManualTime();
  const bucketsOf = (rate: number) => new TokenBuckets({ capacityMs: BURST_MS, tokenMs: 1_000 / rate }, time.nowMs);
  const kind: Kind = { name: 'any', perOwner: bucketsOf(perSecond / 2), shared: [bucketsOf(perSecond)] };
  const rate = new Rate(WAIT_MS, time);
  const outcomes: string[] = [];
  /** Asks for tokens. Adds the owner to the outcomes when it gets them, or the owner and why it does not. */
  const ask = (owner: string, count = 1, waitMs = WAIT_MS) => {
    const refuse = (isOwnShare: boolean) => new Error(isOwnShare ? 'own share' : 'all');
    void rate.take({ owner, kind, count, waitMs, refuse }).then(
      () => outcomes.push(owner),
      ({ message }: Error) => outcomes.push(`${owner} refused: ${message}`),
    );
  };
  const countOf = (outcome: string) => outcomes.filter((one) => one === outcome).length;
  return { time, rate, kind, outcomes, ask, countOf };
}

describe('an equal share', () => {
  test('beside any number of owners that take all they can, an owner that takes less than an equal share is never refused', async () => {
    const scenario = fc.record({
      perSecond: fc.integer({ min: 10, max: 300 }),
      greedy: fc.integer({ min: 1, max: 6 }),
      ofShare: fc.double({ min: 0.1, max: 0.95, noNaN: true }),
      startsAtMs: fc.nat(2_000),
      /** How many tokens each request of a greedy owner takes. */
      count: fc.integer({ min: 1, max: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(scenario, async ({ perSecond, greedy, ofShare, startsAtMs, count }) => {
        // A request that takes more tokens than the rate gives within the wait can delay the next one too long.
        fc.pre((count * 1_000) / perSecond < WAIT_MS / 2);
        const { time, ask, countOf } = makeHarness(perSecond);
        const everyMs = (1_000 * (greedy + 1)) / (perSecond * ofShare);
        let sent = 0;
        for (let ms = 0; ms < startsAtMs + 3_000; ms += 10) {
          for (let owner = 0; owner < greedy; owner++) ask(`greedy ${owner}`, count);
          if (ms >= startsAtMs + sent * everyMs) {
            ask('modest');
            sent++;
          }
          await time.move(10);
        }
        await time.move(WAIT_MS);
        expect(countOf('modest')).toBe(sent);
      }),
      { numRuns: 20 },
    );
  });

  test('owners that take all they can get equal numbers of tokens, however many a request takes', async () => {
    const { time, ask, countOf } = makeHarness(100);
    const sizes = { one: 1, three: 3, five: 5 };
    for (let ms = 0; ms < 20_000; ms += 10) {
      for (const [owner, count] of Object.entries(sizes)) ask(owner, count);
      await time.move(10);
    }
    // The owners share 20 seconds’ refill and the burst.
    for (const [owner, count] of Object.entries(sizes)) {
      expect(countOf(owner) * count).toBeGreaterThan(640);
      expect(countOf(owner) * count).toBeLessThan(760);
    }
  });
});

test('a request is not overtaken while it waits for several tokens', async () => {
  const { time, ask, outcomes } = makeHarness(20);
  for (const owner of ['a', 'b']) for (let n = 0; n < 10; n++) ask(owner);
  await time.move(0);
  outcomes.length = 0;
  ask('large', 3);
  for (let n = 0; n < 4; n++) ask('a', 1);
  await time.move(WAIT_MS);
  expect(outcomes.slice(0, 2)).toEqual(['large', 'a']);
});

test('an owner that has used its own share does not hold up the others', async () => {
  const { time, ask, outcomes } = makeHarness(10);
  for (let n = 0; n < 6; n++) ask('a');
  ask('b');
  await time.move(0);
  expect(outcomes).toEqual(['a', 'a', 'a', 'a', 'a', 'b']);
  await time.move(200);
  expect(outcomes.at(-1)).toBe('a');
});

test('a request is refused after its wait, and at once if its wait would be longer', async () => {
  const { time, ask, outcomes } = makeHarness(10);
  for (let n = 0; n < 5; n++) ask('a');
  for (let n = 0; n < 5; n++) ask('b');
  await time.move(0);
  outcomes.length = 0;
  ask('c', 3);
  ask('a', 2);
  ask('c', 1, 60_000);
  for (let n = 0; n < 3; n++) ask('d');
  await time.move(0);
  // Three tokens would take 300 ms, and two of the owner’s own share 400 ms.
  expect(outcomes).toEqual(['c refused: all', 'a refused: own share']);
  await time.move(WAIT_MS);
  expect(outcomes.slice(2)).toEqual(['c', 'd', 'd refused: all', 'd refused: all']);
});

test('tokens that are given back serve those who wait', async () => {
  const { time, rate, kind, ask, outcomes } = makeHarness(10);
  for (const owner of ['a', 'b']) ask(owner, 5);
  ask('c');
  await time.move(0);
  expect(outcomes).toEqual(['a', 'b']);
  rate.giveBack({ owner: 'a', kind, count: 5 });
  ask('a', 4);
  await time.move(0);
  expect(outcomes).toEqual(['a', 'b', 'c', 'a']);
});
