import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { signInFrom } from '../../../test/support/code-flow.ts';
import { type Ended, type Run, start } from './esk.ts';

/** Signs a person in with `esk login --no-browser`, and opens the printed address as a browser would. */
export async function logIn(person: Record<string, string>, options: Run): Promise<Ended> {
  const { child, ended } = start(['login', '--no-browser'], options);
  const [address] = await once(createInterface(child.stdout), 'line');
  const back = await signInFrom(new URL(String(address)), person);
  const page = await fetch(back);
  return { ...(await ended), stdout: Buffer.from(await page.text()) };
}
