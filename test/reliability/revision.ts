import { join } from 'node:path';
import { openHooks } from '../../emulators/base/service-hooks.ts';
import { SECOND_US } from '../../shared/base/clock.ts';
import { SETTLED_AFTER_US } from '../../shared/sealing/seal-tenant.ts';
import type { Addresses } from '../support/client.ts';
import { allConfigured, SOURCE, startSecondService } from '../support/second-service.ts';
import type { Checkout } from './checkouts.ts';

/** As deployed behind a gateway, but without rate limits. The last setting is the successor’s. */
const SETTINGS = {
  CREDENTIAL_HEADER: 'x-forwarded-authorization',
  TRUSTED_PROXY_HOPS: '1',
  RATE_LIMIT: 'off',
  KMS_OPERATIONS_PER_SECOND: '100000',
  KEY_DESCRIPTION_LENGTH: '64',
};

/** A running process of a version. */
export interface Revision {
  readonly name: string;
  readonly baseUrl: string;
  /** Runs the scheduled functions while no request is under way. Logs are then sealed, except for the last second. */
  runJobs(): Promise<void>;
  /** Ends the process with SIGTERM. Resolves to what it should not have logged or done. */
  drain(): Promise<string[]>;
}

/** Starts a process of a version on a free port, with the dependencies of a stack. */
export async function startRevision(stack: Addresses, name: string, { folder }: Checkout): Promise<Revision> {
  const settings = { ...allConfigured(stack), ...SETTINGS };
  const { baseUrl, child, printed, stop } = await startSecondService(stack, settings, join(folder, SOURCE));
  const ask = openHooks(child);
  return {
    name,
    baseUrl,
    async runJobs() {
      await ask({ run: 'destroy-due-keys' });
      // No row older than a second can still be on its way: no request is, and the clocks differ by less.
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
