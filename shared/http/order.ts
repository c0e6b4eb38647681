import {
  findSender,
  identify,
  presentCredential,
  refuseOutsideFirewall,
  refuseOverRate,
  refuseWrongSecret,
} from '../auth/authenticate.ts';
import { refuseAction, refuseRole } from '../auth/authorize.ts';
import type { Resource } from '../auth/policy.ts';
import { prefetch } from '../base/prefetch.ts';
import { ERROR_CODES, type ErrorCode, notFound } from '../errors.ts';
import { isOwn, refuseFrozen, refuseKeyList, refusePending, refuseUnlisted } from '../keys/guards.ts';
import { isLive, KEYS, type Key } from '../keys/key.ts';
import { type Metered, refuseCapped, refuseUnpaid } from '../metering/meter.ts';
import { Checks, type Listed } from './checks.ts';
import type { Frame } from './frame.ts';
import type { Request } from './request.ts';
import { actionOf, type Checked, type Credential, isDecidedByRole } from './route.ts';

/** What is known of a request when its checks begin. */
export interface Begun {
  readonly services: Frame;
  readonly request: Request;
  readonly route: Checked;
  /** The body or query, which may still be arriving. */
  readonly input: Promise<unknown>;
}

const KIND_CODES: Readonly<Record<Credential, readonly ErrorCode[]>> = {
  none: [],
  signature: [],
  either: ['no_tenant'],
  api_key: ['no_tenant', 'api_key_required'],
  console: ['no_tenant', 'session_required'],
  person: ['session_required'],
};

/** The checks of every route that needs a credential. */
export const ADMISSION = Checks.of<Begun>()
  .find({
    name: 'the credential is present and well-formed',
    codes: ['unauthorized'],
    check({ services, request, route }) {
      const age = services.startStopwatch();
      const presented = presentCredential(services, request, `${route.id} ${request.pathId}`);
      const keyId = route.lookup?.parse(request.pathId)?.keyId;
      if (presented.credential.kind === 'api_key' && keyId !== undefined) prefetch(presented.reads.find(KEYS, keyId));
      return { age, ...presented };
    },
  })
  .find({
    name: 'the API key is live, and a federation of it matches the ID token; or the access token is valid',
    codes: ['unauthorized'],
    check: async (known) => ({ sender: await findSender(known.services, known) }),
  })
  .refuse({
    name: 'the API key or user is within the rate limit',
    codes: ['rate_limited'],
    check: ({ services, request, sender }) => refuseOverRate(services, request, sender),
  })
  .refuse({
    name: 'the secret of the API key is right',
    codes: ['unauthorized'],
    check: ({ services, sender, secret }) => refuseWrongSecret(services, sender, secret),
  })
  .find({
    name: 'the API key or user, and its tenant, have few enough requests in progress',
    codes: ['unavailable'],
    check: async ({ reads, request, sender }) => ({ identity: await identify(reads, request, sender) }),
  })
  .find({
    name: 'the firewall of the API key allows the address',
    codes: ['ip_not_allowed'],
    async check({ services, reads, request, sender, identity }) {
      await refuseOutsideFirewall(reads, request, identity);
      return { noted: sender.kind === 'api_key' ? services.lastUse.note(sender.apiKey, request.id) : undefined };
    },
  })
  .refuse({
    name: 'the route accepts this kind of credential',
    codes: ['no_tenant', 'api_key_required', 'session_required'],
    codesFor: ({ admits }) => KIND_CODES[admits.credential],
    check: ({ route, identity }) => route.admits.admit(identity),
  });
export type Admitted = Awaited<ReturnType<typeof ADMISSION.run>>;

const PATH = { name: 'the ID or name in the path is well-formed', codes: ['not_found'] } as const;

const BODY = {
  name: 'the body or query is complete and valid',
  codes: ['unsupported_media_type', 'payload_too_large', 'invalid_request', 'invalid_query', 'invalid_period'],
  codesFor: ({ takes }: Checked) => takes.refuses,
  check: ({ input }: Begun) => input,
} as const;

const POLICY = {
  name: 'the policy allows the action of the API key, or the role of the user',
  codes: ['action_not_allowed', 'role_not_allowed'],
  codesFor: (route: Checked): ErrorCode[] => [
    ...(actionOf(route) !== null ? (['action_not_allowed'] as const) : []),
    ...(isDecidedByRole(route.admits.credential, route.method) ? (['role_not_allowed'] as const) : []),
  ],
} as const;

/** Returns the parts of the service that the checks of a route call. */
export function needsOfChecks(route: Checked): readonly (keyof Frame)[] {
  return POLICY.codesFor(route).length > 0 ? ['store', 'policy'] : ['store'];
}

