import { setImmediate as nextLoop } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Pace } from '../../../shared/base/pace.ts';

test('ten seconds’ worth of calls may be made at once, and the next call must wait', async () => {
  const pace = new Pace(30);
  let sent = 0;
  for (let n = 0; n < 6; n++) void pace.turn().then(() => sent++);
  await nextLoop();
  expect(sent).toBe(5);
});
