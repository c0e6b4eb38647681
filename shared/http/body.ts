import type { IncomingMessage } from 'node:http';
import type { z } from 'zod';
import { DEADLINES_MS } from '../deadlines.ts';
import { ApiError } from '../errors.ts';
import type { InputReader } from './input.ts';
import { singleHeader } from './request.ts';

/** The largest request body in bytes, as sent. */
export const BODY_BYTES = 131_072;

const JSON_TYPE = /^application\/(?:json|[a-z0-9!#$&^_.+-]+\+json)$/i;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export interface Reading {
  /** Whether to read a body of any content type as JSON, and an empty or `null` body as an empty object. */
  readonly isLenient?: boolean;
  readonly check?: (body: unknown) => void;
  /** Parses the JSON. Throws unless the text is JSON. */
  readonly parse?: (text: string) => unknown;
}

/**
 * Returns a reader of JSON bodies. The order of checks is: content type (415), size (413), arrival in time (400), JSON
 * and shape (400).
 */
export function jsonBody<Input>(
  shape: z.ZodType<Input>,
  { isLenient = false, check = () => {}, parse = JSON.parse }: Reading = {},
): InputReader<Input> {
  return {
    body: shape,
    isBodyOptional: isLenient && shape.safeParse({}).success,
    refuses: ['unsupported_media_type', 'payload_too_large', 'invalid_request'],
    async read({ message }) {
      refuseMediaType(message, isLenient);
      const bytes = await readBytes(message, BODY_BYTES);
      const body = isLenient ? parseLeniently(bytes) : parseJson(bytes, parse);
      check(body);
      return parseShape(body, shape);
    },
  };
}

/**
 * Returns a body's bytes. Throws `payload_too_large` above `limit` bytes, and `invalid_request` if the body is cut off
 * or late.
 */
export async function readBytes(
  message: IncomingMessage,
  limit: number,
  deadlineMs: number = DEADLINES_MS.body,
): Promise<Buffer> {
  if (Number(message.headers['content-length']) > limit) throw tooLarge(limit);
  if (message.destroyed) throw malformed('it ended too early');
  const bytes = message.complete ? takeWhole(message) : await collect(message, limit, deadlineMs);
  if (bytes.length > limit) throw tooLarge(limit);
  return bytes;
}

function takeWhole(message: IncomingMessage): Buffer {
  const bytes: Buffer | null = message.read();
  return bytes ?? Buffer.alloc(0);
}

function collect(message: IncomingMessage, limit: number, deadlineMs: number): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const chunks: Buffer[] = [];
  let length = 0;
  const keep = (chunk: Buffer) => {
    chunks.push(chunk);
    length += chunk.length;
    if (length > limit) giveUp(tooLarge(limit));
  };
  const giveUp = (reason: ApiError) => {
    message.off('data', keep);
    chunks.length = 0;
    reject(reason);
  };
  const late = setTimeout(() => giveUp(malformed('it did not arrive in time', { closes: true })), deadlineMs);
  message.on('data', keep);
  message.on('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
  const breakOff = () => giveUp(malformed('it ended too early'));
  message.on('error', breakOff);
  message.on('close', () => message.complete || breakOff());
  return promise.finally(() => clearTimeout(late));
}

function tooLarge(limit: number): ApiError {
  return new ApiError('payload_too_large', `length limit exceeded: the body must be at most ${limit} bytes`, {
    closes: true,
  });
}

/** Parses a value, or throws `invalid_request` without quoting content. */
export function parseShape<Body>(value: unknown, shape: z.ZodType<Body>): Body {
  const parsed = shape.safeParse(value, { error: describeIssue });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw malformed(`${issue?.path.join('.') || 'it'} ${issue?.message}`);
}

/** Returns the end of a sentence that begins with the field's name. A schema's own message has precedence. */
function describeIssue(issue: z.core.$ZodRawIssue): string {
  if (issue.code === 'unrecognized_keys') return `has the unknown field ${JSON.stringify(issue.keys[0])}`;
  if (issue.code !== 'invalid_type') return 'is not valid';
  if (issue.input === undefined) return 'is required';
  return `must be ${/^[aio]/.test(issue.expected) ? 'an' : 'a'} ${issue.expected}`;
}

function parseJson(bytes: Buffer, parse: (text: string) => unknown = JSON.parse): unknown {
  try {
    return parse(utf8.decode(bytes));
  } catch {
    throw malformed(bytes.length === 0 ? 'it is empty' : 'it is not JSON encoded as UTF-8');
  }
}

function parseLeniently(bytes: Buffer): unknown {
  return bytes.length === 0 ? {} : (parseJson(bytes) ?? {});
}

export function malformed(description: string, details: { closes?: true } = {}): ApiError {
  return new ApiError('invalid_request', `invalid request body: ${description}`, details);
}

function refuseMediaType(message: IncomingMessage, isLenient: boolean): void {
  const [type = ''] = isLenient ? ['application/json'] : (singleHeader(message, 'content-type') ?? '').split(';');
  const encoding = message.headers['content-encoding'] ?? 'identity';
  if (JSON_TYPE.test(type.trim()) && encoding === 'identity') return;
  throw new ApiError(
    'unsupported_media_type',
    'the request needs a JSON content type (application/json) and must not have a content encoding',
  );
}
