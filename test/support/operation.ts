import { randomUUID } from 'node:crypto';
import { test as base, beforeAll, describe, expect, inject } from 'vitest';
import type { z } from 'zod';
import { consoleOriginOf, portsOf } from '../../emulators/stack/ports.ts';
import { everyRoute } from '../../functions/routes.ts';
import { eventsOfTenant } from './audit.ts';
import { BAD_BODIES, BAD_TRANSIT_BODIES, badCredentials, stateOf, withWrongSecret } from './bad-credentials.ts';
import { type Cases, type Change, fillPath, type GoodRequest, methodOf, noteCases, pathOf, sendCall } from './cases.ts';
import { type Addresses, type Answer, type Extras, outcome, send, text } from './client.ts';
import { read } from './objects.ts';
import { codesIn, dereference, documentObject, fieldFaults } from './openapi-document.ts';
import { sendRaw } from './raw.ts';
import { expectRefusal } from './refusal.ts';
import { codeOf } from './seen.ts';
import { join } from './team.ts';
import { Client, makeContainer, makeTenant, named, signIn, type Tenant } from './tenant.ts';

/** A test that can use the shared stack, and a tenant of its file, which has a subscription. */
export const test = base
  .extend('stack', () => inject('stack'))
  .extend('tenant', { scope: 'file' }, () => makeTenant(inject('stack')));

/** The callers whose requests an operation accepts or refuses, by what the tests call them. */
interface Callers {
  readonly owner: Client;
  readonly admin: Client;
  readonly auditor: Client;
  readonly newcomer: Client;
  readonly apiKey: Client;
  /** API keys without actions. A firewall refuses every request of `outside`. */
  readonly outside: Client;
  readonly powerless: Client;
  /** An API key without actions that can use only a key which no request names. */
  readonly listed: Client;
  readonly nobody: Client;
}

/** A request that the operation must refuse. */
interface Attempt {
  readonly why: string;
  readonly by: Client;
  readonly id?: string;
  readonly keyId?: string;
  readonly query?: string;
  readonly extras?: Extras;
  readonly expected: string;
  readonly isRecorded?: boolean;
}

const GARBAGE: Extras = { raw: '{', headers: { 'content-type': 'text/plain' } };
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
/** Codes of faults and overload, which other tests cause. */
const NOT_HERE = ['internal_error', 'unavailable', 'rate_limited'];
const ALL = { identity: true, billing: true, transit: true, sealing: true } as const;

/**
 * Registers the tests of an operation: those that follow from its cases, and then `own`, the tests of its further rules.
 * `own` must register all tests of the file, because other tests read the cases without running the file's tests.
 */
