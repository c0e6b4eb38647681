import { describe, expect, test } from 'vitest';
import type { PresentedApiKey } from '../../../shared/auth/authenticate.ts';
import { EarlyDecisions } from '../../../shared/auth/early-decisions.ts';
import { type Facts, factsOf, Policy, type Resource } from '../../../shared/auth/policy.ts';
import { Secrets } from '../../../shared/auth/secrets.ts';
import { type ApiKeyId, type KeyId, makeId } from '../../../shared/base/ids.ts';
import type { ApiKeyCaller } from '../../../shared/tenancy/caller.ts';
import { makeSecret } from '../../../shared/tenancy/token.ts';

/** Allows an API key its allowed actions, and records every decision that is requested from the policy. */
class RecordingPolicy extends Policy {
  readonly questions: { readonly facts: Facts; readonly action: string }[] = [];
  failure: Error | undefined;

  constructor() {
    super('http://localhost');
  }

  override async allows(facts: Facts, action: string): Promise<boolean> {
    this.questions.push({ facts, action });
    if (this.failure) throw this.failure;
    return isAllowed(facts, action);
  }
}

function isAllowed({ principal }: Facts, action: string): boolean {
  const allowed = principal.attr.allowed_actions;
  return Array.isArray(allowed) && allowed.includes(action);
}

/** Returns the credential of an API key, with a new secret. */
function presentedApiKey(apiKeyId: ApiKeyId): PresentedApiKey {
  return { kind: 'api_key', apiKeyId, secret: new Secrets().present(makeSecret()), idToken: undefined };
}

function setUp() {
  const policy = new RecordingPolicy();
  const keyId = makeId<KeyId>();
  const caller: ApiKeyCaller = {
    kind: 'api_key',
    tenantId: makeId(),
    containerId: makeId(),
    apiKeyId: makeId<ApiKeyId>(),
    name: 'orders',
    allowedActions: ['encrypt'],
    keyIds: null,
    firewallId: null,
    expiresAt: null,
    workload: null,
  };
  const presented = presentedApiKey(caller.apiKeyId);
  const resource: Resource = { keyId, tier: 'wrapped' };
  const facts = factsOf(caller, resource);
  return { policy, early: new EarlyDecisions(policy), keyId, presented, facts, caller, resource };
}

describe('early policy decisions, before the caller and the key are read', () => {
  test('an early policy decision is requested before the caller and the key are read, and is used if both are the same as in the last request', async () => {
    const { policy, early, keyId, presented, facts, caller, resource } = setUp();
    await early.begin(presented, keyId, 'encrypt').allows(facts, 'encrypt');
    const second = early.begin(presented, keyId, 'encrypt');
    expect(policy.questions).toHaveLength(2);
    const read = { ...caller, allowedActions: [...caller.allowedActions] };
    expect(await second.allows(factsOf(read, { ...resource }), 'encrypt')).toBe(true);
    expect(policy.questions).toHaveLength(2);
  });

  test.each<[string, (setup: Pick<ReturnType<typeof setUp>, 'caller' | 'resource'>) => Facts]>([
    ['allowed actions', ({ caller, resource }) => factsOf({ ...caller, allowedActions: [] }, resource)],
    ['container', ({ caller, resource }) => factsOf({ ...caller, containerId: makeId() }, resource)],
    ['tenant', ({ caller, resource }) => factsOf({ ...caller, tenantId: makeId() }, resource)],
    ['tier', ({ caller, resource }) => factsOf(caller, { ...resource, tier: null })],
  ])(
    'an early policy decision is discarded, and the policy is asked again, if the caller’s or the key’s %s changed',
    async (_, change) => {
      const { policy, early, keyId, presented, facts, caller, resource } = setUp();
      await early.begin(presented, keyId, 'encrypt').allows(facts, 'encrypt');
      const changed = change({ caller, resource });
      const second = early.begin(presented, keyId, 'encrypt');
      const allowed = await second.allows(changed, 'encrypt');
      expect(allowed).toBe(isAllowed(changed, 'encrypt'));
      expect(policy.questions.at(-1)).toEqual({ facts: changed, action: 'encrypt' });
      expect(policy.questions).toHaveLength(3);
    },
  );

  test('an early policy decision is about the action of the current request, even if the previous request had another action', async () => {
    const { early, keyId, presented, facts } = setUp();
    expect(await early.begin(presented, keyId, 'encrypt').allows(facts, 'encrypt')).toBe(true);
    expect(await early.begin(presented, keyId, 'decrypt').allows(facts, 'decrypt')).toBe(false);
  });

  test('no early policy decision is requested if the request names no key, or if no earlier request had the same secret and key', async () => {
    const { policy, early, keyId, presented, facts, caller } = setUp();
    await early.begin(presented, keyId, 'encrypt').allows(facts, 'encrypt');
    early.begin(presentedApiKey(caller.apiKeyId), keyId, 'encrypt');
    early.begin(presented, makeId<KeyId>(), 'encrypt');
    early.begin(presented, undefined, 'encrypt');
    expect(policy.questions).toHaveLength(1);
  });

  test('if an early policy decision fails, only a request that would have used the decision is refused', async () => {
    const { policy, early, keyId, presented, facts, caller, resource } = setUp();
    await early.begin(presented, keyId, 'encrypt').allows(facts, 'encrypt');
    policy.failure = new Error('down');
    const refused = early.begin(presented, keyId, 'encrypt');
    const changed = early.begin(presented, keyId, 'encrypt');
    await expect(refused.allows(facts, 'encrypt')).rejects.toThrow('down');
    policy.failure = undefined;
    expect(await changed.allows(factsOf(caller, { ...resource, tier: 'free' }), 'encrypt')).toBe(true);
  });
});
