import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
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

function makeWorld(limits: Omit<BatchLimits, 'waitMs'>, waitMs = 60_000) {
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
    { ...limits, waitMs },
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
    const together = new Batcher<number, string>(
      async (asks) => {
        order.push('call');
        return answersTo(asks);
      },
      { inFlight: 1, asksPerCall: 10, waitMs: 60_000 },
    );
    void together.ask(1);
    setImmediate(() => order.push('next turn'));
    await nextTurn();
    expect(order).toEqual(['call', 'next turn']);
  });

  test('requests of one turn of the event loop share a call', async () => {
    const world = makeWorld({ inFlight: 4, asksPerCall: 10 });
    for (let ask = 0; ask < 3; ask++) world.ask();
    await nextTurn();
    expect(world.calls.map(({ asks }) => asks)).toEqual([[0, 1, 2]]);
  });

  test('a request that arrives while a call is in flight joins the next call', async () => {
    const world = makeWorld({ inFlight: 1, asksPerCall: 10 });
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
      { inFlight: 1, asksPerCall: 1, waitMs: 60_000 },
    );
    await expect(together.ask(1)).rejects.toThrow('at once');
    await expect(together.ask(2)).resolves.toBe('answer 2');
  });

  test('a request without an answer fails', async () => {
    const together = new Batcher<number, string>(async () => ['only one'], {
      inFlight: 1,
      asksPerCall: 2,
      waitMs: 60_000,
    });
    const outcomes = await Promise.allSettled([together.ask(1), together.ask(2)]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  });

  test('a request that has waited too long fails, and others are served', async () => {
    const now = vi.spyOn(performance, 'now');
    onTestFinished(() => now.mockRestore());
    const world = makeWorld({ inFlight: 1, asksPerCall: 5 }, 1_000);
    for (const at of [0, 1, 2, 900]) {
      now.mockReturnValue(at);
      world.ask();
      await nextTurn();
    }
    now.mockReturnValue(1_500);
    world.end(0, false);
    await nextTurn();
    world.end(0, false);
    const outcomes = await Promise.all(world.outcomes);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
    expect(world.calls.map(({ asks }) => asks)).toEqual([[0], [3]]);
  });

  test('a request whose call does not answer in time fails, and so does one that waits behind it', async () => {
    const world = makeWorld({ inFlight: 1, asksPerCall: 5 }, 20);
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
          // Whoever waited when the call began is in it, unless it was full.
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

describe('a batcher that knows what is asked by name', () => {
  /** Its calls end when the test likes. */
  function makeNamed() {
    const calls: { readonly asks: readonly string[]; readonly answered: PromiseWithResolvers<readonly string[]> }[] =
      [];
    const together = new Batcher<string, string>(
      (asks) => {
        const answered = Promise.withResolvers<readonly string[]>();
        calls.push({ asks: [...asks], answered });
        return answered.promise;
      },
      { inFlight: 1, asksPerCall: 2, waitMs: 60_000 },
      { nameOf: (ask) => ask },
    );
    return { calls, together };
  }

  test('who asks the same as one that waits shares its answer, and counts for nothing', async () => {
    const { calls, together } = makeNamed();
    const answers = ['a', 'b', 'a', 'b', 'a'].map((ask) => together.ask(ask));
    await nextTurn();
    expect(calls.map(({ asks }) => asks)).toEqual([['a', 'b']]);
    calls[0]?.answered.resolve(['A', 'B']);
    expect(await Promise.all(answers)).toEqual(['A', 'B', 'A', 'B', 'A']);
  });

  test('who asks the same as one whose call began has an answer of its own', async () => {
    const { calls, together } = makeNamed();
    const early = together.ask('a');
    await nextTurn();
    const late = [together.ask('a'), together.ask('a')];
    calls[0]?.answered.resolve(['old']);
    await nextTurn();
    expect(calls.map(({ asks }) => asks)).toEqual([['a'], ['a']]);
    calls[1]?.answered.resolve(['new']);
    expect(await Promise.all([early, ...late])).toEqual(['old', 'new', 'new']);
  });

  test('who asks the same as one that did not fit in the call joins it all the same', async () => {
    const { calls, together } = makeNamed();
    const answers = ['a', 'b', 'c'].map((ask) => together.ask(ask));
    await nextTurn();
    answers.push(together.ask('c'));
    calls[0]?.answered.resolve(['A', 'B']);
    await nextTurn();
    expect(calls.map(({ asks }) => asks)).toEqual([['a', 'b'], ['c']]);
    calls[1]?.answered.resolve(['C']);
    expect(await Promise.all(answers)).toEqual(['A', 'B', 'C', 'C']);
  });

  test('who asks the same as one that has waited for long has a deadline of its own', async () => {
    const now = vi.spyOn(performance, 'now');
    onTestFinished(() => now.mockRestore());
    const { calls, together } = makeNamed();
    now.mockReturnValue(0);
    const first = together.ask('busy');
    await nextTurn();
    const early = Promise.allSettled([together.ask('a')]);
    now.mockReturnValue(6_000);
    const joined = Promise.allSettled([together.ask('a')]);
    now.mockReturnValue(6_001);
    const late = together.ask('a');
    now.mockReturnValue(60_000);
    calls[0]?.answered.resolve(['done']);
    await first;
    await nextTurn();
    calls[1]?.answered.resolve(['A']);
    expect(await late).toBe('A');
    expect([...(await early), ...(await joined)].map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(calls.map(({ asks }) => asks)).toEqual([['busy'], ['a']]);
  });

  test('a call that fails fails all who share it, and nobody after it', async () => {
    const { calls, together } = makeNamed();
    const failed = [together.ask('a'), together.ask('a')].map((answer) =>
      answer.catch((error: Error) => error.message),
    );
    await nextTurn();
    calls[0]?.answered.reject(new Error('no answer'));
    expect(await Promise.all(failed)).toEqual(['no answer', 'no answer']);
    const next = together.ask('a');
    await nextTurn();
    calls[1]?.answered.resolve(['A']);
    expect(await next).toBe('A');
  });
});

/** What is asked by several owners, one ask a number; calls end when the test likes. */
function makeOwners(limits: Omit<BatchLimits, 'waitMs'>, waitMs = 60_000) {
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
    { ...limits, waitMs },
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
    const { ask, calls } = makeOwners({ inFlight: 10, asksPerCall: 10 });
    for (const owner of ['a', 'b', 'a', 'c', 'b']) ask(owner);
    await nextTurn();
    expect(calls.map(({ asks }) => asks.map(({ owner }) => owner).join(''))).toEqual(['aa', 'bb', 'c']);
  });

  test('an owner with slow calls delays no other owner', async () => {
    const { ask, end, owners } = makeOwners({ inFlight: 4, inFlightPerOwner: 2, asksPerCall: 1 });
    ask('slow', 20);
    await nextTurn();
    for (let time = 0; time < 5; time++) {
      ask('quick');
      await nextTurn();
      await end(2);
    }
    expect(owners()).toEqual(['slow', 'slow', ...Array(5).fill('quick')]);
  });

  test('owners are served round-robin: a request waits for at most one call of each other owner', async () => {
    const { ask, end, owners } = makeOwners({ inFlight: 1, asksPerCall: 1 });
    ask('a', 20);
    ask('b', 20);
    await nextTurn();
    ask('c');
    for (let time = 0; time < 4; time++) await end(0);
    expect(owners()).toEqual(['a', 'b', 'a', 'c', 'b']);
  });

  test('a request that has waited too long for its owner’s calls fails, while other owners are served', async () => {
    const now = vi.spyOn(performance, 'now').mockReturnValue(0);
    onTestFinished(() => now.mockRestore());
    const { ask, end, outcomes } = makeOwners({ inFlight: 4, inFlightPerOwner: 1, asksPerCall: 1 }, 1_000);
    ask('slow', 2);
    await nextTurn();
    now.mockReturnValue(1_500);
    ask('quick');
    await nextTurn();
    await end(1);
    expect(await Promise.all(outcomes.slice(1))).toEqual(['DeadlineExceeded', 'true']);
  });

  test('nothing is kept of an owner without requests', async () => {
    const now = vi.spyOn(performance, 'now').mockReturnValue(0);
    onTestFinished(() => now.mockRestore());
    const { ask, end, together } = makeOwners({ inFlight: 2, inFlightPerOwner: 1, asksPerCall: 1 }, 1_000);
    for (const owner of ['answered', 'failed', 'late']) ask(owner);
    await nextTurn();
    expect(together.owners).toBe(3);
    now.mockReturnValue(1_500);
    await end(0);
    await end(0, true);
    expect(together.owners).toBe(0);
  });

  describe('after a batch of eight or more', () => {
    beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
    afterEach(() => void vi.useRealTimers());

    /** Past the batch of eight, `a`'s. */
    async function afterLargeBatch(limits = {}) {
      const world = makeOwners({ inFlight: 1, asksPerCall: 100, ...limits });
      world.ask('a', 8);
      await nextTurn();
      await world.end(0);
      return world;
    }

    test('three quarters as many requests of its owner are waited for', async () => {
      const { ask, calls } = await afterLargeBatch();
      ask('a', 5);
      await nextTurn();
      expect(calls).toHaveLength(1);
      ask('a');
      await nextTurn();
      expect(calls.map(({ asks }) => asks.length)).toEqual([8, 6]);
    });

    test('those that came while it was in flight count', async () => {
      const { ask, calls, end } = makeOwners({ inFlight: 1, asksPerCall: 100 });
      ask('a', 8);
      await nextTurn();
      ask('a', 6);
      await end(0);
      expect(calls.map(({ asks }) => asks.length)).toEqual([8, 6]);
    });

    test.each([
      ['eight milliseconds', {}, 8],
      ['as long as the limits say', { holdMs: 24 }, 24],
    ])('fewer wait for %s', async (_, limits, ms) => {
      const { ask, calls } = await afterLargeBatch(limits);
      ask('a');
      vi.advanceTimersByTime(ms - 1);
      await nextTurn();
      expect(calls).toHaveLength(1);
      vi.advanceTimersByTime(1);
      await nextTurn();
      expect(calls.map(({ asks }) => asks.length)).toEqual([8, 1]);
    });

    test('no other owner waits', async () => {
      const { ask, owners } = await afterLargeBatch();
      ask('b');
      await nextTurn();
      expect(owners()).toEqual(['a', 'b']);
    });

    test('each of its owner’s slots is held for as many requests of its own', async () => {
      const { ask, calls, end } = makeOwners({ inFlight: 2, inFlightPerOwner: 2, asksPerCall: 100 });
      ask('a', 8);
      await nextTurn();
      ask('a', 8);
      await nextTurn();
      await end(0);
      await end(0);
      ask('a', 11);
      await nextTurn();
      ask('a', 5);
      await nextTurn();
      expect(calls.map(({ asks }) => asks.length)).toEqual([8, 8, 11]);
      ask('a');
      await nextTurn();
      expect(calls.map(({ asks }) => asks.length)).toEqual([8, 8, 11, 6]);
    });
  });

  test('each request is sent once, in its owner’s order, within the limits, and no usable slot is idle', async () => {
    const owner = fc.constantFrom('a', 'b', 'c');
    const anyStep = fc.oneof(owner, fc.nat(9));
    const bounds = fc.record({
      inFlight: fc.integer({ min: 1, max: 5 }),
      inFlightPerOwner: fc.integer({ min: 1, max: 3 }),
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
            expect(openOf(of)).toBeLessThanOrEqual(limits.inFlightPerOwner);
            const isFull = openOf(of) === limits.inFlightPerOwner || world.open.length === limits.inFlight;
            expect(gone.length === count || isFull).toBe(true);
          }
          expect(world.open.length).toBeLessThanOrEqual(limits.inFlight);
        }
        while (world.open.length > 0) await world.end(0);
        expect(new Set(await Promise.all(world.outcomes)).size).toBeLessThanOrEqual(1);
        expect(world.together.owners).toBe(0);
        for (const { asks } of world.calls) expect(new Set(asks.map((one) => one.owner)).size).toBe(1);
      }),
    );
  });
});
