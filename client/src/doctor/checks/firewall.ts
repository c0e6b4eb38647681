import type { Examination } from '../examination.ts';
import { codeOf } from '../failed-call.ts';
import { fail, ok, type Verdict } from '../finding.ts';

export async function checkFirewall({ caller }: Examination): Promise<Verdict> {
  const outcome = await caller();
  if ('value' in outcome) {
    const { kind, firewall_id, address } = outcome.value;
    const seen = `The service sees your address as ${address ?? 'unknown'}.`;
    if (kind === 'session') return ok(`${seen} Firewalls apply only to API keys.`);
    return ok(
      firewall_id === null ? `${seen} The API key has no firewall.` : `${seen} The firewall of the API key allows it.`,
    );
  }
  // A caller without a tenant is always a signed-in person.
  if (codeOf(outcome.error) === 'no_tenant') return ok('Firewalls apply only to API keys.');
  return fail(
    `The service refuses your address: ${outcome.error instanceof Error ? outcome.error.message : outcome.error}.`,
    'Add the address to the firewall of the API key, or call from an allowed network. If the address is that of a proxy, ask the operator to check its settings.',
  );
}
