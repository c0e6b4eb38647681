import { fromBase64, toBase64 } from '../api/base64.ts';
import { API_CODES, ROUTES } from '../api/generated.ts';
import { type ApiErrorCode, isApiErrorCode } from '../errors.ts';
import { type Bytes, random } from '../files/bytes.ts';
import { isKeyId } from '../files/key-id.ts';
import type { OperationId } from '../types.ts';
import { capFields, FakeKey, isTier, Refusal } from './fake-key.ts';

/** A request that the fake has received. */
export interface FakeCall {
  /** The OpenAPI document's `operationId`, or `null` for a request that names no operation. */
  readonly operation: OperationId | null;
  /** The id in the path, or `null`. */
  readonly keyId: string | null;
}

/** The part of a request that the fake reads. */
export interface FakeRequest {
  readonly method?: string | undefined;
  readonly headers?: ConstructorParameters<typeof Headers>[0];
  readonly body?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A service in memory, for tests of programs that use the library. */
export interface FakeService {
  readonly url: string;
  readonly apiKey: string;
  /** A `software` key. */
  readonly keyId: string;
  /** Answers as the service does. It can also be called like the global `fetch`. */
  readonly fetch: (url: string | URL, request?: FakeRequest) => Promise<Response>;
  /** Makes the next `times` requests fail with an error code. Throws a `TypeError` for an unknown code. */
  readonly fail: (code: ApiErrorCode, times?: number) => void;
  /** The requests so far. */
  readonly calls: readonly FakeCall[];
}

const URL_OF_FAKE = 'https://fake.example.com';
const BODY_LIMIT = 131_072;
const NAME_LIMIT = 128;
const JSON_TYPE = /^application\/(?:json|[a-z0-9!#$&^_.+-]+\+json)\s*(?:;|$)/i;

type Body = Readonly<Record<string, unknown>>;

/**
 * Returns a fake of the service with keys and the five operations, with the service's limits and error codes. Nothing is
 * sent. A real service rejects its ciphertexts.
 */
export function fakeService(): FakeService {
  const keys = new Map<string, FakeKey>();
  const container = crypto.randomUUID();
  const apiKey = `esk_${'fake'.padEnd(26, 'a')}_${toBase64(random(32)).replace(/\W/g, 'A').slice(0, 43)}`;
  const calls: FakeCall[] = [];
  const failures: ApiErrorCode[] = [];
  const first = new FakeKey('fake', 'software', container);
  keys.set(first.id, first);

  const named = (name: unknown, own?: FakeKey): string => {
    if (typeof name !== 'string') throw new Refusal('invalid_request', 'invalid request body: name must be a string');
    checkName(name);
    if ([...keys.values()].some((key) => key !== own && key.name === name)) {
      throw new Refusal('key_exists', 'a key in this container has this name already');
    }
    return name;
  };

  const create = (body: Body): FakeKey => {
    const { name, tier, container_id = null } = body;
    if (typeof name !== 'string' || typeof tier !== 'string') {
      throw new Refusal('invalid_request', 'invalid request body: name and tier must be strings');
    }
    if (container_id !== null && typeof container_id !== 'string') {
      throw new Refusal('invalid_request', 'invalid request body: container_id must be a string');
    }
    checkName(name);
    if (!isTier(tier)) throw new Refusal('invalid_tier', 'tier must be one of free, wrapped, software, hsm');
    if (container_id !== null && container_id !== container) {
      throw new Refusal('invalid_container', 'container_id must be the container of the api key');
    }
    const key = new FakeKey(named(name), tier, container);
    if (tier === 'free' && [...keys.values()].some((one) => one.tier === 'free')) {
      throw new Refusal('free_key_exists', 'the tenant has a free key already');
    }
    keys.set(key.id, key);
    return key;
  };

  const ofKey: Readonly<Record<string, (key: FakeKey, body: Body) => unknown>> = {
    get_key: (key) => key.view(),
    rename_key: (key, body) => {
      key.name = named(body.name, key);
      return key.view();
    },
    rotate_key: (key) => {
      key.rotate();
      return key.view();
    },
    async encrypt(key, body) {
      const [plaintext, aad] = [field(body, 'plaintext'), optional(body, 'aad')];
      key.checkPlaintext(plaintext, aad);
      return metered(key, async () => ({ ciphertext: toBase64(await key.seal(plaintext, aad)) }));
    },
    async decrypt(key, body) {
      const [ciphertext, aad] = [field(body, 'ciphertext'), optional(body, 'aad')];
      key.checkAad(aad);
      return metered(key, async () => ({ plaintext: toBase64(await key.open(ciphertext, aad)) }));
    },
    async wrap(key, body) {
      const isNew = body.dek === undefined || body.dek === null;
      const [dek, aad] = [isNew ? random(32) : field(body, 'dek'), optional(body, 'aad')];
      key.checkDek(dek, aad);
      return metered(key, async () => {
        return { wrapped: toBase64(await key.seal(dek, aad)), ...(isNew && { dek: toBase64(dek) }) };
      });
    },
    async unwrap(key, body) {
      const [wrapped, aad] = [field(body, 'wrapped'), optional(body, 'aad')];
      key.checkAad(aad);
      return metered(key, async () => {
        const dek = await key.open(wrapped, aad);
        if (!key.isDek(dek)) throw new Refusal('invalid_ciphertext', 'the ciphertext cannot be decrypted');
        return { dek: toBase64(dek) };
      });
    },
    async rewrap(key, body) {
      const [ciphertext, aad] = [field(body, 'ciphertext'), optional(body, 'aad')];
      key.checkAad(aad);
      return metered(key, async () => ({
        ciphertext: toBase64(await key.seal(await key.open(ciphertext, aad), aad)),
      }));
    },
  };

  const perform = async (operation: OperationId | null, id: string | null, body: () => Body): Promise<unknown> => {
    if (operation === 'list_keys') return [...keys.values()].map((key) => key.view());
    if (operation === 'create_key') return create(body()).view();
    const run = operation === null ? undefined : ofKey[operation];
    if (run === undefined) throw new Refusal('internal_error', 'not in the fake');
    const isRead = operation === 'get_key' || operation === 'rotate_key';
    if (id === null || !isKeyId(id)) throw new Refusal('not_found', 'not found');
    const given = isRead ? {} : body();
    const key = keys.get(id);
    if (key === undefined) throw new Refusal('not_found', 'not found');
    return run(key, given);
  };

  const answer = async (url: string | URL, request: FakeRequest = {}): Promise<Response> => {
    const { method = 'GET', body, signal } = request;
    signal?.throwIfAborted();
    const headers = new Headers(request.headers);
    const { pathname } = new URL(url);
    const { operation, id } = find(method, pathname);
    calls.push({ operation, keyId: id });
    const requestId = headers.get('x-request-id') ?? crypto.randomUUID();
    try {
      const failure = failures.shift();
      if (failure !== undefined) {
        const more = failure === 'ops_cap_reached' ? capFields() : {};
        throw new Refusal(failure, 'the fake was told to fail', more);
      }
      if (operation === null || !isFaked(operation)) {
        throw new Refusal('internal_error', `the fake does not know ${method} ${pathname}`);
      }
      if (headers.get('authorization') !== `Bearer ${apiKey}`) {
        throw new Refusal('unauthorized', 'missing or invalid credentials');
      }
      const result = await perform(operation, id?.toLowerCase() ?? null, () =>
        read(headers.get('content-type') ?? undefined, body),
      );
      return respond(ROUTES[operation].statuses[0], result, requestId);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { code, message, more } = error;
      return respond(API_CODES[code], { error: code, message, request_id: requestId, ...more }, requestId);
    }
  };

  return {
    url: URL_OF_FAKE,
    apiKey,
    keyId: first.id,
    fetch: answer,
    calls,
    fail(code, times = 1) {
      if (!isApiErrorCode(code)) throw new TypeError(`unknown error code: ${code}`);
      for (let time = 0; time < times; time += 1) failures.push(code);
    },
  };
}

/** Performs an operation. The cap is checked before any cryptography, and only an operation that succeeded is counted. */
async function metered(key: FakeKey, operation: () => Promise<object>): Promise<object> {
  key.checkCap();
  const answer = await operation();
  key.count();
  return answer;
}

const FAKED: readonly OperationId[] = [
  'create_key',
  'list_keys',
  'get_key',
  'rename_key',
  'rotate_key',
  'encrypt',
  'decrypt',
  'wrap',
  'unwrap',
  'rewrap',
];

function isFaked(operation: OperationId): boolean {
  return FAKED.includes(operation);
}

/** Returns the operation of a route and the id in the path. */
function find(method: string, path: string): { operation: OperationId | null; id: string | null } {
  for (const [operation, route] of Object.entries(ROUTES)) {
    const [start = '', end] = route.path.split('{id}');
    if (route.method !== method) continue;
    if (end === undefined ? path === start : path.startsWith(start) && path.endsWith(end)) {
      const id = end === undefined ? null : path.slice(start.length, path.length - end.length);
      if (id === null || !id.includes('/')) return { operation: isOperation(operation) ? operation : null, id };
    }
  }
  return { operation: null, id: null };
}

function isOperation(name: string): name is OperationId {
  return Object.hasOwn(ROUTES, name);
}

function checkName(name: string): void {
  const isAllowed = name.trim() !== '' && [...name].length <= NAME_LIMIT && !/\p{Cc}|\p{Surrogate}/u.test(name);
  if (!isAllowed) throw new Refusal('invalid_name', 'name must be 1 to 128 characters, and no control characters');
}

/** Reads a request's body. Throws `unsupported_media_type`, `payload_too_large` or `invalid_request`. */
function read(type: string | undefined, body = ''): Body {
  if (!JSON_TYPE.test(type ?? '')) throw new Refusal('unsupported_media_type', 'the request needs a JSON content type');
  if (new TextEncoder().encode(body).length > BODY_LIMIT) {
    throw new Refusal('payload_too_large', `length limit exceeded: the body must be at most ${BODY_LIMIT} bytes`);
  }
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return Object(value);
  } catch {
    throw new Refusal('invalid_request', 'invalid request body: it is not JSON encoded as UTF-8');
  }
  throw new Refusal('invalid_request', 'invalid request body: it must be an object');
}

/** Returns the bytes of a base64 field. Throws `invalid_request` or `invalid_base64`. */
function field(body: Body, name: string): Bytes {
  const text = body[name];
  if (typeof text !== 'string') throw new Refusal('invalid_request', `invalid request body: ${name} must be a string`);
  try {
    const bytes = fromBase64(text);
    if (toBase64(bytes) === text) return bytes;
  } catch {
    // Not base64 at all.
  }
  throw new Refusal('invalid_base64', `${name} must be standard base64 with padding`);
}

function optional(body: Body, name: string): Bytes {
  return body[name] === undefined || body[name] === null ? new Uint8Array() : field(body, name);
}

function respond(status: number, body: unknown, requestId: string): Response {
  return Response.json(body, { status, headers: { 'x-request-id': requestId } });
}
