import type { Examination } from '../examination.ts';
import { fail, ok, type Verdict, warn } from '../finding.ts';
import { tlsProblemOf } from '../network-code.ts';

export async function checkTls({ options: { url, allowHttp }, live }: Examination): Promise<Verdict> {
  const outcome = await live();
  const problem = 'error' in outcome ? tlsProblemOf(outcome.error) : undefined;
  if (problem !== undefined) {
    return fail(
      `The TLS connection cannot be trusted: ${problem}.`,
      'Check the URL and the clock of this machine. If your organization has its own certificate authority, set NODE_EXTRA_CA_CERTS to the file with its certificate. Otherwise tell the operator.',
    );
  }
  if (new URL(url).protocol === 'https:') return ok('The connection uses TLS, and the certificate is valid.');
  return allowHttp
    ? warn('The connection is not encrypted.', 'Use https, unless something else protects the connection.')
    : ok('The connection stays on this machine, so it needs no TLS.');
}
