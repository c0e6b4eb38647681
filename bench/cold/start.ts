import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { PRELOAD } from '../../deploy/names.ts';
import { pathOf } from '../child.ts';
import { frameworkOf } from '../servers.ts';

/** A request, and the expected status of its answer. */
export interface Probe {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly token?: string;
  readonly body?: string;
  readonly status: number;
}

export interface Start {
  readonly target: string;
  readonly source: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Returns the milliseconds from the start of the process to the answer. Throws if the status is unexpected. */
export async function coldStart({ target, source, env }: Start, probe: Probe, port: number): Promise<number> {
  const startedAt = performance.now();
  const preload = join(source, PRELOAD);
  const flags = existsSync(preload) ? [`--require=${preload}`] : [];
  const args = [...flags, frameworkOf(pathOf('..')), `--source=${source}`, `--target=${target}`, `--port=${port}`];
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const exited = once(child, 'exit');
  try {
    let status: number | undefined;
    while (status === undefined && child.exitCode === null) {
      status = await answerTo(probe, port);
      if (status === undefined) await pause(1);
    }
    const took = performance.now() - startedAt;
    if (status !== probe.status) throw new Error(`${target} answered ${status} to ${probe.method} ${probe.path}`);
    return took;
  } finally {
    child.kill('SIGKILL');
    await exited;
  }
}

/** Returns the status of the answer, or `undefined` while nothing listens. */
function answerTo({ method, path, token, body }: Probe, port: number): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, method, path, agent: false }, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode));
    });
    outgoing.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') resolve(undefined);
      else reject(error);
    });
    if (token !== undefined) outgoing.setHeader('authorization', `Bearer ${token}`);
    if (body !== undefined) outgoing.setHeader('content-type', 'application/json');
    outgoing.end(body);
  });
}
