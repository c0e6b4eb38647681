import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Batcher, type BatchLimits } from '../../../shared/base/batcher.ts';

/** A call of a {@link Batcher} that the test ends when it likes. */
interface Call {
  readonly asks: readonly number[];
  readonly askedSoFar: number;
  readonly answered: PromiseWithResolvers<readonly string[]>;
}

/** Past the end of the turn of the event loop that follows: whatever was to start by then has. */
const nextTurn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
const answersTo = (asks: readonly number[]) => asks.map((ask) => `answer ${ask}`);

/** What is asked of a batcher that a test says nothing of. */
const LIMITS: BatchLimits = { inFlight: 1, leftBehind: 0, asksPerCall: 10, waitMs: 60_000 };

function makeWorld(limits: Partial<BatchLimits>) {
  const calls: Call[] = [];
  const open: Call[] = [];
  const outcomes: Promise<PromiseSettledResult<string>>[] = [];
  let inFlightMost = 0;
  const together = new Batcher<number, string>(
    (asks) => {
      const call = {
        asks: [...asks],
        askedSoFar: outcomes.length,
        answered: Promise.withResolvers<readonly string[]>(),
      };
      calls.push(call);
      open.push(call);
      inFlightMost = Math.max(inFlightMost, open.length);
      return call.answered.promise;
    },
    { ...LIMITS, ...limits },
  );
  return {
    calls,
    open,
    outcomes,
    inFlightMost: () => inFlightMost,
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
const anyWidth = fc.record({ inFlight: fc.integer({ min: 1, max: 4 }), asksPerCall: fc.integer({ min: 1, max: 5 }) });

describe('a batcher', () => {
  test('a single request starts at the end of the current turn of the event loop', async () => {
    const order: string[] = [];
    const together = new Batcher<number, string>(async (asks) => {
      order.push('call');
      return answersTo(asks);
    }, LIMITS);
    void together.ask(1);
    setImmediate(() => order.push('next turn'));
    await nextTurn();
    expect(order).toEqual(['call', 'next turn']);
  });

  test('requests of one turn of the event loop share a call', async () => {
    const world = makeWorld({ inFlight: 4 });
    for (let ask = 0; ask < 3; ask++) world.ask();
    await nextTurn();
    expect(world.calls.map(({ asks }) => asks)).toEqual([[0, 1, 2]]);
  });

  test('a request that arrives while a call is in flight joins the next call', async () => {
    const world = makeWorld({});
    world.ask();
    await nextTurn();
    world.ask();
    world.ask();
    await nextTurn();
    expect(world.calls.map(({ asks }) => asks)).toEqual([[0]]);
    world.end(0, false);
    await nextTurn();
    expect(world.calls.map(({ asks }) => asks)).toEqual([[0], [1, 2]]);
  });

  test('a failed call fails only its own requests', async () => {
    const world = makeWorld({ inFlight: 2, asksPerCall: 2 });
    for (let ask = 0; ask < 4; ask++) world.ask();
    await nextTurn();
    world.end(0, true);
    world.end(0, false);
    const outcomes = await Promise.all(world.outcomes);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled', 'fulfilled']);
  });

  test('a call that throws synchronously fails its requests, and the next request is served', async () => {
    let calls = 0;
    const together = new Batcher<number, string>(
      (asks) => {
        calls++;
        if (calls === 1) throw new Error('at once');
        return Promise.resolve(answersTo(asks));
      },
      { ...LIMITS, asksPerCall: 1 },
    );
    await expect(together.ask(1)).rejects.toThrow('at once');
    await expect(together.ask(2)).resolves.toBe('answer 2');
  });

  test('a request without an answer fails', async () => {
    const together = new Batcher<number, string>(async () => ['only one'], LIMITS);
    const outcomes = await Promise.allSettled([together.ask(1), together.ask(2)]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  });

  test('a request that has waited too long fails, and others are served', async () => {
    fakeTimers();
    const world = makeWorld({ waitMs: 1_000 });
    for (const passes of [1, 1, 898, 600]) {
      world.ask();
      await nextTurn();
      vi.advanceTimersByTime(passes);
    }
    world.end(0, false);
    await nextTurn();
    world.end(0, false);
    const outcomes = await Promise.all(world.outcomes);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected', 'fulfilled']);
    expect(world.calls.map(({ asks }) => asks)).toEqual([[0], [3]]);
  });

  test('a request whose call does not answer in time fails, and so does one that waits behind it', async () => {
    const world = makeWorld({ waitMs: 20 });
    world.ask();
    await nextTurn();
    world.ask();
    for (const outcome of await Promise.all(world.outcomes)) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { name: 'DeadlineExceeded' } });
    }
    world.ask();
    world.end(0, false);
    await nextTurn();
    world.end(0, false);
    expect((await Promise.all(world.outcomes)).at(-1)).toEqual({ status: 'fulfilled', value: 'answer 2' });
    expect(world.calls.map(({ asks }) => asks)).toEqual([[0], [2]]);
  });

  test('each request is in one call that starts after it, in order, within the limits, and gets its own answer', async () => {
    await fc.assert(
      fc.asyncProperty(anyWidth, fc.array(step, { maxLength: 60 }), async (limits, steps) => {
        const world = makeWorld(limits);
        const failed = new Set<number>();
        const end = (at: number, fails: boolean) => {
          if (fails) for (const ask of world.open[at]?.asks ?? []) failed.add(ask);
          world.end(at, fails);
        };
        for (const next of steps) {
          if (next.kind === 'ask') world.ask();
          else if (next.kind === 'end') end(next.at, next.failed);
          else {
            await nextTurn();
            const called = world.calls.flatMap(({ asks }) => asks).length;
            // Nobody waits while there is a free place.
            if (called < world.outcomes.length) expect(world.open.length).toBe(limits.inFlight);
          }
        }
        await nextTurn();
        while (world.open.length > 0) {
          end(0, false);
          await nextTurn();
        }
        expect(world.calls.flatMap(({ asks }) => asks)).toEqual(world.outcomes.map((_, ask) => ask));
        expect(world.inFlightMost()).toBeLessThanOrEqual(limits.inFlight);
        for (const { asks, askedSoFar } of world.calls) {
          expect(asks.length).toBeLessThanOrEqual(limits.asksPerCall);
          // Every request that waited when the call began is in it, unless it was full.
          if (asks.length < limits.asksPerCall) expect(asks.at(-1)).toBe(askedSoFar - 1);
        }
        for (const [ask, outcome] of (await Promise.all(world.outcomes)).entries()) {
          if (failed.has(ask)) expect(outcome.status).toBe('rejected');
          else expect(outcome).toEqual({ status: 'fulfilled', value: `answer ${ask}` });
        }
      }),
    );
  });
});

