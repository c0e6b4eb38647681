import { ERROR_CODES, type ErrorCode } from '../errors.ts';
import { refuseFrozen, refuseKeyList, refusePending, refuseUnlisted } from '../keys/guards.ts';
import type { Key } from '../keys/key.ts';
import { type Meter, refuseCapped, refuseUnpaid } from '../metering/meter.ts';
import type { Services } from '../services.ts';
import type { RequestFacts } from './request-facts.ts';
import { actionOf, type Checked, type Credential, isDecidedByRole } from './route.ts';

export interface Step {
  readonly name: string;
  readonly routes: Routes;
  /** The error codes of the check. `codesFor` returns those that are possible on one route. */
  readonly codes: readonly ErrorCode[];
  readonly codesFor?: (route: Checked) => readonly ErrorCode[];
  /** Whether a refusal by this check is written to the audit log. */
  readonly recorded?: true;
  check(facts: RequestFacts): Promise<unknown>;
}

const ROUTES = {
  'every route': () => true,
  'that need a credential': ({ admits }: Checked) => admits.credential !== 'none',
  'with a resource ID or name in the path': ({ subject }: Checked) => subject === 'key' || subject === 'resource',
  'about a key': ({ subject }: Checked) => subject === 'key',
  'about a key, when called with an API key': ({ subject, admits }: Checked) =>
    subject === 'key' && admits.credential !== 'console',
  'that create a key': ({ subject }: Checked) => subject === 'new key',
  'all except those that create a key': ({ subject }: Checked) => subject !== 'new key',
  'that need an action or a role': (route: Checked) =>
    actionOf(route) !== null || isDecidedByRole(route.admits.credential, route.method),
} as const;
type Routes = keyof typeof ROUTES;

const KIND_CODES: Readonly<Record<Credential, readonly ErrorCode[]>> = {
  none: [],
  signature: [],
  either: ['no_tenant'],
  api_key: ['no_tenant', 'api_key_required'],
  console: ['no_tenant', 'session_required'],
  person: ['session_required'],
};

const body = {
  name: 'the body or query is complete and valid',
  codes: ['unsupported_media_type', 'payload_too_large', 'invalid_request', 'invalid_query', 'invalid_period'],
  codesFor: ({ takes }: Checked) => takes.refuses,
  check: ({ input }: RequestFacts) => input,
} as const;

/** The checks before the handler, in order. For the creation of a key, the body is parsed before authorization. */
export const STEPS: readonly Step[] = [
  {
    name: 'the credential is present and well-formed',
    routes: 'that need a credential',
    codes: ['unauthorized'],
    check: ({ credential }) => credential(),
  },
  {
    name: 'the credential is valid, within its limits, and its firewall allows the address',
    routes: 'that need a credential',
    codes: ['unauthorized', 'rate_limited', 'ip_not_allowed'],
    check: async ({ identified }) => (await identified()).firewall,
  },
  {
    name: 'the route accepts this kind of credential',
    routes: 'that need a credential',
    codes: ['no_tenant', 'api_key_required', 'session_required'],
    codesFor: ({ admits }) => KIND_CODES[admits.credential],
    check: ({ caller }) => caller(),
  },
  {
    name: 'the ID or name in the path is well-formed',
    routes: 'with a resource ID or name in the path',
    codes: ['not_found'],
    check: ({ path }) => path(),
  },
  { ...body, routes: 'that create a key' },
  {
    name: 'the API key has no key list',
    routes: 'that create a key',
    codes: ['key_not_allowed'],
    recorded: true,
    check: async ({ identified }) => refuseKeyList((await identified()).identity),
  },
  {
    name: 'the key is in the key list of the API key',
    routes: 'about a key, when called with an API key',
    codes: ['key_not_allowed'],
    recorded: true,
    check: async ({ identified, keyId }) => refuseUnlisted((await identified()).identity, await keyId()),
  },
  {
    name: 'the policy allows the action of the API key, or the role of the user',
    routes: 'that need an action or a role',
    codes: ['action_not_allowed', 'role_not_allowed'],
    codesFor: (route) => [
      ...(actionOf(route) !== null ? (['action_not_allowed'] as const) : []),
      ...(isDecidedByRole(route.admits.credential, route.method) ? (['role_not_allowed'] as const) : []),
    ],
    recorded: true,
    check: ({ allowed }) => allowed(),
  },
  { ...body, routes: 'all except those that create a key', recorded: true },
  {
    name: 'the key exists and the caller can reach it',
    routes: 'about a key',
    codes: ['not_found'],
    recorded: true,
    check: ({ key }) => key(),
  },
];

export interface ValueFacts {
  readonly services: Pick<Services, 'clock'>;
  readonly key: Key;
  readonly meter: Meter;
  readonly before: number;
  readonly prepared: Promise<unknown>;
}

interface ValueStep extends Pick<Step, 'name' | 'codes'> {
  /** Whether the check applies only to operations that make new ciphertext. */
  readonly onlyNewCiphertext?: true;
  check(facts: ValueFacts): Promise<unknown>;
}

/** The additional checks of a metered operation. They come after {@link STEPS} and before the cryptography. */
export const VALUE_STEPS: readonly ValueStep[] = [
  { name: 'the fields are valid', codes: ['invalid_base64', 'payload_too_large'], check: ({ prepared }) => prepared },
  {
    name: 'the key is not pending deletion',
    codes: ['key_pending_deletion'],
    check: async ({ key, services }) => refusePending(key, services.clock),
  },
  { name: 'the key is not frozen', codes: ['key_frozen'], check: async ({ key }) => refuseFrozen(key) },
  {
    name: 'billing is in good standing',
    codes: ['billing_required'],
    onlyNewCiphertext: true,
    check: ({ meter }) => refuseUnpaid(meter),
  },
  {
    name: 'the cap of the month is not reached',
    codes: ['ops_cap_reached'],
    check: ({ meter, key, before }) => refuseCapped(meter, key, before),
  },
];

export const BEFORE_ROUTING = [
  { name: 'the request names exactly one host', codes: ['invalid_request'] },
  { name: 'there is a route with this path and method', codes: ['not_found', 'method_not_allowed'] },
] as const;

/** The codes that every route can answer. */
export const OF_ANY_REQUEST: readonly ErrorCode[] = BEFORE_ROUTING[0].codes;

/** The codes that any check can fail with. */
const FAILURES: readonly ErrorCode[] = ['internal_error', 'unavailable'];

/** Returns the checks of a route in order, each with the error codes that the route can answer. */
export function stepsOf(route: Checked): Step[] {
  return STEPS.filter(({ routes }) => ROUTES[routes](route)).map((step) => {
    return { ...step, codes: step.codesFor?.(route) ?? step.codes };
  });
}

/** Returns the error codes of a route with a credential in the order of `ERROR_CODES`. `own` are the handler's codes. */
export function refusalsOf(route: Checked, own: readonly ErrorCode[] = []): ErrorCode[] {
  const ofSteps = stepsOf(route).flatMap(({ codes }) => codes);
  const refusals = new Set([...OF_ANY_REQUEST, ...FAILURES, ...ofSteps, ...own]);
  return ERROR_CODES.filter((code) => refusals.has(code));
}
