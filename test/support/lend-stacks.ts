import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import type { TestProject } from 'vitest/node';
import { z } from 'zod';
import { listen, portOf } from '../../emulators/stack/listen.ts';
import type { Addresses } from './client.ts';
import { startTestStack, type TestStack } from './stacks.ts';

declare module 'vitest' {
  interface ProvidedContext {
    lender: string;
  }
}

const wish = z.object({ flags: z.array(z.string()) });
const returned = z.object({ baseUrl: z.string() });

/**
 * Lends stacks to test files that move the clock or make parts fail, each to one file at a time: starting one takes
 * longer than most files. `POST /lend` with the flags that it is to have, `POST /return` with its address.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const stacks: TestStack[] = [];
  const lent = new Map<TestStack, string>();
  const idle = new Map<string, TestStack[]>();

  const lend = async (flags: readonly string[]): Promise<Addresses> => {
    const name = flags.join(' ');
    const stack = idle.get(name)?.pop() ?? (await startTestStack(...flags));
    if (!stacks.includes(stack)) stacks.push(stack);
    lent.set(stack, name);
    return { baseUrl: stack.baseUrl, controlUrl: stack.controlUrl };
  };
  const takeBack = (baseUrl: string): void => {
    for (const [stack, name] of lent) {
      if (stack.baseUrl !== baseUrl) continue;
      lent.delete(stack);
      idle.set(name, [...(idle.get(name) ?? []), stack]);
    }
  };

  const server = createServer(async (request, response) => {
    try {
      const body = await json(request);
      const answer =
        request.url === '/lend' ? await lend(wish.parse(body).flags) : takeBack(returned.parse(body).baseUrl);
      response.end(JSON.stringify(answer ?? {}));
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  await listen(server, 0);
  project.provide('lender', `http://127.0.0.1:${portOf(server)}`);
  return async () => {
    server.close();
    await Promise.all(stacks.map(({ stop }) => stop()));
  };
}