export function operation(cases: Cases, own: () => void = () => {}): void {
  if (noteCases(cases)) return;
  describe(cases.call, () => {
    const stack = inject('stack');
    let tenant: Tenant;
    let other: Tenant;
    let callers: Callers;
    let document: z.output<typeof documentObject>;
    beforeAll(async () => {
      [tenant, other, document] = await Promise.all([makeTenant(stack), makeTenant(stack), readDocument(stack)]);
      callers = await callersOf(tenant);
    });
    const documented = () => {
      const found = document.paths[pathOf(cases.call)]?.[methodOf(cases.call).toLowerCase()];
      if (found === undefined) throw new Error(`${cases.call} is not documented`);
      return found;
    };

    test(`answers ${cases.good} to every caller who may call it, with the documented fields${cases.event === undefined ? '' : `, and records ${cases.event}`}`, async () => {
      const answers = await Promise.all(
        acceptedOf(cases).map(async (name) => {
          const request = await cases.request(tenant, 'wrapped');
          const upper = hasId(cases) && request.id !== undefined ? { id: request.id.toUpperCase() } : {};
          return { name, request, answer: await sendCall(callers[name], cases.call, { ...request, ...upper }) };
        }),
      );
      const events = await eventsOfTenant(tenant.console);
      for (const { name, request, answer } of answers) {
        expect(`${name}: ${outcome(answer)}`).toBe(`${name}: ${cases.good}`);
        expect(faultsOfAnswer(document, documented(), answer), name).toEqual([]);
        const recorded = events.filter(({ request_id }) => request_id === answer.headers.get('x-request-id'));
        expect(recorded, name).toMatchObject(
          cases.event === undefined ? [] : [successOf(cases, name, request, answer)],
        );
      }
    });

    test('refuses in the order of its checks, changes nothing, and records only refusals of callers who reach it', async () => {
      const good = await cases.request(tenant, 'wrapped');
      const lost = await lostIds(cases, tenant, other);
      const attempts = [
        ...(await credentialAttempts(cases, tenant, callers)),
        ...sharedAttempts(cases, callers),
        ...(await ownAttempts(cases, tenant, callers, good, lost)),
      ];
      const states = async () => {
        const { '/v1/audit?limit=1000': _, ...own } = await stateOf(tenant);
        return [own, await stateOf(other)];
      };
      const [before, { length: eventsBefore }] = [await states(), await eventsOfTenant(tenant.console)];
      const answers = await Promise.all(
        attempts.map(({ by, id = good.id ?? '', query = good.query ?? '', extras = { body: good.body } }) =>
          sendCall(by, cases.call, { id, query }, extras),
        ),
      );
      const after = await states();
      const rows = await eventsOfTenant(tenant.console);
      const found = answers.map((answer, at) => {
        const row = rows.find(({ request_id }) => request_id === answer.headers.get('x-request-id'));
        const recorded = row && `, recorded as ${row.operation} ${row.error_code} about ${row.target_id ?? row.key_id}`;
        return `${attempts[at]?.why}: ${outcome(answer)}${recorded ?? ''}`;
      });
      const expected = attempts.map(({ why, id, keyId, expected, isRecorded }) => {
        const found = keyId ?? id ?? good.keyId ?? good.id ?? (cases.isAboutTenant ? tenant.id : null);
        const target = isNewKey(cases) ? null : found;
        return `${why}: ${expected}${isRecorded ? `, recorded as ${cases.event} ${expected.split(' ')[1]} about ${target}` : ''}`;
      });
      expect(found).toEqual(expected);
      for (const [at, answer] of answers.entries()) expectRefusal(answer, attempts[at]?.expected ?? '');
      for (const answer of answers) {
        expect(answer.headers.get('www-authenticate')).toBe(answer.status === 401 ? 'Bearer' : null);
      }
      expect(after).toEqual(before);
      expect(rows).toHaveLength(eventsBefore + attempts.filter(({ isRecorded }) => isRecorded).length);
      const seen = new Set([...answers.map(({ body }) => codeOf(body)), ...ROUTING_CODES]);
      const listed = codesIn(document, documented().responses).filter((code) => !NOT_HERE.includes(code));
      expect([...seen].sort(), 'the codes that the OpenAPI document lists').toEqual(listed.sort());
    });

    test('answers only its methods, refuses an unclear host, and lets only the console’s origin read it', async () => {
      const target = fillPath(pathOf(cases.call), randomUUID());
      const methods = methodsOf(cases.call);
      const refused = METHODS.filter((method) => !methods.includes(method));
      const unsupported = await Promise.all(refused.map((method) => sendRaw(stack, `${method} ${target}`)));
      expect(unsupported.map(({ status }) => status)).toEqual(refused.map(() => 405));
      for (const answer of unsupported) expect(answer.headers.get('allow')?.split(', ').sort()).toEqual(methods);
      const hosts = await sendRaw(stack, `${methodOf(cases.call)} ${target}`, ['host: another']);
      expectRefusal(hosts, '400 invalid_request');
      const origin = consoleOriginOf(portsOf(stack));
      const preflight = (from: string) =>
        sendRaw(stack, `OPTIONS ${target}`, [`origin: ${from}`, `access-control-request-method: ${methods[0]}`]);
      const [allowed, strange] = [await preflight(origin), await preflight('http://example.com')];
      expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([204, origin]);
      expect(allowed.headers.get('access-control-allow-methods')?.split(', ').sort()).toEqual(methods);
      expectRefusal(strange, '405 method_not_allowed');
      expect(strange.headers.get('access-control-allow-origin')).toBeNull();
    });

    test('is documented with its credentials, body and parameters, all optional in the query', () => {
      const { security, requestBody, parameters = [] } = documented();
      expect([...new Set([security].flat().flatMap((scheme) => Object.keys(Object(scheme))))].sort()).toEqual([
        ...SCHEMES[cases.credential],
        ...(cases.transit ? ['x-vault-token'] : []),
      ]);
      expect(Object(requestBody).required).toBe(cases.body && cases.body === 'required');
      const inPath = parameters.filter((one) => one.in === 'path').map(({ name }) => `{${name}}`);
      expect(inPath).toEqual(pathOf(cases.call).match(/\{\w+\}/g) ?? []);
      const inQuery = parameters.filter((one) => one.in === 'query');
      expect(inQuery.map(({ name }) => name).sort()).toEqual([...(cases.query ?? [])].sort());
      expect(inQuery.filter(({ required }) => required)).toEqual([]);
    });

    if (cases.good === '204') {
      test('of ten requests at once, one gets 204 and is recorded, and the others get 404', async () => {
        const request = await cases.request(tenant, 'wrapped');
        const answers = await Promise.all(
          Array.from({ length: 10 }, () => sendCall(callers.owner, cases.call, request)),
        );
        expect(answers.map(outcome).sort()).toEqual(['204', ...Array(9).fill('404 not_found')]);
        const ids = answers.map(({ headers }) => headers.get('x-request-id'));
        const rows = (await eventsOfTenant(tenant.console)).filter(({ request_id }) => ids.includes(request_id));
        expect(rows).toMatchObject([{ operation: cases.event, result: 'success' }]);
      });
    }

    if (methodOf(cases.call) === 'GET') {
      test('answers HEAD like GET, without the body', async () => {
        const { id = '', query = '' } = await cases.request(tenant, 'wrapped');
        const path = `${fillPath(pathOf(cases.call), id)}${query}`;
        const [name = 'nobody'] = acceptedOf(cases);
        const headers = callers[name].token === undefined ? [] : [`authorization: Bearer ${callers[name].token}`];
        const get = await sendRaw(stack, `GET ${path}`, headers);
        const head = await sendRaw(stack, `HEAD ${path}`, headers);
        expect([head.status, head.text]).toEqual([get.status, '']);
        for (const field of ['content-type', 'content-length', 'cache-control']) {
          expect(head.headers.get(field), field).toBe(get.headers.get(field));
        }
      });
    }

    own();
  });
}

