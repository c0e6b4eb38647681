import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { openHooks } from '../../emulators/base/service-hooks.ts';
import { portsOf } from '../../emulators/stack/ports.ts';
import { SETTLED_AFTER_US } from '../../shared/sealing/seal-tenant.ts';
import { startGrpcProxy } from '../reliability/failing-proxy.ts';
import { ownStack } from '../support/own-stack.ts';
import { checkLog, openSealing } from '../support/sealed-log.ts';
import { startSecondService } from '../support/second-service.ts';
import { makeTenant } from '../support/tenant.ts';

const stack = ownStack();

test('if a process is killed before any write or signature of a sealing run, the next process finishes the seal', async () => {
  /** Lets a write or a signature through, or not. */
  let onCall = async () => ({});
  const decide = (path: string) => (/\/(Commit|AsymmetricSign)$/.test(path) ? onCall() : {});
  const { firestore, kms } = portsOf(stack);
  const proxies = [await startGrpcProxy(firestore, decide), await startGrpcProxy(kms, decide)];
  onTestFinished(() => {
    for (const { stop } of proxies) stop();
  });
  const [FIRESTORE_EMULATOR_HOST, KMS_EMULATOR_HOST] = proxies.map(({ port }) => `127.0.0.1:${port}`);

  const tenant = await makeTenant(stack);
  const key = await tenant.createKey('wrapped');
  // The two entries record the creation of the API key and of the key.
  let entries = 2;
  let kills = 0;
  for (let isKilled = true; isKilled; ) {
    for (let n = 0; n < 3; n++) await tenant.api.send('POST', `/v1/keys/${key}/wrap`, {});
    entries += 3;
    const { child } = await startSecondService(stack, { FIRESTORE_EMULATOR_HOST, KMS_EMULATOR_HOST });
    const ask = openHooks(child);
    const ended = once(child, 'exit');
    await ask({ clock_offset_us: SETTLED_AFTER_US });
    let calls = 0;
    isKilled = false;
    onCall = async () => {
      if (calls++ !== kills) return {};
      isKilled = true;
      child.kill('SIGKILL');
      return new Promise(() => undefined);
    };
    await ask({ run: 'seal-audit' }).catch(() => undefined);
    if (isKilled) kills++;
    else child.kill('SIGKILL');
    await ended;
  }
  // A run stores what it seals, signs it and stores the seal.
  expect(kills).toBeGreaterThanOrEqual(3);
  const { findings } = await checkLog(tenant.console);
  expect(findings).toEqual([]);
  const { seal } = openSealing(stack);
  while ((await seal(tenant.id)).more);
  expect(await checkLog(tenant.console)).toEqual({ findings: [], entries });
});
