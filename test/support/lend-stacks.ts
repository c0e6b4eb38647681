import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import type { TestProject } from 'vitest/node';
import { z } from 'zod';
import { listen, portOf } from '../../emulators/base/listen.ts';
import { provideFirestore } from '../../emulators/firestore/provide.ts';
import { startTestStack, type TestStack } from './stacks.ts';

declare module 'vitest' {
  interface ProvidedContext {
    lender: string;
  }
}

const lendRequest = z.object({ flags: z.array(z.string()) });
const returnRequest = z.object({ baseUrl: z.string(), isUsable: z.boolean() });

/**
 * Lends each stack to one test file at a time, because starting a stack takes longer than most files. `POST /lend`
 * accepts the required flags and answers with the addresses of a stack. `POST /return` accepts the address of a lent
 * stack, and stops the stack if it is not usable.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Downloads the emulator here, because a download may exceed the timeout of a test file’s hooks.
  await provideFirestore(process.env);
  const stacks: { readonly stack: TestStack; readonly name: string; isLent: boolean }[] = [];

  const lend = async (flags: readonly string[]) => {
    const name = flags.join(' ');
    const idle = stacks.find((one) => one.name === name && !one.isLent);
    if (idle !== undefined) idle.isLent = true;
    const stack = idle?.stack ?? (await startTestStack(...flags));
    if (idle === undefined) stacks.push({ stack, name, isLent: true });
    return { baseUrl: stack.baseUrl, controlUrl: stack.controlUrl };
  };
  const takeBack = async ({ baseUrl, isUsable }: z.output<typeof returnRequest>) => {
    const at = stacks.findIndex(({ stack }) => stack.baseUrl === baseUrl);
    const [one] = isUsable ? stacks.slice(at) : stacks.splice(at, 1);
    if (one === undefined) throw new Error('this stack was not lent');
    if (isUsable) one.isLent = false;
    else await one.stack.stop();
    return {};
  };

  const server = createServer(async (request, response) => {
    try {
      const body = await json(request);
      const isReturn = request.url === '/return';
      const answer = await (isReturn ? takeBack(returnRequest.parse(body)) : lend(lendRequest.parse(body).flags));
      response.end(JSON.stringify(answer));
    } catch (error) {
      response.writeHead(500).end(JSON.stringify({ error: String(error) }));
    }
  });
  await listen(server, 0);
  project.provide('lender', `http://127.0.0.1:${portOf(server)}`);
  return async () => {
    server.close();
    await Promise.all(stacks.map(({ stack }) => stack.stop()));
  };
}