const SCHEMES: Readonly<Record<Cases['credential'], readonly string[]>> = {
  none: [],
  api_key: ['bearerAuth'],
  console: ['consoleAuth'],
  newcomer: ['consoleAuth'],
  either: ['bearerAuth', 'consoleAuth'],
};

/** The code of a request with several hosts. */
const ROUTING_CODES = ['invalid_request'];

const documents = new Map<string, Promise<z.output<typeof documentObject>>>();

/** Reads the OpenAPI document of a stack once for all files of this process. */
function readDocument({ baseUrl }: Addresses): Promise<z.output<typeof documentObject>> {
  const before = documents.get(baseUrl);
  if (before !== undefined) return before;
  const reading = send('GET', `${baseUrl}/v1/openapi.json`).then((answer) => read(documentObject, answer));
  documents.set(baseUrl, reading);
  return reading;
}

function methodsOf(call: string): string[] {
  const methods = everyRoute(ALL)
    .filter(({ path }) => path === pathOf(call))
    .map(({ method }) => method);
  return [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])].sort();
}

function acceptedOf({ credential, roles = [], ofMember }: Cases): (keyof Callers)[] {
  if (credential === 'none') return ['nobody'];
  if (credential === 'newcomer') return ['newcomer', ...(ofMember === undefined ? (['owner'] as const) : [])];
  return [...(credential === 'console' ? [] : (['apiKey'] as const)), ...roles];
}

