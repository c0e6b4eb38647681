import type { ErrorCode } from './errors.ts';

interface Advice {
  /** One or two sentences for callers. */
  readonly meaning: string;
  readonly action: string;
}

export const ADVICE: Readonly<Record<ErrorCode, Advice>> = {
  invalid_request: {
    meaning: 'The body is not JSON, a field has the wrong type, or the body did not arrive in time.',
    action: 'Correct the request. The message names the field.',
  },
  invalid_base64: {
    meaning: 'A binary field is not standard base64 with padding.',
    action: 'Encode the field as standard base64 with padding. The message names the field.',
  },
  invalid_dek_length: {
    meaning: 'The data key does not have 16, 24 or 32 bytes.',
    action: 'Send a data key of one of these lengths, or leave out `dek` to get a new data key.',
  },
  invalid_ciphertext: {
    meaning:
      'The service cannot decrypt the value: the value was altered, was encrypted with another key or another `aad` (context), or was encrypted under a version that a rotation destroyed.',
    action:
      'Send the value unchanged, with the key and the `aad` that it was encrypted with. If a rotation destroyed its version, the value is lost.',
  },
  invalid_name: {
    meaning: 'The name is empty or only whitespace, is longer than 128 characters, or has a control character.',
    action: 'Choose another name.',
  },
  invalid_tier: {
    meaning: 'There is no such tier.',
    action: 'Send `free`, `wrapped`, `software` or `hsm`.',
  },
  invalid_container: {
    meaning: 'The container does not exist, or the caller may not use it.',
    action: 'Check `container_id`, or leave it out to use the default container.',
  },
  invalid_query: {
    meaning: 'A query parameter is malformed, out of range or repeated, or a cursor belongs to another query.',
    action: 'Correct the query. The message names the parameter.',
  },
  invalid_period: {
    meaning: 'The period is not a month.',
    action: 'Send `period` as `YYYY-MM`, or leave it out for the current month.',
  },
  invalid_allowed_actions: {
    meaning: 'The list of actions has an unknown name, or a change of an API key sets the list to `null`.',
    action: 'Send a list of actions. It may be empty.',
  },
  invalid_key_ids: {
    meaning:
      "The key list is empty or too long, or has the ID of something that is not a live key in the API key's container.",
    action: 'Send the IDs of 1 to 100 live keys of the container, or `null` to allow every key of the container.',
  },
  invalid_firewall: {
    meaning: "The firewall does not exist in the API key's container.",
    action: 'Check `firewall_id`, or send `null` to allow every network.',
  },
  invalid_expires_at: {
    meaning: 'The time is not in RFC 3339 with an offset, is not in the future, or is after the year 9999.',
    action: 'Send a future time such as `2027-01-31T00:00:00Z`, or `null` for an API key that does not expire.',
  },
  invalid_federations: {
    meaning:
      'A federation has an issuer that the deployment does not accept, no claims or too many, a claim that is not allowed, or none of the claims that the issuer requires; or the list has the same federation twice, or more than 5.',
    action:
      'Correct the federation. The message names it. `GET /v1/sign-in` lists the issuers and the claims of which each federation needs one.',
  },
  invalid_allowed_ips: {
    meaning: 'The list of networks is empty or too long, or an entry is not an address or network.',
    action: 'Send 1 to 64 networks in CIDR notation. The message names the entry.',
  },
  invalid_role: {
    meaning: 'There is no such role.',
    action: 'Send `owner`, `admin` or `auditor`.',
  },
  unauthorized: {
    meaning: 'The credential is missing, malformed, unknown, expired or revoked.',
    action:
      'Send a valid API key, or sign in again. For the ID token of a workload, compare its claims and its audience with the API key and its federations.',
  },
  billing_required: {
    meaning:
      "The operation needs billing in good standing, because the key is a paid key. The tenant's billing is not in good standing.",
    action: 'Ask an owner to set up payment. Decrypting and unwrapping still work.',
  },
  api_key_required: {
    meaning: 'A person called a route that accepts only API keys.',
    action: 'Send an API key.',
  },
  session_required: {
    meaning: 'An API key called a route that accepts only people.',
    action: 'Sign in, and send the access token.',
  },
  ip_not_allowed: {
    meaning: "The request came from outside the networks of the API key's firewall.",
    action: 'Call from an allowed network, or add your address to the firewall. The message names your address.',
  },
  key_not_allowed: {
    meaning:
      'The API key is restricted to a list of keys, and this key is not on the list. An API key with a key list cannot create keys.',
    action: "Add the key to the API key's list, or use another API key.",
  },
  action_not_allowed: {
    meaning: 'The API key does not have the action that the route needs.',
    action: 'Add the action to the API key, or use another API key.',
  },
  role_not_allowed: {
    meaning: "The person's role does not allow this operation.",
    action: 'Ask an owner of the tenant to perform the operation, or to change the role.',
  },
  no_tenant: {
    meaning: 'The signed-in person does not belong to a tenant.',
    action: 'First call `GET /v1/me`, which creates a tenant.',
  },
  not_found: {
    meaning: 'There is nothing with this path, ID or name that the caller can reach.',
    action: 'Check the path and the ID, and that the credential belongs to the right tenant and container.',
  },
  method_not_allowed: {
    meaning: 'The path exists, but not with this method.',
    action: 'Use a method that the `Allow` header lists.',
  },
  key_pending_deletion: {
    meaning: 'The key is pending deletion and cannot be used or changed.',
    action: 'Restore the key first. The message says until when you can restore it.',
  },
  key_frozen: {
    meaning: 'A member froze the key. It cannot be used or rotated.',
    action: 'Ask an owner or admin of the tenant why the key was frozen. They can thaw it.',
  },
  key_exists: {
    meaning: 'A key in the container already has this name. Keys pending deletion keep their names.',
    action: 'Choose another name.',
  },
  free_key_exists: {
    meaning: 'The tenant already has a `free` key, perhaps one that is pending deletion.',
    action: 'Use the existing key, choose another tier, or destroy the existing key first.',
  },
  not_pending_deletion: {
    meaning: 'The key is not pending deletion, so there is nothing to restore.',
    action: 'Nothing. Use the key.',
  },
  restore_window_closed: {
    meaning: 'The seven days after the deletion of the key are over, and the service is destroying the key.',
    action: 'Create another key. This key cannot be restored.',
  },
  container_exists: {
    meaning: 'Another container of the tenant has this name.',
    action: 'Choose another name.',
  },
  container_is_default: {
    meaning: 'The default container cannot be deleted.',
    action: 'Keep the container. It can be renamed.',
  },
  container_not_empty: {
    meaning: 'The container still has keys (perhaps pending deletion), live API keys or firewalls.',
    action: 'First destroy the keys, revoke the API keys and delete the firewalls of the container.',
  },
  firewall_exists: {
    meaning: 'Another firewall in the container has this name.',
    action: 'Choose another name.',
  },
  firewall_in_use: {
    meaning: 'Live API keys still use the firewall.',
    action: 'First give these API keys another firewall, or remove their firewall.',
  },
  already_member: {
    meaning: "The person is already a member of this tenant, or the person's own tenant is in use.",
    action: 'Leave the other tenant first, or accept the invitation with another account.',
  },
  last_owner: {
    meaning: 'The person is the only owner of the tenant.',
    action: 'Make another member an owner first.',
  },
  limit_reached: {
    meaning: 'The tenant already has the maximum number of these objects. The message names the limit.',
    action: 'First remove an object that you no longer need.',
  },
  billing_active: {
    meaning: 'The tenant already has an open subscription.',
    action: 'Manage that subscription in the billing portal.',
  },
  billing_not_set_up: {
    meaning: 'The tenant never had a subscription.',
    action: 'Start a checkout first.',
  },
  payload_too_large: {
    meaning: 'The body is larger than 128 KiB, or a field is larger than its limit.',
    action: 'Send less. To encrypt more than 64 KiB, wrap a data key and encrypt with it yourself.',
  },
  unsupported_media_type: {
    meaning: 'The body is not declared as JSON, or it is compressed.',
    action: 'Send `Content-Type: application/json` and an uncompressed body.',
  },
  rate_limited: {
    meaning: 'This API key or person sent too many requests.',
    action: 'Wait a moment, then send fewer requests at once.',
  },
  ops_cap_reached: {
    meaning:
      'The `free` key has used all its operations of this month. The body of the answer has `cap` and `resets_at`.',
    action: 'Wait until `resets_at`, or use a paid key.',
  },
  internal_error: {
    meaning: 'The service, its database, the KMS or the payment provider failed.',
    action: 'Before you try again, check whether the service made your change. Send the request ID to the operator.',
  },
  unavailable: {
    meaning: 'The service is too busy, or one of its dependencies did not answer. The message names the cause.',
    action: 'Try again in a moment.',
  },
};
