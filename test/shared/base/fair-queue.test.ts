import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FairQueue, type Limits } from '../../../shared/base/fair-queue.ts';

const LIMITS: Limits = { running: 2, runningPerOwner: 2, waitingPerOwner: 100, waitMs: 60_000 };

/** Makes a queue whose work stays open until the test ends it. Records the order in which work started. */
function makeHarness(limits: Partial<Limits> = {}) {
  const queue = new FairQueue({ ...LIMITS, ...limits });
  const started: string[] = [];
  const open: { owner: string; end: () => void }[] = [];
  const submit = (owner: string, name = owner) => {
    const work = () => {
      started.push(name);
      const { promise, resolve } = Promise.withResolvers<string>();
      open.push({ owner, end: () => resolve(name) });
      return promise;
    };
    const outcome = queue.run(owner, work, () => new Error('refused'));
    outcome.catch(() => undefined);
    return outcome;
  };
  const end = async (at = 0) => {
    await turn();
    open.splice(at, 1)[0]?.end();
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

  test('an owner never runs more work than its limit allows, even while slots are free', () => {
    const { submit, queue } = makeHarness({ running: 10, runningPerOwner: 3 });
    for (let at = 0; at < 5; at++) submit('a');
    submit('b');
    expect(queue.running).toBe(4);
  });

  test('work is refused if its owner’s queue is full, while another owner’s work may wait', async () => {
    const { submit } = makeHarness({ running: 1, waitingPerOwner: 1 });
    submit('a');
    submit('a');
    await expect(submit('a')).rejects.toThrow('refused');
    const other = submit('b');
    await expect(Promise.race([other, turn().then(() => 'waits')])).resolves.toBe('waits');
  });

  test('work that has waited too long is refused and leaves the queue', async () => {
    const { submit, end } = makeHarness({ running: 1, waitingPerOwner: 1, waitMs: 5 });
    submit('a');
    await expect(submit('a')).rejects.toThrow('refused');
    const next = submit('a');
    await end();
    await end();
    await expect(next).resolves.toBe('a');
  });

  test('failed work frees its slot', async () => {
    const { queue, submit, end } = makeHarness({ running: 1 });
    const fail = () => Promise.reject(new Error('failed'));
    await expect(queue.run('a', fail, () => new Error('refused'))).rejects.toThrow('failed');
    const next = submit('b');
    await end();
    await expect(next).resolves.toBe('b');
  });

  test('work that is withdrawn from the queue never starts and makes room for the next work of its owner', async () => {
    const { queue, submit, end, started } = makeHarness({ running: 1, waitingPerOwner: 1 });
    submit('a', 'first');
    const { turn: unserved, leave } = queue.enter('a', () => new Error('refused'));
    leave(new Error('left'));
    await expect(unserved).rejects.toThrow('left');
    submit('a', 'next');
    leave(new Error('left twice'));
    await end();
    expect(started).toEqual(['first', 'next']);
  });

  test('no slot is idle while an owner below its limit has waiting work', async () => {
    const steps = fc.array(fc.oneof(fc.constantFrom('a', 'b', 'c'), fc.nat(9)), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(steps, async (taken) => {
        const { queue, submit, end, open } = makeHarness({ running: 3, runningPerOwner: 2 });
        const submitted = new Map([...'abc'].map((owner) => [owner, 0]));
        for (const step of taken) {
          if (typeof step === 'string') {
            submit(step);
            submitted.set(step, (submitted.get(step) ?? 0) + 1);
          } else if (open.length > 0) {
            const at = step % open.length;
            const { owner = '' } = open[at] ?? {};
            submitted.set(owner, (submitted.get(owner) ?? 0) - 1);
            await end(at);
          }
          const startable = [...submitted.values()].reduce((sum, count) => sum + Math.min(count, 2), 0);
          expect(queue.running).toBe(Math.min(3, startable));
        }
      }),
    );
  });
});
