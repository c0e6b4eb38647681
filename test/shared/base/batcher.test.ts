import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Batcher, type BatchLimits } from '../../../shared/base/batcher.ts';

/** A batch call that stays open until the test ends it. */
interface Call {
  readonly asks: readonly number[];
  readonly askedSoFar: number;
  readonly answered: PromiseWithResolvers<readonly string[]>;
}

/** Waits until all work that is scheduled for the current turn of the event loop has started. */
const nextTurn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
const answersTo = (asks: readonly number[]) => asks.map((ask) => `answer ${ask}`);

/** The default limits in these tests. */
const LIMITS: BatchLimits = {
  what: 'requests',
  owner: 'anyone',
  past: 'an error',
  inFlight: 1,
  asksPerCall: 10,
  waitMs: 60_000,
};

function makeHarness(limits: Partial<BatchLimits>) {
  const calls: Call[] = [];
  const open: Call[] = [];
  const outcomes: Promise<PromiseSettledResult<string>>[] = [];
  let maxInFlight = 0;
  const together = new Batcher<number, string>({ ...LIMITS, ...limits }, (asks) => {
    const call = {
      asks: [...asks],
      askedSoFar: outcomes.length,
      answered: Promise.withResolvers<readonly string[]>(),
    };
    calls.push(call);
    open.push(call);
    maxInFlight = Math.max(maxInFlight, open.length);
    return call.answered.promise;
  });
  return {
    calls,
    open,
    outcomes,
    maxInFlight: () => maxInFlight,
    ask() {
      const settled = Promise.allSettled([together.ask(outcomes.length)]);
      outcomes.push(settled.then(([outcome]) => outcome));
    },
    end(at: number, failed: boolean) {
      const [call] = open.splice(at, 1);
      if (failed) call?.answered.reject(new Error(`call of ${call.asks}`));
      else call?.answered.resolve(answersTo(call.asks));
    },
  };
}

const step = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ kind: 'ask' } as const) },
  { weight: 2, arbitrary: fc.constant({ kind: 'turn' } as const) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('end' as const), at: fc.nat(3), failed: fc.boolean() }) },
);
const anyLimits = fc.record({ inFlight: fc.integer({ min: 1, max: 4 }), asksPerCall: fc.integer({ min: 1, max: 5 }) });

