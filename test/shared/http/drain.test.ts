import { createServer } from 'node:http';
import { afterEach, expect, test, vi } from 'vitest';
import { makeDrain } from '../../../shared/http/drain.ts';
import { listen } from '../../support/second-service.ts';

afterEach(() => void vi.useRealTimers());

test('a process exits although its last step before the exit never ends', async () => {
  const server = createServer();
  await listen(server);
  const exit = vi.fn();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const begun = Promise.withResolvers<void>();
  const neverEnds = () => {
    begun.resolve();
    return Promise.withResolvers<void>().promise;
  };
  makeDrain(server, neverEnds, exit)();
  await vi.advanceTimersByTimeAsync(500);
  await begun.promise;
  expect(exit).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(exit).toHaveBeenCalledOnce();
});
