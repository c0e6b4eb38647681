import { join } from 'node:path';
import { openHooks } from '../../emulators/base/service-hooks.ts';
import { SECOND_US } from '../../shared/base/clock.ts';
import { SETTLED_AFTER_US } from '../../shared/sealing/seal-tenant.ts';
import type { Addresses } from '../support/client.ts';
import { allConfigured, SOURCE, startSecondService } from '../support/second-service.ts';
import type { Checkout } from './checkouts.ts';

/** As deployed behind a gateway, but without rate limits. Only the successor knows the last setting. */
const SETTINGS = {
  CREDENTIAL_HEADER: 'x-forwarded-authorization',
  TRUSTED_PROXY_HOPS: '1',
  RATE_LIMIT: 'off',
  KMS_OPERATIONS_PER_SECOND: '100000',
  KEY_DESCRIPTION_LENGTH: '64',
};

export interface Revision {
  readonly name: string;
  readonly baseUrl: string;
  /** Runs the scheduled functions, which seal all rows up to the last second. No request may be in flight. */
  runJobs(): Promise<void>;
  /** Ends the process with SIGTERM. Resolves to its logged warnings and errors, and a wrong exit code. */
  drain(): Promise<string[]>;
}

/** Starts a process of a version on a free port. It uses the stack's dependencies. */
export async function startRevision(stack: Addresses, name: string, { folder }: Checkout): Promise<Revision> {
  const settings = { ...allConfigured(stack), ...SETTINGS };
  const { baseUrl, child, printed, stop } = await startSecondService(stack, settings, join(folder, SOURCE));
  const ask = openHooks(child);
  return {
    name,
    baseUrl,
    async runJobs() {
      await ask({ run: 'destroy-due-keys' });
      // Seals rows early: no request is in flight, and the clocks differ by less than a second.
      await ask({ clock_offset_us: SETTLED_AFTER_US - SECOND_US });
      await ask({ run: 'seal-audit' });
      await ask({ clock_offset_us: 0 });
    },
    async drain() {
      const code = await stop();
      const errors = printed()
        .split('\n')
        .filter((line) => /^\{"severity":"(WARNING|ERROR)"/.test(line));
      return [...(code === 0 ? [] : [`ended with ${code}`]), ...errors].map((flaw) => `the ${name} version: ${flaw}`);
    },
  };
}
