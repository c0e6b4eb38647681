import http from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, inject, test } from 'vitest';
import { startFaultProxy } from '../../../emulators/stack/faults.ts';
import { portsOf } from '../../../emulators/stack/ports.ts';
import { post } from '../../reliability/tracked-request.ts';
import { send } from '../../support/client.ts';
import { startSecondService } from '../../support/second-service.ts';
import { makeTenant } from '../../support/tenant.ts';

const stack = inject('stack');
const BURST = 40;

test.concurrent('after SIGTERM, a process answers requests in flight, refuses new requests and exits with 0', async ({
  onTestFinished,
}) => {
  const tenant = await makeTenant(stack);
  const keyId = await tenant.createKey('software');
  const kms = await startFaultProxy({ host: '127.0.0.1', port: portsOf(stack).kms });
  onTestFinished(() => kms.stop());
  const service = await startSecondService(stack, { KMS_EMULATOR_HOST: `127.0.0.1:${kms.port}` });
  const encrypt = () =>
    send('POST', `${service.baseUrl}/v1/keys/${keyId}/encrypt`, {
      token: tenant.api.token,
      body: { plaintext: 'aGVsbG8=' },
    });
  expect((await encrypt()).status).toBe(200);

  // The KMS is slow, so the requests are still in flight when the signal arrives.
  kms.set({ delay_ms: 5_000 });
  const inFlight: ReturnType<typeof encrypt>[] = [];
  while (inFlight.length < 3) {
    const reached = kms.sentBytes();
    inFlight.push(encrypt());
    while (kms.sentBytes() === reached) await pause(1);
  }
  const exitCode = service.stop();
  for (const answer of await Promise.all(inFlight)) {
    expect(answer.status).toBe(200);
    expect(answer.headers.get('connection')).toBe('close');
  }
  expect(await exitCode).toBe(0);
  await expect(send('GET', `${service.baseUrl}/health`)).rejects.toThrow();
});

test.concurrent.for([
  ['new connections', false],
  ['idle connections', true],
] as const)('requests sent on %s just before SIGTERM are answered', async ([, keepAlive]) => {
  const tenant = await makeTenant(stack);
  const keyId = await tenant.createKey('wrapped');
  const service = await startSecondService(stack);
  const agent = new http.Agent({ keepAlive, maxSockets: BURST });
  const sendAll = () =>
    Array.from({ length: BURST }, () => {
      const url = `${service.baseUrl}/v1/keys/${keyId}/encrypt`;
      return post(agent, url, { authorization: `Bearer ${tenant.api.token}` }, { plaintext: 'aGVsbG8=' });
    });
  const answered = await Promise.all(sendAll().map(({ ending }) => ending));
  expect(new Set(answered)).toEqual(new Set(['200']));
  const sent = sendAll();
  while (!sent.every(({ isSent }) => isSent())) await pause(1);
  const exitCode = service.stop();
  const endings = await Promise.all(sent.map(({ ending }) => ending));
  expect(new Set(endings)).toEqual(new Set(['200']));
  expect(await exitCode).toBe(0);
});
