import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ROUTES } from '../src/api/generated.ts';
import * as library from '../src/index.ts';
import { bytes, callMethod, firewall, from, METHODS } from './support/methods.ts';
import { API_KEY, KEY, KEY_JSON } from './support/objects.ts';

// The pauses before retries are random. This mock makes them zero.
beforeEach(() => {
  vi.spyOn(Math, 'random').mockReturnValue(0);
});
afterEach(() => vi.restoreAllMocks());

/** A call that has returned, but has not done its work yet. */
interface Called {
  readonly args: readonly unknown[];
  readonly done: Promise<unknown>;
}
type Case = (requests: string[]) => Called;

/** Calls an async function, which gives the arguments to the library before its first `await`. */
const called = <const Args extends readonly unknown[]>(
  args: Args,
  run: (...args: Args) => Promise<unknown>,
): Called => ({ args, done: run(...args) });

const options = () => ({ timeoutMs: 60_000, signal: new AbortController().signal });
const context = () => ({ context: bytes(), ...options() });
const place = () => ({ context: bytes(), recordId: bytes(), signal: new AbortController().signal });

const { id } = KEY;

/** Wraps by putting the aad before the data key, and unwraps only with the same aad. */
const keyService: library.KeyService = {
  wrap: async (_, { dek = bytes(32), aad = bytes(0) }) => ({ wrapped: Uint8Array.of(...aad, ...dek), dek }),
  unwrap: async (_, { wrapped, aad = bytes(0) }) => {
    if (wrapped.subarray(0, aad.length).join() !== aad.join()) throw new TypeError('another aad');
    return { dek: wrapped.slice(aad.length) };
  },
  rewrap: async (keyId, { ciphertext, ...aad }) => {
    await keyService.unwrap(keyId, { wrapped: ciphertext, ...aad });
    return { ciphertext };
  },
};

const BYTES = { ciphertext: 'AQI=', plaintext: 'AQI=', wrapped: 'AQI=', dek: 'AQI=' };
const ANSWER = JSON.stringify({ status: 'ok', checks: {}, ...BYTES });
const LISTS: Record<string, unknown> = {
  '/v1/keys': [KEY_JSON],
  '/v1/containers': [{ id: KEY.container_id, name: 'eu', is_default: true }],
  '/v1/firewalls': [{ ...firewall(), id }],
  '/v1/api-keys': [],
  '/v1/audit': [{ ts: '2026-11-20T10:00:03Z', operation: 'encrypt' }],
  [`/v1/keys/${id}/audit`]: [{ ts: '2026-11-20T10:00:03Z', operation: 'encrypt' }],
};

/** Returns a `fetch` that notes the requests, can lose the first answer, and serves each list in two pages. */
function makeFetch(requests: string[], losesFirst: boolean): typeof fetch {
  return async (input, init) => {
    const { pathname, search, href } = new URL(String(input));
    const method = init?.method ?? '';
    requests.push(`${method} ${href} ${init?.body ?? ''}`);
    if (losesFirst && requests.length === 1) throw new TypeError('fetch failed');
    const route = Object.values(ROUTES).find(
      (one) => one.method === method && new RegExp(`^${one.path.replace('{id}', '[^/]+')}$`).test(pathname),
    );
    const status = route?.statuses[0] ?? 500;
    if (status === 204) return new Response(null, { status });
    const list = method === 'GET' ? LISTS[pathname] : undefined;
    const isFirstPage = list !== undefined && !search.includes('cursor');
    const headers = isFirstPage ? { link: `<${pathname}?cursor=a>; rel="next"` } : new Headers();
    return new Response(list === undefined ? ANSWER : JSON.stringify(list), { status, headers });
  };
}

const callOf =
  (name: string, args: () => unknown[]): Case =>
  (requests) => {
    const url = 'https://api.example.com';
    const service = new library.EncryptionService({ url, apiKey: API_KEY, fetch: makeFetch(requests, true) });
    return called([...args(), options()], (...given) => callMethod(service, name, given));
  };

const contents = () => new Blob(['contents']).stream();
const textOf = (stream: ReadableStream<Uint8Array>) => new Response(stream).text();
const encrypted = () => contents().pipeThrough(library.encryptStream(keyService, id, context()));
const decrypted = (file: ReadableStream<Uint8Array>) =>
  textOf(file.pipeThrough(library.decryptStream(keyService, context())));
const record = await new library.DataKeys(keyService).encrypt(id, bytes(), place());
const dataKeys = () => new library.DataKeys(keyService);

