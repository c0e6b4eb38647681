/*
 * npm run bench -- memory [--operations N]: measures the heap in use after 10,000 operations and again after 100,000
 * operations. Fails if the second figure is more than a tenth larger.
 */
import { parseArgs } from 'node:util';
import { startSeparateStack } from '../../emulators/stack/separate.ts';
import { makeTenant } from '../scale/tenant.ts';
import { sendAnsweredLoad } from '../send-load.ts';
import { environment, sparePort, startService } from '../servers.ts';
import { connectInspector } from './inspector.ts';

const { values } = parseArgs({ options: { operations: { type: 'string', default: '100000' } } });
const last = Number(values.operations);
const first = last / 10;
const CONNECTIONS = 64;
const SECONDS = 5;
const MAX_GROWTH = 1.1;

await using cleanup = new AsyncDisposableStack();
const stack = await startSeparateStack();
cleanup.defer(stack.stop);
const inspectorPort = sparePort(stack, 1);
const flags = [`--inspect=127.0.0.1:${inspectorPort}`];
const service = await startService(environment(stack), sparePort(stack, 0), flags);
cleanup.defer(service.stop);

const tenant = await makeTenant(stack, service.url);
const inspector = await connectInspector(inspectorPort);
const requests = tenant.keys.flatMap(({ id, tier, ciphertext }) =>
  tier === 'wrapped'
    ? [
        { path: `/v1/keys/${id}/encrypt`, body: { plaintext: Buffer.alloc(1024).toString('base64') } },
        { path: `/v1/keys/${id}/decrypt`, body: { ciphertext } },
      ]
    : [],
);
let done = 0;
const before = await heapAfter(first);
const growth = (await heapAfter(last)) / before;
process.stdout.write(`ratio ${growth.toFixed(3)}\n`);
inspector.close();
if (growth > MAX_GROWTH) throw new Error('the heap has grown by more than a tenth');

async function heapAfter(operations: number): Promise<number> {
  for (let n = 0; done < operations; n++) {
    const { path, body } = requests[n % requests.length] ?? { path: '/', body: {} };
    const load = { connections: CONNECTIONS, seconds: SECONDS, tokens: [tenant.apiKey], body: JSON.stringify(body) };
    const { count } = await sendAnsweredLoad({ ...load, url: `${service.url}${path}` });
    done += count;
  }
  const bytes = await inspector.reachableBytes();
  process.stdout.write(`after ${done} operations: ${(bytes / 2 ** 20).toFixed(1)} MiB\n`);
  return bytes;
}
