/*
 * Creates the secret of the load balancer with a random value: node deploy/balancer-secret.ts --secret NAME
 *
 * The value never appears on a command line.
 */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';

const { values } = parseArgs({ options: { secret: { type: 'string' } } });
if (values.secret === undefined) throw new Error('--secret is required');
execFileSync('gcloud', ['secrets', 'create', values.secret, '--replication-policy=automatic', '--data-file=-'], {
  input: randomBytes(32).toString('base64url'),
  stdio: ['pipe', 'inherit', 'inherit'],
});
