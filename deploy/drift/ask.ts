import { spawnSync } from 'node:child_process';
import type { Deployment } from '../deployment.ts';
import type { Command } from '../step.ts';
import type { Ask } from './resource.ts';

/** A list can be long: a gateway's document alone has 100 KiB. */
const OUTPUT_BYTES = 256 * 1024 * 1024;

/** Returns a function that runs gcloud, or curl with gcloud's credential, in the deployment's project. */
export function askGcloud({ project }: Deployment): Ask {
  const env = { ...process.env, CLOUDSDK_CORE_PROJECT: project, CLOUDSDK_CORE_DISABLE_PROMPTS: '1' };
  const run = (command: Command, input = ''): string => {
    const [program = '', ...words] = command;
    const { status, stdout, stderr, error } = spawnSync(program, words, {
      env,
      input,
      encoding: 'utf8',
      maxBuffer: OUTPUT_BYTES,
    });
    if (error) throw error;
    if (status !== 0) throw new Error(`${command.slice(0, -1).join(' ')}: ${stderr.trim()}`);
    return stdout;
  };
  // curl reads the credential from standard input, so that it appears on no command line.
  const credential = () => {
    const token = run(['gcloud', 'auth', 'print-access-token', '--quiet']).trim();
    return `header = "Authorization: Bearer ${token}"\nheader = "X-Goog-User-Project: ${project}"\n`;
  };
  return (command, output) => {
    const isCurl = command[0] === 'curl';
    const stdout = isCurl ? run([...command, '-K-'], credential()) : run([...command, '--format=json']);
    const parsed = output.safeParse(JSON.parse(stdout));
    if (!parsed.success) throw new Error(`${command.join(' ')}: unexpected output`);
    return parsed.data;
  };
}
