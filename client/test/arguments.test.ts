import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ROUTES } from '../src/api/generated.ts';
import * as library from '../src/index.ts';
import { API_KEY, KEY, KEY_JSON } from './support/objects.ts';

// The pauses before retries are random. This mock makes them zero.
beforeEach(() => {
  vi.spyOn(Math, 'random').mockReturnValue(0);
});
afterEach(() => vi.restoreAllMocks());

/** A call that has returned, but has not done its work yet. */
interface Called {
  readonly args: readonly unknown[];
  readonly finish: () => Promise<unknown>;
}

/** Calls a function. `finish` waits for the result, or uses it. */
function called<Args extends unknown[], Result>(
  run: (...args: Args) => Result,
  args: Args,
  finish: (result: Result) => unknown = (result) => result,
): Called {
  const result = run(...args);
  return { args, finish: async () => finish(result) };
}

const bytes = (length = 4) => new Uint8Array(length).fill(7);
const options = () => ({ timeoutMs: 60_000, signal: new AbortController().signal });
const context = () => ({ context: bytes(), ...options() });
const place = () => ({ context: bytes(), recordId: bytes(), signal: new AbortController().signal });
const from = () => new Date('2026-11-20T10:00:00Z');
const firewall = () => ({ name: 'office', container_id: KEY.container_id, allowed_ips: ['192.0.2.0/24', '::/0'] });
const id = KEY.id;

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

const ANSWER = JSON.stringify({
  status: 'ok',
  checks: {},
  ciphertext: 'AQI=',
  plaintext: 'AQI=',
  wrapped: 'AQI=',
  dek: 'AQI=',
});
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

type Service = library.EncryptionService;
const all = (iterable: AsyncIterable<unknown>) => Array.fromAsync(iterable);

/** The methods that need no argument, and those whose only argument is an id. */
const BY_NOTHING = [
  ...(['listKeys', 'getCaller', 'readAuditKey', 'me', 'listMembers', 'listInvitations'] as const),
  ...(['listApiKeys', 'listContainers', 'listFirewalls', 'readBilling', 'startCheckout', 'openPortal'] as const),
  ...(['signIn', 'live', 'ready', 'openapi'] as const),
] as const;
const BY_ID = [
  ...(['getKey', 'deleteKey', 'restoreKey', 'freezeKey', 'thawKey', 'rotateKey'] as const),
  ...(['previewRotation', 'destroyKey', 'removeMember', 'revokeInvitation', 'getApiKey', 'revokeApiKey'] as const),
  ...(['getContainer', 'deleteContainer', 'getFirewall', 'deleteFirewall'] as const),
] as const;
function of<Name extends string>(names: readonly Name[], call: (service: Service, name: Name) => Called) {
  return Object.fromEntries(names.map((name) => [name, (service: Service) => call(service, name)]));
}
const METHODS: Record<string, (service: Service) => Called> = {
  ...of(BY_NOTHING, (s, name) => called((more: library.CallOptions) => s[name](more), [options()])),
  ...of(BY_ID, (s, name) => called((one: string, more: library.CallOptions) => s[name](one, more), [id, options()])),
  createKey: (s) => called(s.createKey.bind(s), [{ name: 'orders', tier: 'software' }, options()]),
  renameKey: (s) => called(s.renameKey.bind(s), [id, { name: 'bills' }, options()]),
  encrypt: (s) => called(s.encrypt.bind(s), [id, { plaintext: bytes(), aad: bytes() }, options()]),
  decrypt: (s) => called(s.decrypt.bind(s), [id, { ciphertext: bytes(), aad: bytes() }, options()]),
  wrap: (s) => called(s.wrap.bind(s), [id, { dek: bytes(32), aad: bytes() }, options()]),
  unwrap: (s) => called(s.unwrap.bind(s), [id, { wrapped: bytes(), aad: bytes() }, options()]),
  rewrap: (s) => called(s.rewrap.bind(s), [id, { ciphertext: bytes(), aad: bytes() }, options()]),
  readUsage: (s) => called(s.readUsage.bind(s), [{ period: '2026-11' }, options()]),
  readUsageDaily: (s) => called(s.readUsageDaily.bind(s), [{ period: '2026-11' }, options()]),
  readAudit: (s) => called(s.readAudit.bind(s), [{ since: from(), limit: 1 }, options()], all),
  readKeyAudit: (s) => called(s.readKeyAudit.bind(s), [id, { since: from(), limit: 1 }, options()], all),
  readAuditSeals: (s) => called(s.readAuditSeals.bind(s), [{ from: 1 }, options()]),
  readAuditRestorations: (s) => called(s.readAuditRestorations.bind(s), [{ from: 1 }, options()]),
  readAuditEntries: (s) => called(s.readAuditEntries.bind(s), [{ from: 1 }, options()]),
  renameTenant: (s) => called(s.renameTenant.bind(s), ['shop', options()]),
  changeRole: (s) => called(s.changeRole.bind(s), [id, 'admin', options()]),
  inviteMember: (s) => called(s.inviteMember.bind(s), [{ role: 'admin', note: 'Ada' }, options()]),
  previewInvitation: (s) => called(s.previewInvitation.bind(s), ['esi_x', options()]),
  acceptInvitation: (s) => called(s.acceptInvitation.bind(s), ['esi_x', options()]),
  createApiKey: (s) =>
    called(s.createApiKey.bind(s), [{ name: 'app', allowed_actions: ['encrypt'], key_ids: [id] }, options()]),
  updateApiKey: (s) => called(s.updateApiKey.bind(s), [id, { allowed_actions: ['wrap'], key_ids: [id] }, options()]),
  createContainer: (s) => called(s.createContainer.bind(s), [{ name: 'eu' }, options()]),
  renameContainer: (s) => called(s.renameContainer.bind(s), [id, { name: 'us' }, options()]),
  createFirewall: (s) => called(s.createFirewall.bind(s), [firewall(), options()]),
  updateFirewall: (s) => called(s.updateFirewall.bind(s), [id, { allowed_ips: ['192.0.2.1'] }, options()]),
  readStatement: (s) => called(s.readStatement.bind(s), [{ period: '2026-11' }, options()]),
};