const CASES: Record<string, Case> = {
  EncryptionService: (requests) => {
    const url = new URL('https://api.example.com/base');
    const settings = { url, apiKey: API_KEY, fetch: makeFetch(requests, true), timeoutMs: 60_000, maxRetries: 1 };
    return called([settings], async (given) => (await new library.EncryptionService(given)).listKeys());
  },
  EncryptionServiceError: () => {
    const more = { status: 429, requestId: 'a', retryable: true, resetsAt: from() };
    return called(['ops_cap_reached', 'reached', more], async (...args) => ({
      ...(await new library.EncryptionServiceError(...args)),
    }));
  },
  FormatError: () =>
    called(['invalid_record', 'altered'], async (...args) => ({ ...new library.FormatError(...args) })),
  WorkloadError: () => called(['refused', 'no token'], async (...args) => ({ ...new library.WorkloadError(...args) })),
  workload: () => {
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (url) => new Response(String(url)));
    return called([{ apiKeyId: id }], async (given) => (await library.workload.google(given))());
  },
  diagnose: (requests) => {
    const url = new URL('https://api.example.com');
    return called([{ url, apiKey: API_KEY, source: 'a key', fetch: makeFetch(requests, false) }], library.diagnose);
  },
  encryptStream: () =>
    called([keyService, id, { ...context(), armor: true }], async (...args) =>
      decrypted(contents().pipeThrough(await library.encryptStream(...args))),
    ),
  decryptStream: () =>
    called([keyService, context()], async (...args) =>
      textOf(encrypted().pipeThrough(await library.decryptStream(...args))),
    ),
  rewrapHeader: () =>
    called([keyService, context()], async (...args) =>
      decrypted(encrypted().pipeThrough(await library.rewrapHeader(...args))),
    ),
  readFileInfo: () => called([encrypted()], library.readFileInfo),
  recipientOf: () => called([id], async (keyId) => library.recipientOf(keyId)),
  keyIdOfRecipient: () => called([library.recipientOf(id)], async (text) => library.keyIdOfRecipient(text)),
  DataKeys: () =>
    called([{ maxAgeMs: 60_000, maxMessages: 5, maxBytes: 3, maxKeys: 5 }], async (limits) => {
      const made = await new library.DataKeys(keyService, limits);
      return made.encrypt(id, bytes());
    }),
  'DataKeys.encrypt': () =>
    called([id, bytes(), place()], async (...args) => dataKeys().decrypt(await dataKeys().encrypt(...args), place())),
  'DataKeys.encrypt, with a cached data key': () => {
    const made = dataKeys();
    const cached = made.encrypt(id, bytes(), place());
    return called([id, bytes(), place()], async (...args) => {
      const [, sealed] = await Promise.all([cached, made.encrypt(...args)]);
      return dataKeys().decrypt(sealed, place());
    });
  },
  'DataKeys.decrypt': () => called([record.slice(), place()], async (...args) => dataKeys().decrypt(...args)),
  'DataKeys.rewrap': () => called([record.slice(), place()], async (...args) => dataKeys().rewrap(...args)),
  'DataKeys.forget': () => called([], async () => dataKeys().forget()),
  ...Object.fromEntries(
    Object.entries(METHODS).map(([name, args]) => [`EncryptionService.${name}`, callOf(name, args)]),
  ),
};

function overwrite(value: unknown): void {
  if (value instanceof Uint8Array) value.fill(0xff);
  else if (value instanceof Date) value.setTime(0);
  else if (value instanceof URL) value.href = 'https://changed.example/';
  else if (Array.isArray(value)) {
    value.forEach(overwrite);
    value.fill('changed');
  } else if (value !== keyService && Object.getPrototypeOf(Object(value)) === Object.prototype) {
    for (const [name, member] of Object.entries(Object(value))) {
      overwrite(member);
      Object.assign(Object(value), { [name]: 'changed' });
    }
  }
}

async function outcomeOf(call: Case, change: (value: unknown) => void) {
  const requests: string[] = [];
  const { args, done } = call(requests);
  args.forEach(change);
  const result = await done.catch((error: unknown) => ({ error: String(error) }));
  return { result, requests };
}

test('the next test covers every exported function, class and method', () => {
  const exported = Object.entries(library).flatMap(([name, value]) => {
    const members = Object.getOwnPropertyNames(Object(value).prototype ?? {}).filter((one) => one !== 'constructor');
    return [name, ...members.map((member) => `${name}.${member}`)];
  });
  const covered = new Set(Object.keys(CASES).map((name) => name.replace(/,.*/, '')));
  expect([...covered].sort()).toEqual(exported.sort());
});

test.each(Object.entries(CASES))(
  '%s reads its arguments before it returns: what the caller overwrites afterwards has no effect',
  async (_, call) => {
    expect(await outcomeOf(call, overwrite)).toEqual(await outcomeOf(call, () => undefined));
  },
);
