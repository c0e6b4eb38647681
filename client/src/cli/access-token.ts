import { readFile } from 'node:fs/promises';
import { EXIT, Failure, noCredential } from './failure.ts';

/** Returns a function that reads the access token from the environment, or `undefined` if it has no token. */
export function accessTokenIn(env: NodeJS.ProcessEnv = process.env): (() => Promise<string>) | undefined {
  const { ESK_ACCESS_TOKEN: token, ESK_ACCESS_TOKEN_FILE: path } = env;
  if (token) return async () => valid(token.trim(), 'ESK_ACCESS_TOKEN');
  if (path) return () => readToken(path);
  return undefined;
}

/** Reads the file for every call, because another program may replace the token before it expires. */
async function readToken(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((error) => {
    throw new Failure(EXIT.local, 'file_error', `${path}: ${error instanceof Error ? error.message : 'unreadable'}`);
  });
  const token = text.trim();
  if (token === '') throw new Failure(EXIT.local, 'file_error', `${path}: contains no access token`);
  return valid(token, path);
}

function valid(token: string, source: string): string {
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw noCredential(`${source} is not a valid access token`);
}
