/*
 * npm run bench:client [-- --megabytes N] [-- --seconds N]: files through `esk` beside `age`, the cipher beside that of age's
 * own library, and records under cached data keys beside a call for each.
 */
import { parseArgs } from 'node:util';
import { EncryptionService } from '../../client/src/index.ts';
import { startSeparateStack } from '../../emulators/stack/separate.ts';
import { environment, sparePort, startService } from '../servers.ts';
import { demoOf } from '../tenant.ts';
import { compareCiphers } from './ciphers.ts';
import { compareFiles } from './files.ts';
import { compareRecords } from './records.ts';

const { values } = parseArgs({
  options: { megabytes: { type: 'string', default: '1024' }, seconds: { type: 'string', default: '5' } },
});
const length = Number(values.megabytes) * 2 ** 20;

await using cleanup = new AsyncDisposableStack();
const stack = await startSeparateStack();
cleanup.defer(stack.stop);
// Without the rate limit, which would be what is measured.
const server = await startService(environment(stack), sparePort(stack, 0));
cleanup.defer(server.stop);
const { api_key: apiKey } = await demoOf(stack);
const service = new EncryptionService({ url: server.url, apiKey });
const { id: keyId } = await service.createKey({ name: 'bench', tier: 'wrapped' });

say('Opening a published file, MB for a second of processor time:');
for (const [name, rate] of await compareCiphers()) say(`  ${name}: ${rate.toFixed(0)}`);

say(`${values.megabytes} MiB through a pipe:`);
for (const { name, encrypted, decrypted } of await compareFiles(
  { ESK_URL: server.url, ESK_API_KEY: apiKey },
  keyId,
  length,
)) {
  for (const [what, { seconds, peakRssBytes }] of Object.entries({ encrypt: encrypted, decrypt: decrypted })) {
    const memory = peakRssBytes === 0 ? '' : `, ${(peakRssBytes / 2 ** 20).toFixed(0)} MiB of memory at most`;
    say(`  ${name} ${what}: ${(length / 1e6 / seconds).toFixed(0)} MB/s${memory}`);
  }
}

say('Records of 100 bytes in a second:');
const records = await compareRecords(service, keyId, Number(values.seconds));
for (const [name, rate] of records) say(`  ${name}: ${rate.toFixed(0)}`);

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