const contents = () => new Blob(['contents']).stream();
const textOf = (stream: ReadableStream<Uint8Array>) => new Response(stream).text();
const encrypted = () => contents().pipeThrough(library.encryptStream(keyService, id, context()));
const decrypted = (file: ReadableStream<Uint8Array>) =>
  textOf(file.pipeThrough(library.decryptStream(keyService, context())));
const record = await new library.DataKeys(keyService).encrypt(id, bytes(), place());
const dataKeys = () => new library.DataKeys(keyService);

const OTHERS: Record<string, (requests: string[]) => Called> = {
  EncryptionService: (requests) =>
    called(
      (settings: library.EncryptionServiceOptions) => new library.EncryptionService(settings),
      [
        {
          url: new URL('https://api.example.com/base'),
          apiKey: API_KEY,
          fetch: makeFetch(requests, true),
          timeoutMs: 60_000,
          maxRetries: 1,
        },
      ],
      (service) => service.listKeys(),
    ),
  EncryptionServiceError: () =>
    called(
      (...args: ConstructorParameters<typeof library.EncryptionServiceError>) =>
        new library.EncryptionServiceError(...args),
      ['ops_cap_reached', 'reached', { status: 429, requestId: 'a', retryable: true, resetsAt: from() }],
      (error) => ({ ...error }),
    ),
  FormatError: () =>
    called(
      (...args: ConstructorParameters<typeof library.FormatError>) => new library.FormatError(...args),
      ['invalid_record', 'altered'],
      (error) => ({ ...error }),
    ),
  WorkloadError: () =>
    called(
      (...args: ConstructorParameters<typeof library.WorkloadError>) => new library.WorkloadError(...args),
      ['refused', 'no token'],
      (error) => ({ ...error }),
    ),
  workload: () => {
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (url) => new Response(String(url)));
    return called(library.workload.google, [{ apiKeyId: id }], (token) => token());
  },
  diagnose: (requests) =>
    called(library.diagnose, [
      { url: new URL('https://api.example.com'), apiKey: API_KEY, source: 'a key', fetch: makeFetch(requests, false) },
    ]),
  encryptStream: () =>
    called(library.encryptStream, [keyService, id, { ...context(), armor: true }], async (stream) =>
      decrypted(contents().pipeThrough(stream)),
    ),
  decryptStream: () =>
    called(library.decryptStream, [keyService, context()], (stream) => textOf(encrypted().pipeThrough(stream))),
  rewrapHeader: () =>
    called(library.rewrapHeader, [keyService, context()], (stream) => decrypted(encrypted().pipeThrough(stream))),
  readFileInfo: () => called(library.readFileInfo, [encrypted()]),
  recipientOf: () => called(library.recipientOf, [id]),
  keyIdOfRecipient: () => called(library.keyIdOfRecipient, [library.recipientOf(id)]),
  DataKeys: () =>
    called(
      (limits: library.Limits) => new library.DataKeys(keyService, limits),
      [{ maxAgeMs: 60_000, maxMessages: 5, maxBytes: 3, maxKeys: 5 }],
      (made) => made.encrypt(id, bytes()),
    ),
  'DataKeys.encrypt': () => {
    const made = dataKeys();
    return called(made.encrypt.bind(made), [id, bytes(), place()], async (sealed) =>
      dataKeys().decrypt(await sealed, place()),
    );
  },
  'DataKeys.encrypt, with a cached data key': () => {
    const made = dataKeys();
    const cached = made.encrypt(id, bytes(), place());
    return called(made.encrypt.bind(made), [id, bytes(), place()], async (sealed) => {
      await cached;
      return dataKeys().decrypt(await sealed, place());
    });
  },
  'DataKeys.decrypt': () => {
    const made = dataKeys();
    return called(made.decrypt.bind(made), [record.slice(), place()]);
  },
  'DataKeys.rewrap': () => {
    const made = dataKeys();
    return called(made.rewrap.bind(made), [record.slice(), place()]);
  },
  'DataKeys.forget': () => {
    const made = dataKeys();
    return called(made.forget.bind(made), []);
  },
};

const CASES: Record<string, (requests: string[]) => Called> = {
  ...OTHERS,
  ...Object.fromEntries(
    Object.entries(METHODS).map(([name, call]) => [
      `EncryptionService.${name}`,
      (requests: string[]) => {
        const send = makeFetch(requests, true);
        return call(new library.EncryptionService({ url: 'https://api.example.com', apiKey: API_KEY, fetch: send }));
      },
    ]),
  ),
};

/** Overwrites every member of every argument, also bytes, dates and nested members. */
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

async function outcomeOf(call: (requests: string[]) => Called, change: (value: unknown) => void) {
  const requests: string[] = [];
  const { args, finish } = call(requests);
  args.forEach(change);
  const result = await finish().catch((error: unknown) => ({ error: String(error) }));
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
