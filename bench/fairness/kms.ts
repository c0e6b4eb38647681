/* A KMS emulator with a write quota: node bench/fairness/kms.ts PORT WRITES_PER_MINUTE */
import { startKms } from '../../emulators/kms/server.ts';
import { createKmsResources } from '../../emulators/stack/wrapped-root.ts';

const [port = 0, writesPerMinute = 0] = process.argv.slice(2).map(Number);
await startKms({ port, now: Date.now, writesPerMinute });
await createKmsResources(port);
// Ends this process when the parent process ends.
process.once('disconnect', () => process.exit());
process.send?.({ ready: true });
