import { z } from 'zod';
import type { ZodOpenApiOverride } from 'zod-openapi';
import { KEY_LIST_LENGTH } from '../keys/key-list.ts';
import { ACTIONS } from '../operations.ts';
import { CLAIM_TEXT_LENGTH, CLAIMS_PER_FEDERATION, FEDERATIONS } from '../tenancy/federation.ts';
import { INVITATION_TOKEN_LENGTH } from '../tenancy/invitation-token.ts';
import { NAME_LENGTH } from '../tenancy/name.ts';
import { NETWORK_LENGTH, NETWORKS } from '../tenancy/networks.ts';
import { ROLES } from '../tenancy/role.ts';
import { TIERS } from '../tiers.ts';

/*
 * Lengths, enums and formats here are only for the OpenAPI document: handlers check fields in their own order, which
 * decides the error code. Fields with an example appear in the API reference's example request.
 */

export const nameField = z
  .string()
  .meta({ minLength: 1, maxLength: NAME_LENGTH, examples: ['orders'] })
  .describe('No control characters, and not only whitespace.');

export const tierText = z.string().meta({ enum: TIERS });

export const tierField = tierText
  .meta({ examples: ['software'] })
  .describe('The tier decides what protects the key, what it costs, and how many versions it keeps.');

export const idText = z.string().meta({ format: 'uuid' });

export const containerField = idText
  .nullish()
  .describe(
    "The container. The default is the API key's container; for a person, it is the tenant's default container.",
  );

export const actionsField = z
  .array(z.string().meta({ enum: ACTIONS }))
  .nullish()
  .meta({ examples: [['encrypt', 'decrypt']] })
  .describe('What the API key may do with keys.');

export const keyListField = z
  .array(idText)
  .meta({ minItems: 1, maxItems: KEY_LIST_LENGTH })
  .nullish()
  .describe('The only keys that the API key may use. `null` allows all keys of its container.');

export const firewallField = idText
  .nullish()
  .describe('The firewall with the networks that the API key may be used from. `null` allows every network.');

export const expiryField = z
  .string()
  .meta({ format: 'date-time', examples: ['2027-06-30T00:00:00Z'] })
  .nullish()
  .describe('From when on the API key does not work: a future time. `null` means that it does not expire.');

const federation = z.unknown().meta({
  type: 'object',
  properties: {
    issuer: { type: 'string', format: 'uri', description: 'One of `workload_issuers` in `GET /v1/sign-in`.' },
    claims: {
      type: 'object',
      additionalProperties: {
        anyOf: [
          { type: 'string', minLength: 1, maxLength: CLAIM_TEXT_LENGTH },
          { type: 'integer' },
          { type: 'boolean' },
        ],
      },
      minProperties: 1,
      maxProperties: CLAIMS_PER_FEDERATION,
      description: 'The claims that an ID token must have, with exactly these values.',
    },
  },
  required: ['issuer', 'claims'],
  additionalProperties: false,
});

export const federationsField = z
  .array(federation)
  .meta({ maxItems: FEDERATIONS })
  .nullish()
  .describe('The workloads that can use the API key with their ID tokens instead of its token.');

/** Leaves `null` out of the document, for fields whose `null` the handler refuses with its own error code. */
export const withoutNull: ZodOpenApiOverride = ({ jsonSchema }) => {
  const [list] = jsonSchema.anyOf ?? [];
  delete jsonSchema.anyOf;
  Object.assign(jsonSchema, list);
};

export const roleField = z
  .string()
  .meta({ enum: ROLES, examples: ['auditor'] })
  .describe('What the member may do.');

export const noteField = nameField
  .meta({ examples: ['for Bob'] })
  .nullish()
  .describe('Reminds the members what the invitation is for.');

export const invitationTokenField = z
  .string()
  .meta({ maxLength: INVITATION_TOKEN_LENGTH })
  .describe('The token of the invitation.');

export const networksField = z
  .array(z.string().meta({ minLength: 2, maxLength: NETWORK_LENGTH }))
  .meta({ minItems: 1, maxItems: NETWORKS, examples: [['203.0.113.0/24']] })
  .describe(
    'Networks in CIDR notation, such as `203.0.113.0/24`. Without a prefix length, an entry is a single address.',
  );
