import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MONOTONIC, perMinute, Rate } from '../../../shared/base/rate.ts';
import { makeManualTime } from '../../support/manual-time.ts';

const WAIT_MS = 250;
const BURST_MS = 1_000;
const TOKENS = { what: 'requests', owner: 'anyone', limit: 'some' };
const POOLS = ['share', 'all'] as const;

/** A rate of `perSecond` tokens for all owners, of which one owner may take half. */
function makeHarness(perSecond: number) {
  const time = makeManualTime();
  const refuse = (isOwnShare: boolean) => new Error(isOwnShare ? 'own share' : 'all');
  const rate = new Rate(
    { ...TOKENS, bound: { waitMs: WAIT_MS, refuse } },
    {
      share: { capacityMs: BURST_MS, tokenMs: 2_000 / perSecond, perOwner: true },
      all: { capacityMs: BURST_MS, tokenMs: 1_000 / perSecond, perOwner: false },
    },
    time,
  );
  const outcomes: string[] = [];
  /** Asks for tokens. Adds the owner to the outcomes when it gets them, or the owner and why it does not. */
  const ask = (owner: string, count = 1, waitMs = WAIT_MS) => {
    void rate.wait(owner, POOLS, count, waitMs).then(
      () => outcomes.push(owner),
      ({ message }: Error) => outcomes.push(`${owner} refused: ${message}`),
    );
  };
  const countOf = (outcome: string) => outcomes.filter((one) => one === outcome).length;
  return { time, rate, outcomes, ask, countOf };
}

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
  const { time, rate, ask, outcomes } = makeHarness(10);
  for (const owner of ['a', 'b']) ask(owner, 5);
  ask('c');
  await time.move(0);
  expect(outcomes).toEqual(['a', 'b']);
  rate.giveBack('a', POOLS, 5);
  ask('a', 4);
  await time.move(0);
  expect(outcomes).toEqual(['a', 'b', 'c', 'a']);
});

/** Buckets of three tokens that regain one token every 10 ms, on a clock that the test sets. */
function makeBuckets() {
  const time = { ms: 0 };
  const rate = new Rate(
    TOKENS,
    { own: { capacityMs: 30, tokenMs: 10, perOwner: true } },
    { ...MONOTONIC, nowMs: () => time.ms },
  );
  return { time, take: (owner: string, count?: number) => rate.take(owner, ['own'], count) };
}

test('a bucket gives all requested tokens or none', () => {
  const { take } = makeBuckets();
  expect(take('a', 2)).toBe(true);
  expect(take('a', 2)).toBe(false);
  expect(take('a', 1)).toBe(true);
  expect(take('a', 1)).toBe(false);
  expect(take('b', 3)).toBe(true);
});

test('a full bucket may give more tokens than it holds, and then gives none until the missing tokens are refilled', () => {
  const { time, take } = makeBuckets();
  take('a');
  expect(take('a', 5)).toBe(false);
  time.ms = 10;
  expect(take('a', 5)).toBe(true);
  time.ms = 10 + 29;
  expect(take('a')).toBe(false);
  time.ms = 10 + 30;
  expect(take('a')).toBe(true);
});

test('ten seconds’ worth of a rate per minute may be taken at once, and the next request waits for its token', async () => {
  const time = makeManualTime();
  const rate = new Rate(TOKENS, perMinute(30), time);
  let taken = 0;
  for (let n = 0; n < 6; n++) void rate.wait('', ['all']).then(() => taken++);
  await time.move(1_999);
  expect(taken).toBe(5);
  await time.move(1);
  expect(taken).toBe(6);
});
