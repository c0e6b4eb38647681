/*
 * Creates the canary, and stores its API key: node deploy/canary.ts --project ID --key-ring NAME --secret NAME
 *
 * The canary is a tenant with which the smoke test tests the service. The secret must not exist yet. Its value never
 * appears on a command line.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { variables } from '../shared/config.ts';

const option = { type: 'string' } as const;
const { values } = parseArgs({ options: { project: option, 'key-ring': option, secret: option } });
const { project, 'key-ring': keyRing, secret } = values;
if (project === undefined || keyRing === undefined || secret === undefined)
  throw new Error('--project, --key-ring and --secret are required');

// A project with this prefix exists only in emulators, by a convention of Firebase.
const { FIRESTORE_EMULATOR_HOST: emulator = '' } = project.startsWith('demo-') ? process.env : {};
const provisioned = execFileSync(process.execPath, [join(import.meta.dirname, '../operator/provision.ts')], {
  // Creating a tenant needs neither the KMS nor the policy decision point, but the configuration requires both.
  // Other settings in the operator's shell, such as Stripe's secrets or an emulator's address, do not apply.
  env: {
    ...process.env,
    ...Object.fromEntries(Object.keys(variables.shape).map((name) => [name, ''])),
    FIRESTORE_EMULATOR_HOST: emulator,
    GOOGLE_CLOUD_PROJECT: project,
    KMS_KEY_RING: keyRing,
    POLICY_DECISION_URL: 'http://127.0.0.1',
  },
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'inherit'],
});
const { api_key } = z.object({ api_key: z.string() }).parse(JSON.parse(provisioned));
execFileSync('gcloud', ['secrets', 'create', secret, '--replication-policy=automatic', '--data-file=-'], {
  input: api_key,
  stdio: ['pipe', 'inherit', 'inherit'],
});
