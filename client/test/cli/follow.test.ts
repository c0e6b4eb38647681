import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Follower, ServiceClock } from '../../src/cli/follow/follow.ts';
import { viewTime } from '../../src/cli/follow/place.ts';
import { PAGE, type ReadPeriod, readWindow } from '../../src/cli/follow/read-window.ts';
import { FollowState, readState } from '../../src/cli/follow/state-file.ts';
import { EncryptionService } from '../../src/index.ts';
import type { AuditEvent } from '../../src/types.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const START_US = 1_792_065_600_000_000;

describe('the state of esk audit follow', () => {
  const folder = temporaryFolder();
  const path = () => join(folder.path, 'state');

  const START = { us: START_US, id: '' };
  const NEW = { tenantId: 'tenant', start: START, printed: [] };
  const MINUTE_US = 60_000_000;
  const clockAt = (us: number) => {
    const clock = new ServiceClock();
    clock.note(new Response(null, { headers: { date: new Date(us / 1000).toUTCString() } }));
    return clock;
  };
  const at = (us: number) => ({ us: START.us + us, id: String(us).padStart(12, '0') });

  test('a state has the place of the last event, and each event of the ten minutes before it', async () => {
    const state = await FollowState.open(NEW, path());
    for (let minute = 1; minute <= 30; minute++) state.add(at(minute * MINUTE_US));
    state.add(at(25 * MINUTE_US + 1));
    state.close();
    const kept = readState(path());
    expect(kept).toMatchObject({ tenantId: 'tenant', start: START });
    expect(kept?.printed).toHaveLength(31);
    const next = await FollowState.open(kept ?? NEW, path());
    expect(next.place).toEqual(at(30 * MINUTE_US));
    for (let minute = 20; minute <= 30; minute++) expect(next.printed.has(at(minute * MINUTE_US))).toBe(true);
    expect(next.printed.has(at(25 * MINUTE_US + 1))).toBe(true);
    next.close();
  });

  test('a long state is shortened, and still has the events of the ten minutes before the last one, however old they are', async () => {
    const state = await FollowState.open(NEW, path());
    for (let n = 0; n < 20_000; n++) state.add(at(n * 100_000));
    state.moveTo(START.us + 24 * 60 * MINUTE_US);
    await state.settle();
    expect(readFileSync(path(), 'utf8').split('\n').length).toBeLessThan(9_000);
    const last = 19_999 * 100_000;
    const kept = new Set(readState(path())?.printed.map(({ us }) => us - START.us));
    for (let n = 0; n < 20_000; n++) if (n * 100_000 >= last - 10 * MINUTE_US) expect(kept.has(n * 100_000)).toBe(true);
    state.add(at(last + 1));
    state.close();
    expect(readState(path())?.printed.at(-1)).toEqual(at(last + 1));
  });

  test('if the program is killed between a line and its state, the next run repeats this line, and no other', async () => {
    const events = Array.from({ length: 5 }, (_, n) => ({ id: `event ${n}`, ts: viewTime(START.us + n + 1) }));
    const fetchEvents = async (url: string) => {
      const since = new URL(url).searchParams.get('since') ?? '';
      return Response.json(events.filter(({ ts }) => ts.toJSON() >= since).toReversed());
    };
    const service = new EncryptionService({ url: 'https://a', accessToken: async () => 'a', fetch: fetchEvents });
    const clock = clockAt(START.us + 60 * MINUTE_US);
    const run = async (lines: number) => {
      const state = await FollowState.open(readState(path()) ?? NEW, path());
      const printed: string[] = [];
      const print = async (line: string) => {
        printed.push(JSON.parse(line).id);
        if (printed.length === lines) throw new Error('killed');
      };
      const follower = new Follower(service, clock, state, print, new AbortController().signal);
      await follower.catchUp().catch(() => undefined);
      state.close();
      return printed;
    };
    expect(await run(3)).toEqual(['event 0', 'event 1', 'event 2']);
    expect(await run(9)).toEqual(['event 2', 'event 3', 'event 4']);
    expect(await run(9)).toEqual([]);
  });

  test('an event is printed when it is two minutes old by the clock of the service', async () => {
    const now = START.us + 60 * MINUTE_US;
    const events = [119, 121].map((seconds) => ({ id: `${seconds} s`, ts: viewTime(now - seconds * 1_000_000) }));
    const service = new EncryptionService({
      url: 'https://a',
      accessToken: () => 'a',
      fetch: async () => Response.json(events),
    });
    const state = await FollowState.open(NEW, undefined);
    const printed: string[] = [];
    const print = async (line: string) => void printed.push(JSON.parse(line).id);
    await new Follower(service, clockAt(now), state, print, new AbortController().signal).catchUp();
    expect(printed).toEqual(['121 s']);
  });

  test('without a file, nothing is stored', async () => {
    const state = await FollowState.open(NEW, undefined);
    state.add(at(5));
    await state.settle();
    expect([state.place, state.printed.has(at(5))]).toEqual([at(5), true]);
  });
});

describe('periods of esk audit follow', () => {
  function anEvent(us: number, id: string): AuditEvent {
    const ids = { request_id: null, key_id: null, api_key_id: null, user_id: null, target_id: null };
    return { id, ts: viewTime(us), operation: 'encrypt', result: 'success', error_code: null, ...ids, changes: null };
  }

  /** Returns a log with events at these microseconds, and how the service reads it: newest first, with counted reads. */
  function logOf(times: readonly number[]) {
    const log = times
      .toSorted((one, other) => one - other)
      .map((at, n) => {
        return { us: START_US + at, event: anEvent(START_US + at, String(n).padStart(6, '0')) };
      });
    let largest = 0;
    const read: ReadPeriod = async (sinceUs, untilUs, most) => {
      const found = log.filter(({ us }) => sinceUs <= us && us < untilUs).reverse();
      const events = found.slice(0, most).map(({ event }) => event);
      largest = Math.max(largest, events.length);
      return events;
    };
    return { ids: log.map(({ event }) => event.id), read, largest: () => largest };
  }

  const all = async (read: ReadPeriod, until: number) =>
    Array.fromAsync(readWindow(read, START_US, START_US + until), ({ id }) => id);

  test('a period is read oldest first and completely, wherever its events are, a page in memory', async () => {
    const burst = fc.record({ at: fc.nat(3_600_000_000), events: fc.nat(2_500), gap: fc.nat(1_000) });
    await fc.assert(
      fc.asyncProperty(fc.array(burst, { maxLength: 4 }), async (made) => {
        const times = made.flatMap(({ at, events, gap }) =>
          Array.from({ length: events }, (_, n) => at + n * (gap + 1)),
        );
        const { ids, read, largest } = logOf(times);
        expect(await all(read, 4_000_000_000)).toEqual(ids);
        expect(largest()).toBeLessThanOrEqual(PAGE);
      }),
      { numRuns: 30 },
    );
  });

  test('more than a page of events in one microsecond are read too', async () => {
    const { ids, read } = logOf([...Array(PAGE + 5).fill(7), 8]);
    expect(await all(read, 20)).toEqual(ids);
  });
});
