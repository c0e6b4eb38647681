import { EncryptionServiceError } from '../../errors.ts';
import type { Examination } from '../examination.ts';
import { anotherServer, fail, ok, type Verdict } from '../finding.ts';
import { networkCodeOf, tlsProblemOf } from '../network-code.ts';

const NAME_UNKNOWN: readonly (string | undefined)[] = ['ENOTFOUND', 'EAI_AGAIN'];
const ON_THE_WAY = 'Check the URL, your network, and any firewall or proxy on the way.';

export async function checkAddress({ options: { url }, live }: Examination): Promise<Verdict> {
  const outcome = await live();
  if ('value' in outcome) return outcome.value.isLive ? ok(`The service answers at ${url}.`) : anotherServer(url);
  const { error } = outcome;
  // A TLS error shows that a server listens. The TLS check reports the error.
  if (tlsProblemOf(error) !== undefined) return ok(`A server listens at ${url}.`);
  if (error instanceof EncryptionServiceError) return failedConnection(url, error);
  return fail(`The URL cannot be used: ${error instanceof Error ? error.message : error}.`, 'Correct the URL.');
}

function failedConnection(url: string | URL, error: EncryptionServiceError): Verdict {
  const code = networkCodeOf(error.cause);
  const reason = code === undefined ? '' : ` (${code})`;
  switch (error.code) {
    case 'unreachable':
      return NAME_UNKNOWN.includes(code)
        ? fail(`The host name of ${url} cannot be resolved${reason}.`, 'Check the URL, and the DNS of this machine.')
        : fail(`Nothing answers at ${url}${reason}.`, ON_THE_WAY);
    case 'deadline_exceeded':
      return fail(`${url} did not answer in time.`, ON_THE_WAY);
    case 'answer_lost':
      return error.status === undefined
        ? fail(`The connection to ${url} was closed without an answer${reason}.`, ON_THE_WAY)
        : fail(
            `A proxy at ${url} answered with status ${error.status}: the proxy does not reach the service.`,
            ON_THE_WAY,
          );
    default:
      return anotherServer(url);
  }
}
