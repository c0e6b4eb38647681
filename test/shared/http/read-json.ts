import { expect } from 'vitest';
import { z } from 'zod';
import { jsonBody } from '../../../shared/http/body.ts';
import { asRequest, readSent, type Sent } from './exchange.ts';

const shape = z.object({ value: z.string(), note: z.string().nullish() });

export const JSON_TYPE = { 'content-type': 'application/json' };

/** What a route that takes `value`, and `note` where there is one, reads from a request. */
export function readJson(sent: Sent): Promise<z.output<typeof shape>> {
  return readSent(sent, (message) => jsonBody(shape).read(asRequest(message)));
}

/** What that route makes of these bytes as a JSON body. */
export function parse(...body: (string | Uint8Array)[]): Promise<z.output<typeof shape>> {
  return readJson({ headers: JSON_TYPE, body });
}

/** Matches an error of that code whose message fits. */
export function refusal(code: string, message: string | RegExp): unknown {
  return expect.objectContaining({ code, message: expect.stringMatching(message) });
}

/** Matches the refusal of a body that is not JSON of the right shape. */
export const malformed = refusal('invalid_request', /^invalid request body: ./);
