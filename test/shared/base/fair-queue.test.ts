import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { FairQueue, type Turns } from '../../../shared/base/fair-queue.ts';

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

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('FairQueue', () => {
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
});