async function callersOf(tenant: Tenant): Promise<Callers> {
  const { console, api, createKey, mint } = tenant;
  const away = { name: 'away', allowed_ips: ['192.0.2.0/24'] };
  const firewall_id = text(await console.send('POST', '/v1/firewalls', away), 'id');
  const [admin, auditor, newcomer, outside, powerless, listed] = await Promise.all([
    join(tenant, 'admin'),
    join(tenant, 'auditor'),
    signIn(console.stack, randomUUID()),
    mint({ firewall_id, allowed_actions: [] }),
    mint({ allowed_actions: [] }),
    createKey('wrapped').then((key) => mint({ key_ids: [key], allowed_actions: [] })),
  ]);
  return {
    owner: console,
    admin: admin.session,
    auditor: auditor.session,
    newcomer,
    apiKey: api,
    outside: outside.client,
    powerless: powerless.client,
    listed: listed.client,
    nobody: new Client(console.stack, undefined),
  };
}

/**
 * Returns ids or names of objects that the first caller cannot reach: an unknown one, another tenant's, a destroyed key,
 * another container's.
 */
async function lostIds(cases: Cases, tenant: Tenant, other: Tenant): Promise<string[]> {
  if (!findsObject(cases)) return [];
  const { id = '' } = await cases.request(other, 'wrapped');
  if (!isOnKeys(cases)) return [randomUUID(), id];
  const { console, createKey } = tenant;
  const { name } = named();
  const destroyed = await createKey('wrapped', name);
  await console.send('POST', `/v1/keys/${destroyed}/destroy`);
  const lost = [randomUUID(), id, ...(cases.readsDestroyed ? [] : [hasId(cases) ? destroyed : name])];
  if (cases.credential === 'console') return lost;
  const body = { ...named(), tier: 'wrapped', container_id: await makeContainer(tenant) };
  const made = await console.send('POST', '/v1/keys', body);
  return [...lost, text(made, hasId(cases) ? 'id' : 'name')];
}

function isOnKeys({ call }: Pick<Cases, 'call'>): boolean {
  return /^\/v1\/(keys|transit)/.test(pathOf(call));
}

/** A new key has no id, so its body is read before the key list and the action are checked. */
function isNewKey({ call }: Pick<Cases, 'call'>): boolean {
  return /^(POST|PUT) \/v1\/(transit\/)?keys(\/\{name\})?$/.test(call);
}

function hasId({ call }: Pick<Cases, 'call'>): boolean {
  return call.includes('{id}');
}

/** Returns whether the operation looks up the object whose id or name is in the path. */
function findsObject(cases: Pick<Cases, 'call'>): boolean {
  return hasId(cases) || (cases.call.includes('{name}') && !isNewKey(cases));
}

/** Returns the event of a success. */
function successOf(
  { call, event, changes }: Cases,
  name: keyof Callers,
  request: GoodRequest,
  { body }: Answer,
): object {
  const id =
    request.keyId ?? (isNewKey({ call }) ? (Object(body).id ?? Object(body).data?.id) : request.id) ?? Object(body).id;
  const target = isOnKeys({ call }) ? { key_id: id, target_id: null } : { key_id: null, target_id: id };
  const by = name === 'apiKey' ? { user_id: null } : { api_key_id: null, user_id: expect.any(String) };
  return { operation: event, result: 'success', error_code: null, ...target, ...by, changes: changes ?? null };
}

type Operation = z.output<typeof documentObject>['paths'][string][string];

/** Returns the differences between an answer and the documented answer, as lines. */
function faultsOfAnswer(document: unknown, { responses }: Operation, { status, headers, body }: Answer): string[] {
  const { content } = Object(dereference(document, responses[String(status)]));
  if (body === undefined) return content === undefined ? [] : ['no body'];
  const type = headers.get('content-type') ?? '';
  const { schema } = Object(content?.[type]);
  return schema === undefined ? [`a body of type ${type}`] : fieldFaults(document, schema, body);
}

