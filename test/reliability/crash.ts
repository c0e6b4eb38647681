/*
 * npm run drill -- crash [--rounds N]: ends the process under load N times with SIGKILL and N times with SIGTERM, first
 * with a healthy Firestore, then with a slow one, then with a failing one. Uses a separate stack. Prints figures. Fails
 * if the service did not behave as promised.
 */
import { parseArgs } from 'node:util';
import { startTestStack } from '../support/stacks.ts';
import { endUnderLoad } from './crash-run.ts';
import { makeProxiedService } from './proxied-service.ts';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '20' } } });
const rounds = Number(values.rounds);
if (!(rounds >= 1)) throw new Error('--rounds must be at least 1');

const stack = await startTestStack();
const service = await makeProxiedService(stack);
try {
  for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
    for (const firestore of ['healthy', 'slow', 'failing'] as const) {
      await service.start();
      const result = await endUnderLoad(service, { signal, rounds, firestore });
      await service.end('SIGTERM');
      const { flaws, endings, ...figures } = result;
      process.stdout.write(`${signal}, Firestore ${firestore}: ${JSON.stringify({ ...figures, ...endings })}\n`);
      for (const flaw of flaws) process.stdout.write(`  ${flaw}\n`);
      if (flaws.length > 0) process.exitCode = 1;
    }
  }
} finally {
  await service.stop();
  await stack.stop();
}
