import { setImmediate as nextLoop } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Pace } from '../../../shared/base/pace.ts';

test('the calls allowed in ten seconds may come in one burst; the next call waits', async () => {
  const pace = new Pace(30);
  let sent = 0;
  for (let n = 0; n < 6; n++) void pace.turn().then(() => sent++);
  await nextLoop();
  expect(sent).toBe(5);
});
