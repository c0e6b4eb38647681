import { openHooks } from '../../emulators/base/service-hooks.ts';
import { SECOND_US } from '../../shared/base/clock.ts';
import { SETTLED_AFTER_US } from '../../shared/sealing/seal-tenant.ts';
import type { Addresses } from '../support/client.ts';
import { allConfigured, startSecondService } from '../support/second-service.ts';
import type { Checkout } from './checkouts.ts';

/**
 * The settings of a deployed service behind a gateway, but without rate limits. Only the successor reads the last
 * setting.
 */
const SETTINGS = {
  CREDENTIAL_HEADER: 'x-forwarded-authorization',
  TRUSTED_PROXY_HOPS: '1',
  KMS_OPERATIONS_PER_SECOND: '100000',
  KEY_DESCRIPTION_LENGTH: '64',
};

/** A process that runs a version of the service. */
export interface Revision {
  readonly name: string;
  readonly baseUrl: string;
  /**
   * Runs `destroy-due-keys` and `seal-audit`. Call it only while no request is in progress. Afterwards, all audit rows
   * that are older than a second are sealed.
   */
  runJobs(): Promise<void>;
  /**
   * Ends the process with SIGTERM. Resolves to a line for each warning or error in its log, and for a wrong exit code.
   */
  drain(): Promise<string[]>;
}

/** Starts a process of a version on a free port, which uses the dependencies of a stack. */
export async function startRevision(stack: Addresses, name: string, { folder }: Checkout): Promise<Revision> {
  const settings = { ...allConfigured(stack), ...SETTINGS };
  const { baseUrl, child, printed, stop } = await startSecondService(stack, settings, folder);
  const ask = openHooks(child);
  return {
    name,
    baseUrl,
    async runJobs() {
      await ask({ run: 'destroy-due-keys' });
      // Move the clock so that `seal-audit` seals all rows older than a second. No such row is still unstored, because
      // no request is in progress and the clocks differ by less than a second.
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
