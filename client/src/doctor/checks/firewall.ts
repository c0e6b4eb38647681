import { EncryptionServiceError } from '../../errors.ts';
import type { Examination } from '../examination.ts';
import { failedCall } from '../failed-call.ts';
import { fail, ok, type Verdict } from '../finding.ts';

/** The firewall of the API key allows the address that the service sees. */
export async function checkFirewall({ caller }: Examination): Promise<Verdict> {
  const outcome = await caller();
  if ('value' in outcome) {
    const { kind, firewall_id, address } = outcome.value;
    const seen =
      address === null ? 'The service does not see your address.' : `The service sees your address as ${address}.`;
    if (kind === 'session') return ok(`${seen} Firewalls apply only to API keys.`);
    return ok(
      `${seen} ${firewall_id === null ? 'The API key has no firewall.' : 'The firewall of the API key allows it.'}`,
    );
  }
  const { error } = outcome;
  if (!(error instanceof EncryptionServiceError)) return failedCall('The service could not check the firewall', error);
  // Whoever has no tenant is signed in, and is past the firewalls.
  if (error.code === 'no_tenant') return ok('Firewalls apply only to API keys.');
  return fail(
    `The service refuses your address: ${error.message}.`,
    'Add the address to the firewall of the API key, or call from an allowed network. If the address is that of a proxy, ask the operator to check its settings.',
  );
}
