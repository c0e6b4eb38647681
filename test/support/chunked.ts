import { request } from 'node:http';
import type { Client } from './tenant.ts';

/** Posts JSON in chunks, without a content length. Returns the status of the answer. */
export function postChunked(client: Client, path: string, json: string, chunkBytes: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const headers = { authorization: `Bearer ${client.token}`, 'content-type': 'application/json' };
  const outgoing = request(`${client.stack.baseUrl}${path}`, { method: 'POST', headers }, (incoming) => {
    incoming.resume();
    resolve(incoming.statusCode ?? 0);
  });
  // If the server answers before it has read the whole body, writing can fail. After `resolve`, `reject` has no effect.
  outgoing.on('error', reject);
  const bytes = Buffer.from(json);
  for (let at = 0; at < bytes.length; at += chunkBytes) outgoing.write(bytes.subarray(at, at + chunkBytes));
  outgoing.end();
  return promise;
}
