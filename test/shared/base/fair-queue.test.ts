import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FairQueue, type Limits } from '../../../shared/base/fair-queue.ts';

const LIMITS: Limits = { running: 2, runningPerOwner: 2, waitingPerOwner: 100, waitMs: 60_000 };

/** Work that the test ends when it likes, and the order in which it was started. */
function makeWorld(limits: Partial<Limits> = {}) {
  const queue = new FairQueue({ ...LIMITS, ...limits });
  const started: string[] = [];
  const open: { owner: string; end: () => void }[] = [];
  const bring = (owner: string, name = owner) => {
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
  return { queue, started, open, bring, end };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('FairQueue', () => {
  test('work of one owner starts in order of arrival', async () => {
    const { bring, end, started } = makeWorld();
    for (const name of ['1', '2', '3', '4']) bring('a', name);
    for (let ended = 0; ended < 4; ended++) await end();
    expect(started).toEqual(['1', '2', '3', '4']);
  });

  test('owners are served round-robin: work waits for at most one piece of each other owner', async () => {
    const { bring, end, started } = makeWorld();
    for (let at = 0; at < 50; at++) bring('greedy');
    bring('modest');
    await end();
    await end();
    expect(started).toContain('modest');
  });

  test('an owner does not exceed its own limit, although slots are free', () => {
    const { bring, queue } = makeWorld({ running: 10, runningPerOwner: 3 });
    for (let at = 0; at < 5; at++) bring('a');
    bring('b');
    expect(queue.running).toBe(4);
  });

  test('work past the length of its owner’s queue is refused at once, other owners’ work is not', async () => {
    const { bring } = makeWorld({ running: 1, waitingPerOwner: 1 });
    bring('a');
    bring('a');
    await expect(bring('a')).rejects.toThrow('refused');
    const other = bring('b');
    await expect(Promise.race([other, turn().then(() => 'waits')])).resolves.toBe('waits');
  });

  test('work that has waited too long is refused and leaves the queue', async () => {
    const { bring, end } = makeWorld({ running: 1, waitingPerOwner: 1, waitMs: 5 });
    bring('a');
    await expect(bring('a')).rejects.toThrow('refused');
    const next = bring('a');
    await end();
    await end();
    await expect(next).resolves.toBe('a');
  });

  test('work that fails frees its slot', async () => {
    const { queue, bring, end } = makeWorld({ running: 1 });
    const fail = () => Promise.reject(new Error('failed'));
    await expect(queue.run('a', fail, () => new Error('refused'))).rejects.toThrow('failed');
    const next = bring('b');
    await end();
    await expect(next).resolves.toBe('b');
  });

  test('who leaves the queue is not served, and makes room for another', async () => {
    const { queue, bring, end, started } = makeWorld({ running: 1, waitingPerOwner: 1 });
    bring('a', 'first');
    const { turn: unserved, leave } = queue.enter('a', () => new Error('refused'));
    leave(new Error('left'));
    await expect(unserved).rejects.toThrow('left');
    bring('a', 'next');
    leave(new Error('left twice'));
    await end();
    expect(started).toEqual(['first', 'next']);
  });

  test('no slot is idle while work that may use it waits', async () => {
    const steps = fc.array(fc.oneof(fc.constantFrom('a', 'b', 'c'), fc.nat(9)), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(steps, async (taken) => {
        const { queue, bring, end, open } = makeWorld({ running: 3, runningPerOwner: 2 });
        const brought = new Map([...'abc'].map((owner) => [owner, 0]));
        for (const step of taken) {
          if (typeof step === 'string') {
            bring(step);
            brought.set(step, (brought.get(step) ?? 0) + 1);
          } else if (open.length > 0) {
            const at = step % open.length;
            const { owner = '' } = open[at] ?? {};
            brought.set(owner, (brought.get(owner) ?? 0) - 1);
            await end(at);
          }
          const startable = [...brought.values()].reduce((sum, count) => sum + Math.min(count, 2), 0);
          expect(queue.running).toBe(Math.min(3, startable));
        }
      }),
    );
  });
});