describe('a batcher', () => {
  test('a batch call with a single request starts at the end of the current turn of the event loop', async () => {
    const order: string[] = [];
    const together = new Batcher<number, string>(LIMITS, async (asks) => {
      order.push('call');
      return answersTo(asks);
    });
    void together.ask(1);
    setImmediate(() => order.push('next turn'));
    await nextTurn();
    expect(order).toEqual(['call', 'next turn']);
  });

  test('requests of the same turn of the event loop share a batch call', async () => {
    const harness = makeHarness({ inFlight: 4 });
    for (let ask = 0; ask < 3; ask++) harness.ask();
    await nextTurn();
    expect(harness.calls.map(({ asks }) => asks)).toEqual([[0, 1, 2]]);
  });

  test('requests that arrive while a batch call is in flight share the next call', async () => {
    const harness = makeHarness({});
    harness.ask();
    await nextTurn();
    harness.ask();
    harness.ask();
    await nextTurn();
    expect(harness.calls.map(({ asks }) => asks)).toEqual([[0]]);
    harness.end(0, false);
    await nextTurn();
    expect(harness.calls.map(({ asks }) => asks)).toEqual([[0], [1, 2]]);
  });

  test('a batch call that fails makes only its own requests fail', async () => {
    const harness = makeHarness({ inFlight: 2, asksPerCall: 2 });
    for (let ask = 0; ask < 4; ask++) harness.ask();
    await nextTurn();
    harness.end(0, true);
    harness.end(0, false);
    const outcomes = await Promise.all(harness.outcomes);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled', 'fulfilled']);
  });

  test('if a batch call throws synchronously, its requests fail, and the next request is served', async () => {
    let calls = 0;
    const together = new Batcher<number, string>({ ...LIMITS, asksPerCall: 1 }, (asks) => {
      calls++;
      if (calls === 1) throw new Error('at once');
      return Promise.resolve(answersTo(asks));
    });
    await expect(together.ask(1)).rejects.toThrow('at once');
    await expect(together.ask(2)).resolves.toBe('answer 2');
  });

  test('a request for which the batch call returns no answer fails', async () => {
    const together = new Batcher<number, string>(LIMITS, async () => ['only one']);
    const outcomes = await Promise.allSettled([together.ask(1), together.ask(2)]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  });

  test('a batch call ends at the deadline of its oldest request, and then the next requests are served', async () => {
    fakeTimers();
    const harness = makeHarness({ waitMs: 1_000 });
    harness.ask();
    await nextTurn();
    vi.advanceTimersByTime(900);
    harness.ask();
    vi.advanceTimersByTime(100);
    await nextTurn();
    await nextTurn();
    expect(await harness.outcomes[0]).toMatchObject({ status: 'rejected', reason: { name: 'DeadlineExceeded' } });
    expect(harness.calls.map(({ asks }) => asks)).toEqual([[0], [1]]);
    harness.end(1, false);
    expect(await harness.outcomes[1]).toEqual({ status: 'fulfilled', value: 'answer 1' });
  });

  test('a request that has waited too long for a batch call fails without a call', async () => {
    fakeTimers();
    const harness = makeHarness({ waitMs: 1_000 });
    harness.ask();
    vi.advanceTimersByTime(1_000);
    expect(await harness.outcomes[0]).toMatchObject({ status: 'rejected', reason: { name: 'DeadlineExceeded' } });
    expect(harness.calls).toEqual([]);
  });

  test('each request is sent exactly once, in order and within the batch limits, and gets its own answer', async () => {
    await fc.assert(
      fc.asyncProperty(anyLimits, fc.array(step, { maxLength: 60 }), async (limits, steps) => {
        const harness = makeHarness(limits);
        const failed = new Set<number>();
        const end = (at: number, fails: boolean) => {
          if (fails) for (const ask of harness.open[at]?.asks ?? []) failed.add(ask);
          harness.end(at, fails);
        };
        for (const next of steps) {
          if (next.kind === 'ask') harness.ask();
          else if (next.kind === 'end') end(next.at, next.failed);
          else {
            await nextTurn();
            const called = harness.calls.flatMap(({ asks }) => asks).length;
            // No request waits while a slot is free.
            if (called < harness.outcomes.length) expect(harness.open.length).toBe(limits.inFlight);
          }
        }
        await nextTurn();
        while (harness.open.length > 0) {
          end(0, false);
          await nextTurn();
        }
        expect(harness.calls.flatMap(({ asks }) => asks)).toEqual(harness.outcomes.map((_, ask) => ask));
        expect(harness.maxInFlight()).toBeLessThanOrEqual(limits.inFlight);
        for (const { asks, askedSoFar } of harness.calls) {
          expect(asks.length).toBeLessThanOrEqual(limits.asksPerCall);
          // A call with room left must contain every request that was waiting when the call began.
          if (asks.length < limits.asksPerCall) expect(asks.at(-1)).toBe(askedSoFar - 1);
        }
        for (const [ask, outcome] of (await Promise.all(harness.outcomes)).entries()) {
          if (failed.has(ask)) expect(outcome.status).toBe('rejected');
          else expect(outcome).toEqual({ status: 'fulfilled', value: `answer ${ask}` });
        }
      }),
    );
  });
});

/** Makes a batcher with several owners, whose calls stay open until the test ends them. */
function makeOwners(limits: Partial<BatchLimits>) {
  interface OwnersCall {
    readonly asks: readonly { readonly owner: string; readonly ask: number }[];
    readonly answered: PromiseWithResolvers<readonly true[]>;
  }
  const calls: OwnersCall[] = [];
  const open: OwnersCall[] = [];
  const asked = new Map<string, number>();
  const outcomes: Promise<string>[] = [];
  const together = new Batcher<OwnersCall['asks'][number], true>({ ...LIMITS, ...limits }, (asks) => {
    const call = { asks: [...asks], answered: Promise.withResolvers<readonly true[]>() };
    calls.push(call);
    open.push(call);
    return call.answered.promise;
  });
  return {
    together,
    calls,
    open,
    outcomes,
    ask(owner: string, times = 1) {
      for (let time = 0; time < times; time++) {
        const ask = asked.get(owner) ?? 0;
        asked.set(owner, ask + 1);
        outcomes.push(together.ask({ owner, ask }, owner).then(String, (error: unknown) => Object(error).name));
      }
    },
    async end(at: number, failed = false) {
      const [call] = open.splice(at, 1);
      if (failed) call?.answered.reject(new Error('failed'));
      else call?.answered.resolve(call.asks.map(() => true));
      await nextTurn();
    },
    /** The owners of each call so far. */
    owners: () => calls.map(({ asks }) => [...new Set(asks.map(({ owner }) => owner))].join()),
    asked,
  };
}

describe('a batcher with owners', () => {
  test('requests of different owners never share a batch call', async () => {
    const { ask, calls } = makeOwners({});
    for (const owner of ['a', 'b', 'a', 'c', 'b']) ask(owner);
    await nextTurn();
    expect(calls.map(({ asks }) => asks.map(({ owner }) => owner).join(''))).toEqual(['aa', 'bb', 'c']);
  });

  test('slow batch calls of one owner do not delay another owner', async () => {
    const { ask, end, owners } = makeOwners({ inFlight: 2, asksPerCall: 1 });
    ask('slow', 20);
    await nextTurn();
    for (let time = 0; time < 5; time++) {
      ask('quick');
      await nextTurn();
      await end(2);
    }
    expect(owners()).toEqual(['slow', 'slow', ...Array(5).fill('quick')]);
  });

  test('the batcher forgets an owner without requests', async () => {
    fakeTimers();
    const { ask, end, together } = makeOwners({ asksPerCall: 1, waitMs: 1_000 });
    for (const owner of ['answered', 'failed', 'late']) ask(owner);
    ask('late');
    await nextTurn();
    expect(together.owners).toBe(3);
    await end(0);
    await end(0, true);
    vi.advanceTimersByTime(1_000);
    await end(0);
    expect(together.owners).toBe(0);
  });

  test('each owner’s requests are sent exactly once, in order and within the batch limits, and use every free slot', async () => {
    const owner = fc.constantFrom('a', 'b', 'c');
    const anyStep = fc.oneof(owner, fc.nat(9));
    const bounds = fc.record({
      inFlight: fc.integer({ min: 1, max: 3 }),
      asksPerCall: fc.integer({ min: 1, max: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(bounds, fc.array(anyStep, { maxLength: 60 }), async (limits, steps) => {
        const harness = makeOwners(limits);
        const openOf = (of: string) => harness.open.filter(({ asks }) => asks[0]?.owner === of).length;
        for (const step of steps) {
          if (typeof step === 'string') harness.ask(step);
          else if (harness.open.length > 0) await harness.end(step % harness.open.length);
          await nextTurn();
          for (const [of, count] of harness.asked) {
            const gone = harness.calls.flatMap(({ asks }) => asks).filter((one) => one.owner === of);
            expect(gone.map(({ ask }) => ask)).toEqual(gone.map((_, at) => at));
            expect(openOf(of)).toBeLessThanOrEqual(limits.inFlight);
            expect(gone.length === count || openOf(of) === limits.inFlight).toBe(true);
          }
        }
        while (harness.open.length > 0) await harness.end(0);
        expect(new Set(await Promise.all(harness.outcomes)).size).toBeLessThanOrEqual(1);
        expect(harness.together.owners).toBe(0);
        for (const { asks } of harness.calls) expect(new Set(asks.map((one) => one.owner)).size).toBe(1);
      }),
    );
  });
});

describe('late calls', () => {
  test('a call is late after four times the usual time of a call, and after 10 ms at the least', async () => {
    fakeTimers();
    const late: number[] = [];
    let tookMs = 0;
    const batcher = new Batcher<number, true>(LIMITS, async (asks, lateMs) => {
      late.push(lateMs);
      vi.advanceTimersByTime(tookMs);
      return asks.map(() => true);
    });
    for (const [ms, expected] of [
      [1, 10],
      [50, 200],
    ] as const) {
      tookMs = ms;
      for (let n = 0; n < 200; n++) await batcher.ask(n);
      expect(Math.abs((late.at(-1) ?? 0) - expected)).toBeLessThan(expected * 0.06);
    }
  });

  test('a few stalled calls hardly change when a call is late', async () => {
    fakeTimers();
    const late: number[] = [];
    const batcher = new Batcher<number, true>(LIMITS, async (asks, lateMs) => {
      late.push(lateMs);
      vi.advanceTimersByTime(late.length % 50 === 0 ? 2_000 : 20);
      return asks.map(() => true);
    });
    for (let n = 0; n < 500; n++) await batcher.ask(n);
    expect(Math.max(...late.slice(200))).toBeLessThan(90);
  });
});

function fakeTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
}
