/*
 * npm run bench:cost [-- --write]: what the metered operations read, write, ask the KMS and log, alone and side by side,
 * and what a million of each cost by the price table of docs/performance.md. Prints a table; --write puts it on that page.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { portsOf } from '../../emulators/stack/ports.ts';
import { startSeparateStack } from '../../emulators/stack/separate.ts';
import { pathOf } from '../child.ts';
import { startFirestoreMeter } from '../scale/firestore-meter.ts';
import { environment, sparePort, startService } from '../servers.ts';
import { countOperation } from './count.ts';
import { makeOperations } from './operations.ts';
import { readPrices } from './prices.ts';
import { type CostRow, showCosts } from './table.ts';

const { values } = parseArgs({ options: { write: { type: 'boolean', default: false } } });

const SIDE_BY_SIDE = [1, 16, 64];
const WARM_UP = 20;
const PAGE = pathOf('../docs/performance.md');
const BLOCK = /(<!-- npm run bench:cost -->\n)[\s\S]*?(<!-- end -->)/;

const prices = readPrices(readFileSync(PAGE, 'utf8'));
const rows: CostRow[] = [];
{
  await using cleanup = new AsyncDisposableStack();
  const stack = await startSeparateStack();
  cleanup.defer(stack.stop);
  const meter = await startFirestoreMeter(`127.0.0.1:${portsOf(stack).firestore}`);
  cleanup.defer(meter.stop);
  const metered = { ...environment(stack), FIRESTORE_EMULATOR_HOST: meter.address };
  let logged = 0;
  const service = await startService(metered, sparePort(stack, 0), [], (bytes) => {
    logged += bytes.length;
  });
  cleanup.defer(service.stop);
  const counters = { service, meter, loggedBytes: () => logged };
  for (const { operation, tier, operate } of await makeOperations(stack, service.url)) {
    for (let n = 0; n < WARM_UP; n++) await operate();
    for (const sideBySide of SIDE_BY_SIDE) {
      rows.push({ operation, tier, sideBySide, ...(await countOperation(counters, operate, sideBySide)) });
    }
  }
}
const table = showCosts(rows, prices);
process.stdout.write(table);
if (values.write) {
  const page = readFileSync(PAGE, 'utf8');
  writeFileSync(
    PAGE,
    page.replace(BLOCK, (_, begin, end) => `${begin}\n${table}\n${end}`),
  );
}
