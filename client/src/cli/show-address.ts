import { spawn } from 'node:child_process';
import { writeOut } from './standard-output.ts';
import { tell } from './terminal.ts';

const OPENERS: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};
const OPENER = ['xdg-open'];

/**
 * Opens the address in a browser. If that is not possible, prints the address to standard error, and also to standard
 * output if a program may be reading it.
 */
export async function showAddress(address: URL, useBrowser: boolean): Promise<void> {
  if (useBrowser && (await open(address))) {
    tell(`Opening your browser to sign in. If it does not open, go to ${address.href}`);
    return;
  }
  tell(`To sign in, open this URL: ${address.href}`);
  if (!process.stdout.isTTY) await writeOut(`${address.href}\n`);
}

function open({ href }: URL): Promise<boolean> {
  const [program = '', ...args] = OPENERS[process.platform] ?? OPENER;
  const child = spawn(program, [...args, href], { stdio: 'ignore', detached: true });
  child.unref();
  return new Promise((resolve) => {
    child.once('spawn', () => resolve(true));
    child.once('error', () => resolve(false));
  });
}
