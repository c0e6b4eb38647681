import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openHooks } from '../../emulators/base/service-hooks.ts';
import { checkLog } from '../support/check-log.ts';
import { ownStack } from '../support/own-stack.ts';
import { openSealing } from '../support/seal-tenant.ts';
import { startSecondService } from '../support/second-service.ts';
import { makeTenant } from '../support/tenant.ts';

const stack = ownStack();
const timeout = 120_000;
const ROUNDS = 12;
/** Each round kills the process at a different time within this period, which is about as long as a sealing run. */
const SPREAD_MS = 120;
const SETTLED_US = 120_000_000;

test('if a process is killed during a sealing run, the next process finishes the seal', {
  timeout,
}, async () => {
  const tenant = await makeTenant(stack);
  const key = await tenant.createKey('wrapped');
  // The two entries record the creation of the API key and of the key.
  let entries = 2;
  for (let round = 0; round < ROUNDS; round++) {
    for (let n = 0; n < 3; n++) await tenant.api.send('POST', `/v1/keys/${key}/wrap`, {});
    entries += 3;
    const { child } = await startSecondService(stack);
    const ask = openHooks(child);
    const ended = once(child, 'exit');
    await ask({ clock_offset_us: SETTLED_US });
    const run = ask({ run: 'seal-audit' }).catch(() => undefined);
    await pause((SPREAD_MS * round) / ROUNDS);
    child.kill('SIGKILL');
    await Promise.all([ended, run]);
  }
  const { findings } = await checkLog(tenant.console);
  expect(findings).toEqual([]);
  const { seal } = openSealing(stack);
  while ((await seal(tenant.id)).more);
  expect(await checkLog(tenant.console)).toEqual({ findings: [], entries });
});
