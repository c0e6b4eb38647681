/*
 * npm run bench -- federated [--seconds N]: encrypts with the token of an API key and with an ID token of its workload, in
 * turns of N seconds. Prints the processor time of both and their ratio, the median of all turns. Exits with 1 if an ID
 * token costs more than the limit.
 */
import { parseArgs } from 'node:util';
import { startSeparateStack } from '../emulators/stack/separate.ts';
import { measure } from './load.ts';
import { plaintextBody } from './pair.ts';
import { environment, sparePort, startService } from './servers.ts';
import { median } from './table.ts';
import { makeTenant } from './tenant.ts';

const MAX_RATIO = 1.15;
const CONNECTIONS = 16;
const WARM_SECONDS = 8;
const TURNS = 15;

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '2' } } });
const seconds = Number(values.seconds);

await using cleanup = new AsyncDisposableStack();
const stack = await startSeparateStack();
cleanup.defer(stack.stop);
const service = await startService(environment(stack), sparePort(stack, 0));
cleanup.defer(service.stop);
const tenant = await makeTenant(stack);
const { token, idToken } = await tenant.federate();
const key = await tenant.createKey(service.url, 'wrapped');
const encrypt = { path: `/v1/keys/${key}/encrypt`, body: plaintextBody(Buffer.alloc(1_024)) };
const cpuUs = async (credential: string, forSeconds: number) =>
  (await measure(service, encrypt, credential, CONNECTIONS, forSeconds)).cpuUsPerOp;

for (const credential of [token, idToken]) await cpuUs(credential, WARM_SECONDS);
const turns: { readonly secret: number; readonly federated: number }[] = [];
for (let turn = 0; turn < TURNS; turn++) {
  turns.push({ secret: await cpuUs(token, seconds), federated: await cpuUs(idToken, seconds) });
}
const ratio = median(turns.map(({ secret, federated }) => federated / secret));
const us = (of: (turn: (typeof turns)[number]) => number) => `${median(turns.map(of)).toFixed(0)} µs`;
process.stdout.write(
  `secret ${us(({ secret }) => secret)}, ID token ${us(({ federated }) => federated)}, ratio ${ratio.toFixed(2)} (limit ${MAX_RATIO})\n`,
);
if (ratio > MAX_RATIO) process.exitCode = 1;
