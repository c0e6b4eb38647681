import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { ROOT } from '../../sources.ts';
import type { Addresses } from '../../support/client.ts';
import { allConfigured } from '../../support/second-service.ts';
import { signIn, type Tenant } from '../../support/tenant.ts';

/** The exit code and the output of a program. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program in `operator/` as docs/restore.md describes, with the service's environment. */
export function runProgram(stack: Addresses, name: string, ...args: readonly string[]): Promise<Ended> {
  return run([`operator/${name}.ts`, ...args], { PATH: process.env.PATH, ...allConfigured(stack) });
}

/** Runs `esk audit verify` as a tenant's owner. The folder contains the owner's checkpoint and profile. */
export async function verifyLog(stack: Addresses, tenant: Tenant, folder: string, ...args: readonly string[]) {
  const home = join(folder, tenant.id);
  const { token: access_token } = await signIn(stack, tenant.subject);
  const profile = {
    url: stack.baseUrl,
    issuer: 'x',
    client_id: 'x',
    access_token,
    expires_at: null,
    refresh_token: null,
  };
  mkdirSync(join(home, 'esk'), { recursive: true });
  writeFileSync(join(home, 'esk/profile.json'), JSON.stringify(profile));
  const env = { PATH: process.env.PATH, HOME: home, XDG_CONFIG_HOME: home };
  const { code, stderr } = await run(
    ['client/bin/esk.js', 'audit', 'verify', '--checkpoint', join(home, 'log.checkpoint'), ...args],
    env,
  );
  const found = stderr.split('\n').flatMap((line) => /^esk: (\w+): /.exec(line)?.[1] ?? []);
  return [code, ...found].join(' ');
}

const finding = z.object({ kind: z.string(), about: z.record(z.string(), z.unknown()), text: z.string() });
const checked = z.object({
  parts: z.array(z.object({ findings: z.array(finding), adopted: z.array(finding) })),
});

/** Parses the output of `check-store --json`. */
export function readFindings({ stdout, stderr }: Ended) {
  if (stdout === '') throw new Error(`check-store: ${stderr}`);
  const { parts } = checked.parse(JSON.parse(stdout));
  return { findings: parts.flatMap((part) => part.findings), adopted: parts.flatMap((part) => part.adopted) };
}

/**
 * Returns the keys and versions that `after-restore` printed as lost. If all versions of a key are lost, `version` is
 * `undefined`.
 */
export function readLost(stdout: string): { keyId: string; version: number | undefined }[] {
  return [...stdout.matchAll(/^tenant \S+, key (\S+): (?:every version|version (\d+)), since \S+Z$/gm)].map(
    ([, keyId = '', version]) => ({ keyId, version: version === undefined ? undefined : Number(version) }),
  );
}

async function run(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Ended> {
  const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, stdout, stderr };
}
