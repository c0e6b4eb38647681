import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { listen } from '../../emulators/base/listen.ts';
import { REPOSITORY_ROOT } from '../../emulators/base/repository.ts';
import { type Ports, portsFrom, portsToHold, refusePortsInUse } from '../../emulators/stack/ports.ts';
import { leasePorts, type PortLease } from '../../emulators/stack/separate.ts';

const list = promisify(execFile);
const features = { billing: true, console: true, wrappedRoot: true, transit: true, ownFirestore: true };
let lease: PortLease;
let ports: Ports;
let stack: ChildProcess | undefined;

beforeAll(async () => {
  lease = await leasePorts();
  ports = portsFrom(lease.port);
});
afterAll(() => lease.release());

afterEach(() => stack?.kill('SIGKILL'));

/** Starts the command. `output` returns what the command has printed so far. */
function run(...flags: string[]): { process: ChildProcess; output: () => string } {
  const args = ['emulators/start.ts', '--port', String(lease.port), ...flags];
  const child = spawn(process.execPath, args, { cwd: REPOSITORY_ROOT });
  stack = child;
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  return { process: child, output: () => output };
}

async function runUntilReady(): Promise<ReturnType<typeof run>> {
  const running = run('--ephemeral');
  await expect.poll(running.output).toContain('Press Ctrl-C to stop.');
  return running;
}

/** Whether no process of the stack runs. Checks command lines too, as a starting process does not listen on a port. */
async function nothingIsLeft(): Promise<boolean> {
  const { stdout } = await list('ps', ['-A', '-ww', '-o', 'args=']);
  const named = Object.values(ports).some((port) => stdout.includes(`port=${port}`) || stdout.includes(`:${port}`));
  const held = await refusePortsInUse(portsToHold(ports, features)).then(
    () => false,
    () => true,
  );
  return !named && !held;
}

test('Ctrl-C stops every process of the stack with exit code 0, even if pressed twice', async () => {
  const { process: child, output } = await runUntilReady();
  const exit = once(child, 'exit');
  child.kill('SIGINT');
  child.kill('SIGINT');
  expect(await exit).toEqual([0, null]);
  expect(output()).toMatch(/\nStopped\.\n$/);
  expect(await nothingIsLeft()).toBe(true);
});

test('every process of a stack ends when the stack is killed', async () => {
  const { process: child } = await runUntilReady();
  child.kill('SIGKILL');
  await expect.poll(nothingIsLeft).toBe(true);
});

test('a stack that a test has started ends when the test’s process ends', async () => {
  const separate = new URL('../../emulators/stack/separate.ts', import.meta.url).href;
  const script = `import { startSeparateStack } from '${separate}';
    process.stdout.write((await startSeparateStack('--no-console')).baseUrl);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script]);
  stack = child;
  const [baseUrl] = await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await expect
    .poll(() =>
      fetch(`${baseUrl}/health`)
        .then(({ ok }) => ok)
        .catch(() => 'gone'),
    )
    .toBe('gone');
});

test.each(['identity provider', 'policy decisions', 'service  '])(
  'Ctrl-C during the start, just after the stack prints “%s”, ends every process',
  async (line) => {
    const { process: child, output } = run('--ephemeral');
    await expect.poll(output, { interval: 5 }).toContain(line);
    const exit = once(child, 'exit');
    child.kill('SIGINT');
    expect(await exit).toEqual([0, null]);
    await expect.poll(nothingIsLeft).toBe(true);
  },
  120_000,
);

test('a port in use is reported in one line, and nothing is started', async () => {
  const holder = createServer();
  await listen(holder, ports.firestore);
  const { process: child, output } = run('--ephemeral');
  expect(await once(child, 'exit')).toEqual([1, null]);
  expect(output()).toBe(
    `Port ${ports.firestore} (Firestore) is in use. Stop the program that uses it, or start with --port N\n`,
  );
  holder.close();
});

test('an unknown flag is reported in one line', async () => {
  const { process: child, output } = run('--nope');
  expect(await once(child, 'exit')).toEqual([2, null]);
  expect(output()).toBe("Unknown option '--nope'\n");
});
