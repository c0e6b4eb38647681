import fc from 'fast-check';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { Batcher, type BatchLimits } from '../../../shared/base/batcher.ts';

interface Ask {
  readonly owner: string;
  /** The number of the owner’s requests before this one. */
  readonly n: number;
}

/** A batch call that stays open until the test ends it. */
interface Call {
  readonly asks: readonly Ask[];
  /** How many requests the owner had made when the call began. */
  readonly askedSoFar: number;
  readonly answered: PromiseWithResolvers<readonly string[]>;
}

/** Waits until all work that is scheduled for the current turn of the event loop has started. */
const nextTurn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
const nameOf = ({ owner, n }: Ask) => `${owner}${n}`;

const LIMITS: BatchLimits = {
  ...{ what: 'requests', owner: 'anyone', past: 'an error' },
  ...{ inFlight: 1, asksPerCall: 10, waitMs: 60_000 },
};

function makeHarness(limits: Partial<BatchLimits> = {}) {
  const calls: Call[] = [];
  const open: Call[] = [];
  const asked = new Map<string, number>();
  /** Each request’s answer, or the name of its error. */
  const outcomes: Promise<readonly [Ask, string]>[] = [];
  const batcher = new Batcher<Ask, string>({ ...LIMITS, ...limits }, (asks) => {
    const askedSoFar = asked.get(asks[0]?.owner ?? '') ?? 0;
    const call = { asks: [...asks], askedSoFar, answered: Promise.withResolvers<readonly string[]>() };
    calls.push(call);
    open.push(call);
    return call.answered.promise;
  });
  return {
    ...{ batcher, calls, open, asked, outcomes },
    ask(owner: string, times = 1) {
      for (let time = 0; time < times; time++) {
        const ask = { owner, n: asked.get(owner) ?? 0 };
        asked.set(owner, ask.n + 1);
        const outcome = batcher.ask(ask, owner).catch((error: Error) => error.name);
        outcomes.push(outcome.then((answer) => [ask, answer]));
      }
    },
    async end(at = 0, fails = false) {
      const [call] = open.splice(at, 1);
      if (fails) call?.answered.reject(new RangeError('failed'));
      else call?.answered.resolve(call.asks.map(nameOf));
      await nextTurn();
    },
    /** The requests of each call so far. */
    sent: () => calls.map(({ asks }) => asks.map(nameOf).join(' ')),
    outcome: async (at: number) => (await outcomes[at])?.[1],
  };
}

function fakeTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
}

test('a batch call starts at the end of the turn of the event loop, with all requests that its owner made in the turn', async () => {
  const { ask, sent } = makeHarness();
  for (const owner of ['a', 'b', 'a', 'c']) ask(owner);
  expect(sent()).toEqual([]);
  await new Promise(setImmediate);
  expect(sent()).toEqual(['a0 a1', 'b0', 'c0']);
});

test('a request fails if its batch call throws synchronously or returns no answer for the request', async () => {
  const answer = (asks: readonly number[]) => {
    if (asks.includes(0)) throw new Error('at once');
    return Promise.resolve(['only one']);
  };
  const batcher = new Batcher<number, string>(LIMITS, answer);
  await expect(batcher.ask(0)).rejects.toThrow('at once');
  const outcomes = await Promise.allSettled([batcher.ask(1), batcher.ask(2)]);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
});

test('a batch call ends at the deadline of its oldest request, and then the next requests are served', async () => {
  fakeTimers();
  const { ask, end, outcome, sent } = makeHarness({ waitMs: 1_000 });
  ask('a');
  await nextTurn();
  vi.advanceTimersByTime(900);
  ask('a');
  vi.advanceTimersByTime(100);
  await nextTurn();
  await nextTurn();
  expect(await outcome(0)).toBe('DeadlineExceeded');
  expect(sent()).toEqual(['a0', 'a1']);
  await end(1);
  expect(await outcome(1)).toBe('a1');
});

test('a request that has waited too long for a batch call fails without a call', async () => {
  fakeTimers();
  const { ask, outcome, sent } = makeHarness({ waitMs: 1_000 });
  ask('a');
  vi.advanceTimersByTime(1_000);
  expect(await outcome(0)).toBe('DeadlineExceeded');
  expect(sent()).toEqual([]);
});