/** Returns requests of callers whom the operation refuses before it reads the path. */
async function credentialAttempts(
  cases: Cases,
  tenant: Tenant,
  { outside, newcomer, owner, apiKey }: Callers,
): Promise<Attempt[]> {
  const { credential } = cases;
  if (credential === 'none') return [];
  const unauthorized = cases.transit ? '403 unauthorized' : '401 unauthorized';
  const bad = Object.entries(await badCredentials(tenant));
  const wrongOutside = new Client(outside.stack, withWrongSecret(outside.token ?? ''));
  const refused: [why: string, by: Client, expected: string][] = [
    ...bad.map(([kind, by]): [string, Client, string] => [kind, by, unauthorized]),
    ['wrong secret outside the firewall', wrongOutside, unauthorized],
    ['outside the firewall', outside, '403 ip_not_allowed'],
  ];
  if (credential !== 'newcomer') refused.push(['without a tenant', newcomer, '403 no_tenant']);
  if (credential === 'api_key') refused.push(['a session', owner, '403 api_key_required']);
  else if (credential !== 'either') refused.push(['an API key', apiKey, '403 session_required']);
  const extras = garbageFor(cases);
  return refused.map(([why, by, expected]) => ({ why, by, id: 'x', query: '?a=1&a=2', extras, expected }));
}

/** Returns an unreadable body, except for requests with GET, which cannot have a body. */
function garbageFor({ call }: Cases): Extras {
  return methodOf(call) === 'GET' ? {} : GARBAGE;
}

/** Returns requests that the checks refuse which several operations share. */
function sharedAttempts(cases: Cases, callers: Callers): Attempt[] {
  const { body, query = [], transit, event } = cases;
  const [first = 'nobody'] = acceptedOf(cases);
  const [finds, makesKey] = [findsObject(cases), isNewKey(cases)];
  const powerless = powerlessOf(cases);
  const garbage = garbageFor(cases);
  const unknown = finds ? { id: randomUUID() } : {};
  const attempts: Attempt[] = [];
  for (const name of hasId(cases) ? [...powerless.map(([one]) => one), first] : []) {
    attempts.push({ why: 'a malformed id', by: callers[name], id: 'x', extras: garbage, expected: '404 not_found' });
  }
  for (const [name, expected] of powerless) {
    const extras = makesKey ? { body: { name: '', tier: 'gold' } } : garbage;
    const refused = { why: name, by: callers[name], extras, expected };
    attempts.push({ ...refused, isRecorded: event !== undefined });
    if (finds) attempts.push({ ...refused, why: `${name} with an unknown id`, ...unknown });
  }
  const senders = [first, ...(makesKey ? powerless.map(([name]) => name) : [])];
  const bad = transit && body ? BAD_TRANSIT_BODIES : body === 'required' ? BAD_BODIES : [];
  for (const [expected, why, extras] of bad) {
    const refused = (name: keyof Callers) => ({ why: `${name}: ${why}`, by: callers[name], extras, expected });
    attempts.push(...senders.map((name) => ({ ...refused(name), ...unknown })));
    const isRecorded = isOnKeys(cases) && !makesKey && !expected.startsWith('413');
    if (finds) attempts.push({ ...refused(first), isRecorded });
  }
  const repeated = { by: callers[first], query: '?a=1&a=2', expected: '400 invalid_query' };
  if (query.length > 0) attempts.push({ why: 'a repeated parameter', ...repeated, ...unknown });
  return attempts;
}

/** Returns the callers whom the operation refuses because of their rights, in the order of the checks. */
function powerlessOf({ call, credential, roles = [], action }: Cases): [keyof Callers, string][] {
  const usesKey = credential !== 'console' && isOnKeys({ call }) && (findsObject({ call }) || isNewKey({ call }));
  const refusedRoles = (['admin', 'auditor'] as const).filter((role) => roles.length > 0 && !roles.includes(role));
  const refused: [keyof Callers, string][] = usesKey ? [['listed', '403 key_not_allowed']] : [];
  if (action !== undefined) refused.push(['powerless', '403 action_not_allowed']);
  for (const role of refusedRoles) refused.push([role, '403 role_not_allowed']);
  return refused;
}

