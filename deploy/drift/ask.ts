import { spawnSync } from 'node:child_process';
import type { Deployment } from '../deployment.ts';
import type { Ask } from './resource.ts';

/** A list can be long: a gateway's document alone has 100 KiB. */
const OUTPUT_BYTES = 256 * 1024 * 1024;

/** Returns a function that runs gcloud in the deployment's project. */
export function askGcloud({ project }: Deployment): Ask {
  const env = { ...process.env, CLOUDSDK_CORE_PROJECT: project, CLOUDSDK_CORE_DISABLE_PROMPTS: '1' };
  return (command, output) => {
    const [program = '', ...words] = command;
    const { status, stdout, stderr, error } = spawnSync(program, [...words, '--format=json'], {
      env,
      encoding: 'utf8',
      maxBuffer: OUTPUT_BYTES,
    });
    if (error) throw error;
    if (status !== 0) throw new Error(`${command.join(' ')}: ${stderr.trim()}`);
    const parsed = output.safeParse(JSON.parse(stdout));
    if (!parsed.success) throw new Error(`${command.join(' ')}: unexpected output`);
    return parsed.data;
  };
}
