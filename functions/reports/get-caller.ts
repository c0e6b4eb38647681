import { z } from 'zod';
import { workloadAnswer } from '../../shared/audit/view.ts';
import { EITHER } from '../../shared/auth/admission.ts';
import { nothing } from '../../shared/http/input.ts';
import { actionSchema } from '../../shared/operations.ts';
import { plainAddress } from '../../shared/tenancy/networks.ts';
import { roleSchema } from '../../shared/tenancy/role.ts';
import { needs } from '../needs.ts';

const callerAnswer = z
  .object({
    kind: z
      .enum(['api_key', 'session'])
      .describe('Whether the credential is an API key or the access token of a user.'),
    id: z.uuid().describe('The ID of the API key or of the user.'),
    name: z.string().nullable().describe("The name of the API key, or the user's name from the identity provider."),
    role: roleSchema.nullable().describe('The role of the user; `null` for an API key.'),
    container_id: z.uuid().nullable().describe('The container whose keys the API key can reach.'),
    allowed_actions: z.array(actionSchema).nullable().describe('What the API key may do with keys.'),
    key_ids: z.array(z.uuid()).nullable().describe('The only keys that the API key may use, if it has a key list.'),
    firewall_id: z.uuid().nullable().describe('The firewall of the API key, if it has one.'),
    address: z.string().nullable().describe('The address that the request came from, as a firewall sees it.'),
    workload: workloadAnswer.nullable().describe('The workload that presented its ID token, or `null`.'),
  })
  .meta({
    id: 'Caller',
    description: 'Who the caller is. A field that does not apply to this kind of caller is `null`.',
  });

/** Requires no allowed action and writes no audit row, so any caller can find out why other requests are refused. */
export const getCallerRoute = needs().route({
  id: 'get_caller',
  method: 'GET',
  path: '/v1/caller',
  summary: 'Get the caller',
  description:
    'Returns who the caller is, what they may do, and the address that the request came from. Use it to find out why other requests are refused.',
  tag: 'Account',
  admits: EITHER,
  takes: nothing,
  status: 200,
  answer: callerAnswer,
  async handle(_, { caller, clientAddress }) {
    const none = {
      name: null,
      role: null,
      container_id: null,
      allowed_actions: null,
      key_ids: null,
      firewall_id: null,
      workload: null,
      address: clientAddress === undefined ? null : plainAddress(clientAddress),
    };
    if (caller.kind === 'session') {
      return { kind: caller.kind, id: caller.userId, ...none, name: caller.person.name, role: caller.role };
    }
    return {
      kind: caller.kind,
      id: caller.apiKeyId,
      ...none,
      name: caller.name,
      container_id: caller.containerId,
      allowed_actions: [...caller.allowedActions],
      key_ids: caller.keyIds && [...caller.keyIds],
      firewall_id: caller.firewallId,
      workload: caller.workload,
    };
  },
});
