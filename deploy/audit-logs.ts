/*
 * Turns on the Data Access logs that the project lacks: node deploy/audit-logs.ts --project ID
 *
 * gcloud can only replace a project's whole policy, so the program reads the policy first. If someone changes the policy
 * in between, Google refuses the replacement because of its etag, and the deployment stops.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { projectPolicy, withDataAccessLogs } from './data-access.ts';

const { values } = parseArgs({ options: { project: { type: 'string' } } });
const { project } = values;
if (project === undefined) throw new Error('--project is required');
const read = execFileSync('gcloud', ['projects', 'get-iam-policy', project, '--format=json'], { encoding: 'utf8' });
const policy = projectPolicy.parse(JSON.parse(read));
const wanted = withDataAccessLogs(policy);
if (wanted !== undefined) {
  const folder = mkdtempSync(join(tmpdir(), 'policy-'));
  try {
    const file = join(folder, 'policy.json');
    writeFileSync(file, JSON.stringify(wanted));
    execFileSync('gcloud', ['projects', 'set-iam-policy', project, file, '--format=none'], { stdio: 'inherit' });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