export const ON_KEY_PATH = ADMISSION.find({
  ...PATH,
  check(admitted) {
    const { request, route } = admitted;
    const named = route.lookup?.parse(request.pathId);
    if (named === undefined) throw notFound();
    return { ...named, stored: prefetch(findReachable(admitted)) };
  },
});
type OnKey = Awaited<ReturnType<typeof ON_KEY_PATH.run>>;

export const ON_KEY = Checks.of<OnKey>()
  .refuse({
    name: 'the key is in the key list of the API key',
    codes: ['key_not_allowed'],
    codesFor: ({ admits }) => (admits.credential === 'console' ? [] : ['key_not_allowed']),
    check: async ({ identity, keyId, stored }) => refuseUnlisted(identity, keyId ?? (await stored)?.id),
  })
  .refuse({
    ...POLICY,
    check: (known) =>
      refuseByPolicy(known, async () => {
        const key = await known.stored;
        return { keyId: known.keyId ?? key?.id ?? 'none', tier: key?.tier ?? null };
      }),
  })
  .refuse(BODY)
  .find({
    name: 'the key exists and the caller can reach it',
    codes: ['not_found'],
    async check({ stored, route }) {
      const key = await stored;
      if (key === undefined) throw notFound(route.lookup?.missing);
      return { key };
    },
  });
export type WithKey = Awaited<ReturnType<typeof ON_KEY.run>>;

export const ON_NEW_KEY_BODY = ADMISSION.refuse(BODY);

export const ON_NEW_KEY = Checks.of<Admitted>()
  .refuse({
    name: 'the API key has no key list',
    codes: ['key_not_allowed'],
    check: ({ identity }) => refuseKeyList(identity),
  })
  .refuse({ ...POLICY, check: (known) => refuseByPolicy(known, async () => ({ keyId: 'new', tier: null })) });

export const ON_OBJECT_PATH = ADMISSION.refuse({
  ...PATH,
  check({ route, request }) {
    if (route.target?.parse(request.pathId) === undefined) throw notFound();
  },
});

export const ON_OBJECT = Checks.of<Admitted>()
  .refuse({ ...POLICY, check: (known) => refuseByPolicy(known) })
  .refuse(BODY);

/** The checks of one value of a metered operation. They come after {@link ON_KEY} and before the cryptography. */
export const ON_VALUE = Checks.of<Metered & { readonly fields: Promise<unknown> }>()
  .refuse({
    name: 'the fields are valid',
    codes: ['invalid_base64', 'payload_too_large'],
    check: ({ fields }) => fields,
  })
  .refuse({
    name: 'the key is not pending deletion',
    codes: ['key_pending_deletion'],
    check: ({ key, clock }) => refusePending(key, clock),
  })
  .refuse({ name: 'the key is not frozen', codes: ['key_frozen'], check: ({ key }) => refuseFrozen(key) })
  .refuse({
    name: 'billing is in good standing, if the operation makes ciphertext with a paid key',
    codes: ['billing_required'],
    codesFor: ({ makesCiphertext }) => (makesCiphertext ? ['billing_required'] : []),
    check: refuseUnpaid,
  })
  .refuse({
    name: 'the cap of the month is not reached',
    codes: ['ops_cap_reached'],
    check: refuseCapped,
  });

/** Reads the key that the path names. Returns `undefined` if the caller can reach no such key. */
async function findReachable({ route, request, reads, identity }: Admitted): Promise<Key | undefined> {
  if (identity.kind === 'newcomer') return undefined;
  const key = await route.lookup?.find(reads, identity, request.pathId);
  if (key === undefined || !isOwn(key, identity)) return undefined;
  return isLive(key) || (route.destroyedToo && key.state === 'destroyed') ? key : undefined;
}

/** Asks about the action on a key, for an API key, or about the role, for a member. */
async function refuseByPolicy(
  { services: { policy }, route, request, identity }: Admitted,
  resource: () => Promise<Resource> = async () => ({ keyId: 'none', tier: null }),
): Promise<void> {
  const action = actionOf(route);
  if (identity.kind === 'api_key' && action !== null) await refuseAction(policy, identity, action, await resource());
  if (identity.kind !== 'session' || !isDecidedByRole(route.admits.credential, route.method)) return;
  if (!route.isOwn?.(identity, request.pathId)) await refuseRole(policy, identity, route.id);
}

/** The codes that any check can fail with. */
const FAILURES: readonly ErrorCode[] = ['internal_error', 'unavailable'];

/** Returns the error codes of a route in the order of `ERROR_CODES`: those of its checks, and its handler's `own`. */
export function refusalsOf(route: Checked, checks: readonly Listed[], own: readonly ErrorCode[] = []): ErrorCode[] {
  const ofChecks = checks.flatMap(({ codes, codesFor }) => codesFor?.(route) ?? codes);
  const refusals = new Set([...FAILURES, ...ofChecks, ...own]);
  return ERROR_CODES.filter((code) => refusals.has(code));
}
