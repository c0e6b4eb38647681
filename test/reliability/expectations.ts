import { readCases } from '../support/cases.ts';
import { isSilence, type Kind, type Part } from './proxied-service.ts';

/**
 * A call of a route. Calls of the same route can need different dependencies if their credentials or keys differ.
 */
export interface Case {
  /** The method and the path, with `{id}` in place of an id. */
  readonly call: string;
  /** Who makes the call. */
  readonly by: 'api_key' | 'console' | 'nobody' | 'stripe';
  /** The tier of the key in the call. */
  readonly tier?: 'wrapped' | 'software';
  /** The answer without a fault. */
  readonly good: string;
  /** The dependencies that the call needs. */
  readonly dependencies: readonly Part[];
}

/**
 * For each dependency, the answer to calls that need the dependency during its fault. If Firestore or the KMS fails,
 * the answer is an internal error.
 */
const REFUSAL: Readonly<Record<Part, string>> = {
  kms: '500 internal_error',
  firestore: '500 internal_error',
  pdp: '503 unavailable',
  idp: '503 unavailable',
  stripe: '503 unavailable',
};

/**
 * Returns the answers that are allowed during a fault. With the fault `failing`, one call in five fails, so a request
 * may succeed or fail. So it may while open connections are silent: the service replaces them before some deadlines.
 */
export function allowed({ call, good, dependencies }: Case, part: Part, kind: Kind): readonly string[] {
  if (!dependencies.includes(part)) return [good];
  const refusal = call === 'GET /health/ready' ? '503' : REFUSAL[part];
  if (isSilence(kind)) return [good, refusal];
  if (kind !== 'failing') return [refusal];
  // An error in the payment provider's answer counts as an internal error, not as an outage.
  return part === 'stripe' ? [good, refusal, '500 internal_error'] : [good, refusal];
}

const BY = { api_key: ['pdp'], console: ['idp', 'pdp'] } as const;
const TIERS = ['wrapped', 'software'] as const;

/** The calls of the five operations. Wrapped keys do not need the KMS here, because their data key is cached. */
const operations = TIERS.flatMap((tier) =>
  ['encrypt', 'decrypt', 'wrap', 'unwrap', 'rewrap'].map((name): Case => {
    const kms = tier === 'software' ? (['kms'] as const) : [];
    return {
      call: `POST /v1/keys/{id}/${name}`,
      by: 'api_key',
      tier,
      good: '200',
      dependencies: ['firestore', 'pdp', ...kms],
    };
  }),
);

const creations = (['api_key', 'console'] as const).map((by): Case => {
  const tier = by === 'api_key' ? 'software' : 'wrapped';
  return { call: 'POST /v1/keys', by, tier, good: '201', dependencies: ['firestore', ...BY[by], 'kms'] };
});

/** Keys whose material is in the KMS. The case file is about the others. */
const destructions: readonly Case[] = [
  {
    call: 'POST /v1/keys/{id}/destroy',
    by: 'console',
    tier: 'software',
    good: '204',
    dependencies: ['firestore', 'idp', 'pdp', 'kms'],
  },
];

const newcomers: readonly Case[] = [
  { call: 'GET /v1/me', by: 'console', good: '200', dependencies: ['firestore', 'idp'] },
];

/** The calls with an invitation. Any person who has an invitation may make them. */
const invitations: readonly Case[] = [
  { call: 'POST /v1/invitations/preview', by: 'console', good: '200', dependencies: ['firestore', 'idp'] },
  {
    call: 'POST /v1/invitations/accept',
    by: 'console',
    good: '409 already_member',
    dependencies: ['firestore', 'idp'],
  },
];

/**
 * The calls to the payment provider. The tenant has a subscription, so a second subscription is refused after the
 * provider has answered.
 */
const payments: readonly Case[] = [
  {
    call: 'POST /v1/billing/checkout',
    by: 'console',
    good: '409 billing_active',
    dependencies: ['firestore', 'idp', 'pdp', 'stripe'],
  },
  { call: 'POST /v1/billing/portal', by: 'console', good: '200', dependencies: ['firestore', 'idp', 'pdp', 'stripe'] },
  { call: 'POST /v1/webhooks/stripe', by: 'stripe', good: '200', dependencies: ['firestore', 'stripe'] },
];

/** The calls of Transit routes. If the tier makes a difference, `POST` uses a wrapped key and `PUT` a software key. */
const transit = (['POST', 'PUT'] as const).flatMap((method): Case[] => {
  const tier = method === 'POST' ? 'wrapped' : 'software';
  const kms = method === 'PUT' ? (['kms'] as const) : [];
  const common = { by: 'api_key', tier, good: '200' } as const;
  const using = ['encrypt', 'decrypt', 'rewrap', 'datakey/plaintext', 'datakey/wrapped'];
  return [
    ...using.map((name): Case => {
      return { ...common, call: `${method} /v1/transit/${name}/{name}`, dependencies: ['firestore', 'pdp', ...kms] };
    }),
    ...['', '/rotate'].map((change): Case => {
      return {
        ...common,
        call: `${method} /v1/transit/keys/{name}${change}`,
        dependencies: ['firestore', 'pdp', 'kms'],
      };
    }),
    { ...common, call: `${method} /v1/auth/token/renew-self`, dependencies: ['firestore'] },
  ];
});

const transitReads = ['keys', 'keys/{name}'].map((name) => `GET /v1/transit/${name}`);
const transitLookups = [...transitReads, 'GET /v1/auth/token/lookup-self'].map((call): Case => {
  return { call, by: 'api_key', tier: 'wrapped', good: '200', dependencies: ['firestore'] };
});

/** The calls of the operations with a case file. */
const ofCases = (await readCases()).flatMap(({ call, credential, good, dependencies }): Case[] =>
  credential === 'none'
    ? [{ call, by: 'nobody', good, dependencies }]
    : [
        ...(credential === 'either' ? ([{ call, by: 'api_key', tier: 'software', good, dependencies }] as const) : []),
        { call, by: 'console', tier: 'wrapped', good, dependencies: [...dependencies, 'idp'] },
      ],
);

/** The calls of every route of the service. A route has several calls if a fault can affect them differently. */
export const CASES: readonly Case[] = [
  ...operations,
  ...creations,
  ...destructions,
  ...newcomers,
  ...invitations,
  ...payments,
  ...transit,
  ...transitLookups,
  ...ofCases,
];
