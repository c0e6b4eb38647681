import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { z } from 'zod';
import type { Command } from '../../deploy/step.ts';
import { ROOT } from '../sources.ts';

const found = spawnSync('gcloud', ['info', '--format=value(basic.python_location,installation.sdk_root)'], {
  encoding: 'utf8',
});
const [python = '', sdk = ''] = found.status === 0 ? found.stdout.trim().split('\t') : [];

/** Whether the Google Cloud CLI is installed here. */
export const HAS_GCLOUD = sdk !== '';

/**
 * Returns the error of gcloud’s argument parser for each command, or an empty string if the parser accepts the command.
 * Does not run the commands.
 */
export function refusals(commands: readonly Command[]): string[] {
  const input = commands.map(([, ...words]) => `${JSON.stringify(words)}\n`).join('');
  const parsed = spawnSync(python, [join(ROOT, 'test/deploy/gcloud-parser.py'), sdk], {
    cwd: ROOT,
    input,
    encoding: 'utf8',
  });
  const verdicts = parsed.stdout.split('\n').slice(0, -1);
  if (verdicts.length !== commands.length) throw new Error(`the parser of gcloud broke: ${parsed.stderr}`);
  return verdicts.map((line) => z.string().parse(JSON.parse(line)));
}
