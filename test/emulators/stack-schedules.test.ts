import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Schedules } from '../../emulators/stack/schedules.ts';

const MINUTE_MS = 60_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('the scheduled functions run in an hour: destroy-due-keys twelve times, seal-audit six times and close-month once', async () => {
  const ran: string[] = [];
  const schedules = new Schedules(async (job) => ran.push(job), expect.unreachable);
  await vi.advanceTimersByTimeAsync(60 * MINUTE_MS);
  await schedules.stop();
  const times = (job: string): number => ran.filter((one) => one === job).length;
  expect([times('destroy-due-keys'), times('seal-audit'), times('close-month')]).toEqual([12, 6, 1]);
});

test('a restart of the schedules runs no job, and starts every interval from the beginning', async () => {
  const ran: string[] = [];
  const schedules = new Schedules(async (job) => ran.push(job), expect.unreachable);
  await vi.advanceTimersByTimeAsync(4 * MINUTE_MS);
  schedules.restart();
  await vi.advanceTimersByTimeAsync(4 * MINUTE_MS);
  expect(ran).toEqual([]);
  await vi.advanceTimersByTimeAsync(MINUTE_MS);
  expect(ran).toEqual(['destroy-due-keys']);
  await schedules.stop();
});

test('no second run of a job starts during a long run, and a failed run is reported and does not prevent the next run', async () => {
  const first = Promise.withResolvers<void>();
  const answers = [first.promise, Promise.resolve()];
  const run = vi.fn(() => answers.shift() ?? Promise.resolve());
  const report = vi.fn();
  const schedules = new Schedules(run, report);
  await vi.advanceTimersByTimeAsync(9 * MINUTE_MS);
  expect(run).toHaveBeenCalledTimes(1);
  first.reject(new Error('the service exited'));
  await vi.advanceTimersByTimeAsync(0);
  expect(report.mock.calls).toEqual([['destroy-due-keys failed: the service exited']]);
  await vi.advanceTimersByTimeAsync(MINUTE_MS);
  expect(run).toHaveBeenCalledTimes(3);
  await schedules.stop();
});

test('stopping the schedules waits for the running job and starts no other job', async () => {
  const last = Promise.withResolvers<void>();
  const run = vi.fn(() => last.promise);
  const schedules = new Schedules(run, expect.unreachable);
  await vi.advanceTimersByTimeAsync(5 * MINUTE_MS);
  let isStopped = false;
  const stopped = schedules.stop().then(() => {
    isStopped = true;
  });
  await vi.advanceTimersByTimeAsync(60 * MINUTE_MS);
  expect([run.mock.calls.length, isStopped]).toEqual([1, false]);
  last.resolve();
  await stopped;
});