/**
 * Returns requests that the operation's own checks refuse: one for each refusal, and one for each two neighbors which
 * change different parts of the request. The first of the two must decide.
 */
async function ownAttempts(
  cases: Cases,
  tenant: Tenant,
  callers: Callers,
  { body }: GoodRequest,
  lostIds: readonly string[],
): Promise<Attempt[]> {
  const [first = 'nobody'] = acceptedOf(cases);
  const refusals: Prepared[] = [];
  for (const [expected, change] of cases.refuses ?? []) {
    const isOfTenant = typeof change === 'function';
    refusals.push({ expected, isOfTenant, change: isOfTenant ? await change(tenant) : change });
  }
  // The shape of a body or query is checked before the object is looked up.
  const isOfShape = ({ expected }: Prepared) => /^400 invalid_(request|query|period)$/.test(expected);
  const lost = lostIds.map((id): Prepared => ({ expected: '404 not_found', isOfTenant: true, change: { id } }));
  const inOrder = [...refusals.filter(isOfShape), ...lost, ...refusals.filter((refusal) => !isOfShape(refusal))];
  const attempt = (why: string, expected: string, change: Change, isLost = false): Attempt => {
    const { as, body: changed, extras: own, ...parts } = change;
    // Refused operations on a key are recorded, except if the caller cannot reach the key, or a body or field is too large.
    const isUnrecorded = [
      '404 not_found',
      '413 payload_too_large',
      ...(isNewKey(cases) ? ['400 invalid_request'] : []),
    ];
    const isRecorded =
      cases.event !== undefined && isOnKeys(cases) && as === undefined && !isLost && !isUnrecorded.includes(expected);
    const extras =
      own ?? (body === undefined && changed === undefined ? {} : { body: { ...Object(body), ...changed } });
    return {
      why: `${why}: ${JSON.stringify({ ...parts, ...changed }).slice(0, 100)}`,
      by: as ?? callers[first],
      ...parts,
      extras,
      expected,
      isRecorded,
    };
  };
  const attempts = inOrder.map(({ expected, change }, at) => attempt(`refusal ${at + 1}`, expected, change));
  for (const [at, later] of inOrder.entries()) {
    const earlier = inOrder[at - 1];
    if (earlier === undefined || !canCombine(earlier, later)) continue;
    const bodies = [later.change.body, earlier.change.body].filter((body) => body !== undefined);
    const merged = bodies.length > 0 && { body: Object.assign({}, ...bodies) };
    const both = { ...later.change, ...earlier.change, ...merged };
    attempts.push(attempt(`refusals ${at} and ${at + 1}`, earlier.expected, both, later.expected === '404 not_found'));
  }
  // The first caller of these operations is an API key, which its container keeps from another tenant's objects anyway.
  const [, ofOther] = cases.credential === 'either' ? lostIds : [];
  if (ofOther === undefined) return attempts;
  return [...attempts, attempt('another tenant’s', '404 not_found', { id: ofOther, as: callers.owner })];
}

/** A refusal whose change is ready. `isOfTenant`: the change refers to objects of the tenant. */
interface Prepared {
  readonly expected: string;
  readonly isOfTenant: boolean;
  readonly change: Change;
}

/** Returns whether two changes can be made to the same request: to different parts of it, and in the same tenant. */
function canCombine({ change: earlier, isOfTenant }: Prepared, { change: later }: Prepared): boolean {
  const { body: first, ...parts } = earlier;
  const { body: second, ...others } = later;
  const shares = (one: object = {}, another: object = {}) =>
    Object.keys(one).some((name) => Object.hasOwn(another, name));
  const hasExtras = earlier.extras !== undefined || later.extras !== undefined;
  return !hasExtras && !shares(parts, others) && !shares(first, second) && !(isOfTenant && later.as !== undefined);
}