/** What is asked by several owners, one ask a number; calls end when the test likes. */
function makeOwners(limits: Partial<BatchLimits>) {
  interface OwnersCall {
    readonly asks: readonly { readonly owner: string; readonly ask: number }[];
    readonly answered: PromiseWithResolvers<readonly true[]>;
  }
  const calls: OwnersCall[] = [];
  const open: OwnersCall[] = [];
  const asked = new Map<string, number>();
  const outcomes: Promise<string>[] = [];
  const together = new Batcher<OwnersCall['asks'][number], true>(
    (asks) => {
      const call = { asks: [...asks], answered: Promise.withResolvers<readonly true[]>() };
      calls.push(call);
      open.push(call);
      return call.answered.promise;
    },
    { ...LIMITS, ...limits },
  );
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
    /** The owners of all calls so far, each once a call. */
    owners: () => calls.map(({ asks }) => [...new Set(asks.map(({ owner }) => owner))].join()),
    asked,
  };
}

describe('a batcher with owners', () => {
  test('owners never share a call', async () => {
    const { ask, calls } = makeOwners({});
    for (const owner of ['a', 'b', 'a', 'c', 'b']) ask(owner);
    await nextTurn();
    expect(calls.map(({ asks }) => asks.map(({ owner }) => owner).join(''))).toEqual(['aa', 'bb', 'c']);
  });

  test('an owner with slow calls delays no other owner', async () => {
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

  test('nothing is kept of an owner without requests', async () => {
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

  test('each request is sent once, in its owner’s order, within the limits, and no usable slot is idle', async () => {
    const owner = fc.constantFrom('a', 'b', 'c');
    const anyStep = fc.oneof(owner, fc.nat(9));
    const bounds = fc.record({
      inFlight: fc.integer({ min: 1, max: 3 }),
      asksPerCall: fc.integer({ min: 1, max: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(bounds, fc.array(anyStep, { maxLength: 60 }), async (limits, steps) => {
        const world = makeOwners(limits);
        const openOf = (of: string) => world.open.filter(({ asks }) => asks[0]?.owner === of).length;
        for (const step of steps) {
          if (typeof step === 'string') world.ask(step);
          else if (world.open.length > 0) await world.end(step % world.open.length);
          await nextTurn();
          for (const [of, count] of world.asked) {
            const gone = world.calls.flatMap(({ asks }) => asks).filter((one) => one.owner === of);
            expect(gone.map(({ ask }) => ask)).toEqual(gone.map((_, at) => at));
            expect(openOf(of)).toBeLessThanOrEqual(limits.inFlight);
            expect(gone.length === count || openOf(of) === limits.inFlight).toBe(true);
          }
        }
        while (world.open.length > 0) await world.end(0);
        expect(new Set(await Promise.all(world.outcomes)).size).toBeLessThanOrEqual(1);
        expect(world.together.owners).toBe(0);
        for (const { asks } of world.calls) expect(new Set(asks.map((one) => one.owner)).size).toBe(1);
      }),
    );
  });
});

describe('a batcher that knows how long calls take', () => {
  /** Each of a hundred calls has taken eight milliseconds, so one is late after ten, the least. */
  async function afterQuickCalls(limits: Partial<BatchLimits>) {
    fakeTimers();
    const calls: { readonly ask: number; late: boolean; readonly answer: () => void }[] = [];
    const batcher = new Batcher<number, true>(
      (asks, late) => {
        const { promise, resolve } = Promise.withResolvers<true[]>();
        const call = { ask: asks[0] ?? Number.NaN, late: false, answer: () => resolve(asks.map(() => true)) };
        calls.push(call);
        void late.then(() => {
          call.late = true;
        });
        return promise;
      },
      { ...LIMITS, asksPerCall: 1, ...limits },
    );
    const ask = (n: number) => void batcher.ask(n).catch(() => undefined);
    const pass = async (ms: number) => {
      await nextTurn();
      vi.advanceTimersByTime(ms);
      await nextTurn();
    };
    for (let n = 0; n < 100; n++) {
      ask(n);
      await pass(8);
      calls[n]?.answer();
      await nextTurn();
    }
    calls.length = 0;
    return { calls, ask, pass };
  }

  test('leaves a late call behind, for as many as it may', async () => {
    const { calls, ask, pass } = await afterQuickCalls({ leftBehind: 2 });
    for (let n = 0; n < 5; n++) ask(n);
    await pass(9);
    expect(calls.map((call) => call.ask)).toEqual([0]);
    await pass(1);
    expect(calls.map((call) => call.ask)).toEqual([0, 1]);
    for (let n = 0; n < 5; n++) await pass(10);
    expect(calls.map((call) => call.ask)).toEqual([0, 1, 2]);
    calls[0]?.answer();
    await pass(0);
    expect(calls.map((call) => call.ask)).toEqual([0, 1, 2]);
    calls[2]?.answer();
    await pass(0);
    expect(calls.map((call) => call.ask)).toEqual([0, 1, 2, 3]);
  });

  test('sends what waits behind a later call when the one that was left behind is answered', async () => {
    const { calls, ask, pass } = await afterQuickCalls({ leftBehind: 2 });
    ask(0);
    await pass(10);
    ask(1);
    await pass(0);
    ask(2);
    calls[0]?.answer();
    await pass(0);
    calls[1]?.answer();
    await pass(0);
    expect(calls.map((call) => call.ask)).toEqual([0, 1, 2]);
  });

  test('lets one call in ten be made again, and ten in a row', async () => {
    const { calls, ask, pass } = await afterQuickCalls({ inFlight: 20 });
    for (let n = 0; n < 20; n++) ask(n);
    await pass(10);
    expect(calls.filter(({ late }) => late)).toHaveLength(10);
    for (const { answer } of calls.splice(0)) answer();
    await nextTurn();
    for (let n = 0; n < 20; n++) ask(n);
    await pass(10);
    expect(calls.filter(({ late }) => late)).toHaveLength(2);
  });
});

function fakeTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
}
