import { z } from 'zod';
import type { Stack } from '../../emulators/stack/stack.ts';

/** An answer: its status and its JSON body. */
export type Answer = { readonly status: number; readonly body: unknown };

/** Sends JSON and reads JSON. */
export async function call(
  method: string,
  url: string,
  options: { token?: string; body?: unknown } = {},
): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: {
      ...(options.token !== undefined && { authorization: `Bearer ${options.token}` }),
      ...(options.body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(options.body !== undefined && { body: JSON.stringify(options.body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
}

/** Calls the control API of the stack. */
export function control(stack: Stack, method: string, path: string, body?: unknown): Promise<Answer> {
  return call(method, `${stack.controlUrl}${path}`, { body });
}

/** Sends a request to the service with the demo tenant's API key. */
export function asDemo(stack: Stack, method: string, path: string, body?: unknown): Promise<Answer> {
  const { base_url, demo } = stack.overview;
  return call(method, `${base_url}${path}`, { token: demo.api_key, body });
}

/** Gets an access token from the control API. */
export async function mintToken(stack: Stack, request: Record<string, unknown>): Promise<string> {
  const { body } = await control(stack, 'POST', '/tokens', request);
  return z.object({ access_token: z.string() }).parse(body).access_token;
}