test('the batcher forgets an owner without requests', async () => {
  fakeTimers();
  const { ask, end, batcher } = makeHarness({ asksPerCall: 1, waitMs: 1_000 });
  for (const owner of ['answered', 'failed', 'late', 'late']) ask(owner);
  await nextTurn();
  expect(batcher.owners).toBe(3);
  await end();
  await end(0, true);
  vi.advanceTimersByTime(1_000);
  await end();
  expect(batcher.owners).toBe(0);
});

test('if an owner asks again between the ends of two calls, no more calls are in flight than allowed', async () => {
  const { ask, calls, open } = makeHarness({ inFlight: 2, asksPerCall: 1 });
  ask('a', 2);
  await nextTurn();
  const answer = async (n: number) => {
    calls[n]?.answered.resolve(['']);
    await new Promise<void>((resolve) => process.nextTick(resolve));
  };
  await answer(0);
  setImmediate(() => ask('a', 3));
  await answer(1);
  await nextTurn();
  ask('a');
  await nextTurn();
  expect(open).toHaveLength(4);
});

test('each owner’s requests are sent once, in order, within the limits and without waiting for others, and get their own answers', async () => {
  const between = (min: number, max: number) => fc.integer({ min, max });
  const owners = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 4 });
  const steps = fc.oneof(owners, fc.record({ at: fc.nat(9), fails: fc.boolean() }));
  const limits = fc.record({ inFlight: between(1, 4), asksPerCall: between(1, 5) });
  await fc.assert(
    fc.asyncProperty(limits, fc.array(steps, { maxLength: 60 }), async ({ inFlight, asksPerCall }, scenario) => {
      const { ask, asked, batcher, calls, end, open, outcomes } = makeHarness({ inFlight, asksPerCall });
      const failed = new Set<string>();
      for (const step of scenario) {
        if (Array.isArray(step)) for (const owner of step) ask(owner);
        else if (open.length > 0) {
          const at = step.at % open.length;
          if (step.fails) for (const one of open[at]?.asks ?? []) failed.add(nameOf(one));
          await end(at, step.fails);
        }
        await nextTurn();
        for (const [owner, count] of asked) {
          const sent = calls.flatMap(({ asks }) => asks).filter((one) => one.owner === owner);
          expect(sent.map(({ n }) => n)).toEqual(sent.map((_, at) => at));
          const openNow = open.filter(({ asks }) => asks[0]?.owner === owner).length;
          expect(openNow).toBeLessThanOrEqual(inFlight);
          expect(sent.length === count || openNow === inFlight).toBe(true);
        }
      }
      while (open.length > 0) await end();
      for (const { asks, askedSoFar } of calls) {
        expect(new Set(asks.map(({ owner }) => owner)).size).toBe(1);
        expect(asks.length).toBeLessThanOrEqual(asksPerCall);
        // A call with room left must contain every request that was waiting when the call began.
        if (asks.length < asksPerCall) expect(asks.at(-1)?.n).toBe(askedSoFar - 1);
      }
      for (const [one, outcome] of await Promise.all(outcomes))
        expect(outcome).toBe(failed.has(nameOf(one)) ? 'RangeError' : nameOf(one));
      expect(batcher.owners).toBe(0);
    }),
  );
});

describe('late calls', () => {
  beforeEach(fakeTimers);

  /** Makes calls, of which the call number `n` takes `msOf(n)` milliseconds. Returns after which time each was late. */
  async function lateTimes(count: number, msOf: (n: number) => number): Promise<number[]> {
    const late: number[] = [];
    const batcher = new Batcher<number, true>(LIMITS, async (asks, lateMs) => {
      vi.advanceTimersByTime(msOf(late.push(lateMs)));
      return asks.map(() => true);
    });
    for (let n = 0; n < count; n++) await batcher.ask(n);
    return late;
  }

  test.each([
    [1, 50],
    [50, 200],
  ])(
    'if calls usually take %i ms, a call is late after about %i ms: four times as long, and at least 50 ms',
    async (ms, expected) => {
      const late = await lateTimes(200, () => ms);
      expect(Math.abs((late.at(-1) ?? 0) - expected)).toBeLessThan(expected * 0.06);
    },
  );

  test('a few stalled calls hardly change when a call is late', async () => {
    const late = await lateTimes(500, (n) => (n % 50 === 0 ? 2_000 : 20));
    expect(Math.max(...late.slice(200))).toBeLessThan(90);
  });
});
