import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { DeadlineExceeded, withDeadline } from '../../../shared/base/deadline.ts';
import { FairQueue, type Turns } from '../../../shared/base/fair-queue.ts';
import { hedge } from '../../../shared/base/hedge.ts';
import { makeOnce } from '../../../shared/base/make-once.ts';

const refuse = () => new Error('refused');
const UNBOUNDED: Turns = { what: 'work', owner: 'anyone', running: 2, runningPerOwner: 2 };
const TURNS: Turns = { ...UNBOUNDED, bound: { waitingPerOwner: 100, waitMs: 60_000, refuse } };

/** Makes a queue whose work stays open until the test ends it. Records the order in which work started. */
function makeHarness(turns: Turns = TURNS) {
  const queue = new FairQueue(turns);
  const started: string[] = [];
  const open: (() => void)[] = [];
  const submit = (owner: string, name = owner) => {
    const outcome = queue.run(owner, () => {
      started.push(name);
      const { promise, resolve } = Promise.withResolvers<string>();
      open.push(() => resolve(name));
      return promise;
    });
    outcome.catch(() => undefined);
    return outcome;
  };
  const end = async () => {
    await turn();
    open.shift()?.();
    await turn();
  };
  return { queue, started, open, submit, end };
}

test('work of one owner starts in order of arrival', async () => {
  const { submit, end, started } = makeHarness();
  for (const name of ['1', '2', '3', '4']) submit('a', name);
  for (let ended = 0; ended < 4; ended++) await end();
  expect(started).toEqual(['1', '2', '3', '4']);
});

test('owners take turns, so an owner’s first work waits for at most one piece of work of each other owner', async () => {
  const { submit, end, started } = makeHarness();
  for (let at = 0; at < 50; at++) submit('greedy');
  submit('modest');
  await end();
  await end();
  expect(started).toContain('modest');
});

test('work is refused if its owner’s queue is full, while another owner’s work may wait', async () => {
  const { submit } = makeHarness({ ...TURNS, running: 1, bound: { waitingPerOwner: 1, waitMs: 60_000, refuse } });
  submit('a');
  submit('a');
  await expect(submit('a')).rejects.toThrow('refused');
  const other = submit('b');
  await expect(Promise.race([other, turn().then(() => 'waits')])).resolves.toBe('waits');
});

test('work that has waited too long is refused and leaves the queue, and without a bound it waits as long as it must', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const bounded = makeHarness({ ...TURNS, running: 1, bound: { waitingPerOwner: 1, waitMs: 1_000, refuse } });
  const unbounded = makeHarness({ ...UNBOUNDED, running: 1 });
  for (const { submit } of [bounded, unbounded]) submit('a');
  const [late, patient] = [bounded.submit('a'), unbounded.submit('a')];
  await turn();
  vi.advanceTimersByTime(999);
  expect(await Promise.race([late, turn().then(() => 'waits')])).toBe('waits');
  vi.advanceTimersByTime(1);
  await expect(late).rejects.toThrow('refused');
  vi.advanceTimersByTime(2 ** 31);
  const next = bounded.submit('a');
  for (const { end } of [bounded, unbounded, bounded, unbounded]) await end();
  expect(await Promise.all([next, patient])).toEqual(['a', 'a']);
  expect([bounded.started.length, unbounded.started.length]).toEqual([2, 2]);
});

test('failed work frees its slot', async () => {
  const { queue, submit, end } = makeHarness({ ...TURNS, running: 1 });
  await expect(queue.run('a', () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  const next = submit('b');
  await end();
  await expect(next).resolves.toBe('b');
});

test('all work runs within the limits, and no slot is idle while an owner below its limit has waiting work', async () => {
  const owners = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 30 });
  const limits = fc.record({
    running: fc.integer({ min: 1, max: 4 }),
    runningPerOwner: fc.integer({ min: 1, max: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), owners, limits, async (scheduler, submitted, { running, runningPerOwner }) => {
      const queue = new FairQueue({ ...TURNS, running, runningPerOwner });
      const [left, at] = [new Map<string, number>(), new Map<string, number>()];
      const add = (counts: Map<string, number>, owner: string, count: number) =>
        counts.set(owner, (counts.get(owner) ?? 0) + count);
      const all = submitted.map(async (owner, number) => {
        await scheduler.schedule(Promise.resolve(), `${number} is submitted`);
        add(left, owner, 1);
        await queue.run(owner, async () => {
          add(at, owner, 1);
          await scheduler.schedule(Promise.resolve(), `${number} ends`);
          add(at, owner, -1);
          add(left, owner, -1);
        });
      });
      while (scheduler.count() > 0) {
        await scheduler.waitNext(1);
        await turn();
        const startable = left.values().reduce((sum, count) => sum + Math.min(count, runningPerOwner), 0);
        expect(at.values().reduce((sum, count) => sum + count, 0)).toBe(Math.min(running, startable));
        expect(Math.max(...at.values(), 0)).toBeLessThanOrEqual(runningPerOwner);
      }
      await Promise.all(all);
    }),
  );
});

describe('a hedged call', () => {
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

describe('a deadline', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('a call past its deadline fails with an error that names the call', async () => {
    const answer = withDeadline('the store', 1000, new Promise(() => undefined));
    const refused = expect(answer).rejects.toThrow(new DeadlineExceeded('the store: no answer within 1000 ms'));
    await vi.advanceTimersByTimeAsync(1000);
    await refused;
  });

  test('an answer that arrives before the deadline is returned', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const answer = withDeadline('the store', 1000, promise);
    await vi.advanceTimersByTimeAsync(999);
    resolve('in time');
    await expect(answer).resolves.toBe('in time');
  });

  test('an error that is thrown before the deadline is passed on unchanged', async () => {
    const failure = new Error('refused');
    await expect(withDeadline('the store', 1000, Promise.reject(failure))).rejects.toBe(failure);
  });

  test.each([
    ['an answer', async () => 1],
    ['a failure', () => Promise.reject(new Error('refused'))],
  ])('the timer of a deadline is cleared after %s', async (_, work) => {
    await withDeadline('the store', 1000, work()).catch(() => undefined);
    expect(vi.getTimerCount()).toBe(0);
  });
});

test('a value is made once, also for simultaneous callers, and a failure is not kept', async () => {
  const make = vi.fn<() => Promise<number>>().mockRejectedValueOnce(new Error('not now')).mockResolvedValue(7);
  const get = makeOnce(make);
  const [first, second] = await Promise.allSettled([get(), get()]);
  expect([first?.status, second?.status]).toEqual(['rejected', 'rejected']);
  expect(await Promise.all([get(), get()])).toEqual([7, 7]);
  expect(await get()).toBe(7);
  expect(make).toHaveBeenCalledTimes(2);
});
