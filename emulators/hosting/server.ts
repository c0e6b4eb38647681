import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join, matchesGlob, normalize } from 'node:path';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { close, listen, portOf, urlOf } from '../base/listen.ts';
import { REPOSITORY_ROOT } from '../base/repository.ts';

const BUILD = join(REPOSITORY_ROOT, 'console', 'build', 'main.ts');

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
};

interface HostingOptions extends Origins {
  readonly port: number;
}

export interface Hosting {
  readonly port: number;
  readonly stop: () => Promise<void>;
}

/**
 * Serves the console as Firebase Hosting does. Builds the site on the first request, so that the stack starts faster.
 * Rejects with the code `EADDRINUSE` if the port is taken.
 */
export async function startHosting(options: HostingOptions): Promise<Hosting> {
  let site: Promise<string> | undefined;
  const built = (): Promise<string> => {
    site ??= build(options);
    // If a build fails, the next request builds again.
    site.catch(() => {
      site = undefined;
    });
    return site;
  };
  const answer = async (path: string, response: ServerResponse): Promise<void> => {
    const found = await find(await built(), path);
    response.setHeaders(headersFor(path, options));
    response.writeHead(found === undefined ? 404 : 200, { 'content-type': found?.type ?? 'text/plain' });
    response.end(found?.content ?? 'not found\n');
  };
  const serve = (): Server =>
    createServer((request, response) => {
      const url = urlOf(request);
      if (url === null) return void response.writeHead(400, { 'content-type': 'text/plain' }).end('bad request\n');
      answer(url.pathname, response).catch((error: unknown) => {
        response.writeHead(500, { 'content-type': 'text/plain' }).end(`${error}\n`);
      });
    });
  const first = serve();
  await listen(first, options.port);
  const servers = [first];
  const port = portOf(first);
  const other = serve();
  // Listen on both IPv4 and IPv6, because `localhost` can resolve to either. On machines without IPv6, only the first
  // server listens.
  const listening = await new Promise<boolean>((resolve) => {
    other.once('error', () => resolve(false));
    other.listen({ port, host: '::1' }, () => resolve(true));
  });
  if (listening) servers.push(other);
  return {
    port,
    stop: async () => {
      await Promise.all(servers.map(close));
      const folder = await site?.catch(() => undefined);
      if (folder !== undefined) await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Builds the site in a new temporary folder. Returns the folder. */
async function build({ api }: HostingOptions): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'console-'));
  const child = spawn(process.execPath, [BUILD, '--out', folder, '--api', api], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [errors, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  if (code === 0) return folder;
  await rm(folder, { recursive: true, force: true });
  throw new Error(`building the console failed: ${errors}`);
}

/** Returns the file at a path. If no file exists there, returns index.html, except for missing assets. */
async function find(folder: string, path: string): Promise<{ content: Buffer; type: string } | undefined> {
  const file = normalize(path === '/' ? '/index.html' : path);
  try {
    return { content: await readFile(join(folder, file)), type: TYPES[extname(file)] ?? 'application/octet-stream' };
  } catch {
    if (file.startsWith('/assets/')) return undefined;
    return { content: await readFile(join(folder, 'index.html')), type: TYPES['.html'] ?? '' };
  }
}

const settings = z.object({
  hosting: z.object({
    headers: z.array(
      z.object({ source: z.string(), headers: z.array(z.object({ key: z.string(), value: z.string() })) }),
    ),
  }),
});

interface Origins {
  readonly api: string;
  readonly issuer: string;
}

/**
 * Returns the headers that `firebase.json` sets for a path. If several rules set the same header, the last rule wins.
 */
function headersFor(path: string, { api, issuer }: Origins): Map<string, string> {
  const { hosting } = settings.parse(JSON.parse(readFileSync(join(REPOSITORY_ROOT, 'firebase.json'), 'utf8')));
  const given = hosting.headers.filter(({ source }) =>
    matchesGlob(path, source.startsWith('/') ? source : `/${source}`),
  );
  return new Map(
    given
      .flatMap(({ headers }) => headers)
      .map(({ key, value }) => [
        key.toLowerCase(),
        value.replace('https://api.invalid', api).replace('https://issuer.invalid', issuer),
      ]),
  );
}
