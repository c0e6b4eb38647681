/*
 * npm run drill -- faults: calls every route during every fault of every dependency, on a separate stack. Prints the
 * results and writes them to README.md beside it. Fails if the service did not behave as promised or answered too late.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { DEADLINES_MS } from '../../shared/deadlines.ts';
import { startTestStack } from '../support/stacks.ts';
import { CASES } from './expectations.ts';
import { callDuringFault, type Outage } from './fault-run.ts';
import { KINDS, makeProxiedService, PARTS, type Part } from './proxied-service.ts';
import { report } from './report.ts';

/**
 * The maximum time to an answer, as a multiple of the dependency's deadline. A route may make two calls in sequence,
 * and each call may use its whole deadline. The remaining 0.2 is for all other work. If Firestore's answers are lost, a
 * third call may wait for the locks of the first two.
 */
const MAX_DEADLINES = 2.2;
const DEADLINE: Readonly<Record<Part, number>> = {
  kms: DEADLINES_MS.kms,
  firestore: DEADLINES_MS.firestore,
  pdp: DEADLINES_MS.policy,
  idp: DEADLINES_MS.identity,
  stripe: DEADLINES_MS.stripe,
};

const PAGE = fileURLToPath(new URL('./README.md', import.meta.url));
const BLOCK = /(<!-- npm run drill -- faults -->\n)[\s\S]*?(<!-- end -->)/;

const stack = await startTestStack();
const service = await makeProxiedService(stack);
const outages: Outage[] = [];
try {
  for (const part of PARTS) {
    for (const kind of KINDS) {
      await service.start();
      const outage = await callDuringFault(stack, service, CASES, part, kind);
      await service.end('SIGTERM');
      outages.push(outage);
      process.stdout.write(`${part} ${kind}\n`);
      for (const { testCase, outcome, tookMs, flaws } of outage.results) {
        const late =
          tookMs > (kind === 'silent answers' ? MAX_DEADLINES + 1 : MAX_DEADLINES) * DEADLINE[part]
            ? [`after ${Math.round(tookMs)} ms`]
            : [];
        if (flaws.length + late.length === 0) continue;
        process.exitCode = 1;
        const { call, by, tier } = testCase;
        process.stdout.write(`  ${call} by ${by}, key ${tier}: ${outcome}: ${[...flaws, ...late].join('; ')}\n`);
      }
    }
  }
} finally {
  await service.stop();
  await stack.stop();
}
const table = report(outages);
process.stdout.write(`\n${table}`);
writeFileSync(
  PAGE,
  readFileSync(PAGE, 'utf8').replace(BLOCK, (_, begin, end) => `${begin}\n${table}\n${end}`),
);
