import type { Examination } from '../examination.ts';
import { codeOf } from '../failed-call.ts';
import { fail, ok, type Verdict } from '../finding.ts';
import { networkCodeOf, tlsProblemOf } from '../network-code.ts';

const NAME_UNKNOWN: readonly (string | undefined)[] = ['ENOTFOUND', 'EAI_AGAIN'];

/** The name resolves, something listens there, and it is this service. */
export async function checkAddress({ options: { url }, live }: Examination): Promise<Verdict> {
  const outcome = await live();
  const foreign = fail(
    `The server at ${url} does not answer as this service does.`,
    'Check the URL, including its path, and any proxy on the way.',
  );
  if ('value' in outcome) return outcome.value.isLive ? ok(`The service answers at ${url}.`) : foreign;
  const { error } = outcome;
  // Something listens there: the next check is about its TLS.
  if (tlsProblemOf(error) !== undefined) return ok(`A server listens at ${url}.`);
  if (error instanceof TypeError) return fail(`The URL cannot be used: ${error.message}.`, 'Correct the URL.');
  const code = networkCodeOf(error);
  const reason = code === undefined ? '' : ` (${code})`;
  switch (codeOf(error)) {
    case 'unreachable':
      return NAME_UNKNOWN.includes(code)
        ? fail(`The host name of ${url} cannot be resolved${reason}.`, 'Check the URL, and the DNS of this machine.')
        : fail(
            `Nothing answers at ${url}${reason}.`,
            'Check the URL, your network, and any firewall or proxy on the way.',
          );
    case 'deadline_exceeded':
      return fail(`${url} did not answer in time.`, 'Check your network, and any firewall or proxy on the way.');
    case 'answer_lost':
      return fail(
        `The connection to ${url} was closed without an answer${reason}.`,
        'Check any proxy on the way. If the service is starting, try again in a minute.',
      );
    default:
      return foreign;
  }
}
