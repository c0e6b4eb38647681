import { describe, expect, test } from 'vitest';
import { EarlyDecisions } from '../../../shared/auth/early-decisions.ts';
import type { Claim } from '../../../shared/auth/identify.ts';
import { type Facts, Policy } from '../../../shared/auth/policy.ts';
import { type ApiKeyId, type KeyId, makeId } from '../../../shared/base/ids.ts';
import type { Action } from '../../../shared/operations.ts';
import type { ApiKeyCaller } from '../../../shared/tenancy/caller.ts';
import { makeSecret } from '../../../shared/tenancy/token.ts';

/** A policy that allows what an API key was given, and remembers what it was asked. */
class AskedPolicy extends Policy {
  readonly asked: (Facts & { readonly action: Action })[] = [];
  failure: Error | undefined;

  constructor() {
    super('http://localhost');
  }

  override async allows(caller: ApiKeyCaller, action: Action, resource: Facts['resource']): Promise<boolean> {
    this.asked.push({ caller, action, resource });
    if (this.failure) throw this.failure;
    return caller.allowedActions.includes(action);
  }
}

function makeWorld() {
  const policy = new AskedPolicy();
  const keyId = makeId<KeyId>();
  const caller: ApiKeyCaller = {
    kind: 'api_key',
    tenantId: makeId(),
    containerId: makeId(),
    apiKeyId: makeId<ApiKeyId>(),
    allowedActions: ['encrypt'],
    keyIds: null,
  };
  const claim: Claim = { kind: 'api_key', token: { apiKeyId: caller.apiKeyId, secret: makeSecret() } };
  const facts: Facts = { caller, resource: { keyId, tier: 'wrapped' } };
  return { policy, early: new EarlyDecisions(policy), keyId, claim, facts };
}

describe('an early decision', () => {
  test('is asked for before the facts are read, and used where they are what they were', async () => {
    const { policy, early, keyId, claim, facts } = makeWorld();
    await early.begin(claim, keyId, 'encrypt').allows(facts.caller, 'encrypt', facts.resource);
    const second = early.begin(claim, keyId, 'encrypt');
    expect(policy.asked).toHaveLength(2);
    const read = { ...facts.caller, allowedActions: [...facts.caller.allowedActions] };
    expect(await second.allows(read, 'encrypt', { ...facts.resource })).toBe(true);
    expect(policy.asked).toHaveLength(2);
  });

  test.each<[string, (facts: Facts) => Facts]>([
    ['allowed actions', ({ caller, resource }) => ({ caller: { ...caller, allowedActions: [] }, resource })],
    ['container', ({ caller, resource }) => ({ caller: { ...caller, containerId: makeId() }, resource })],
    ['tenant', ({ caller, resource }) => ({ caller: { ...caller, tenantId: makeId() }, resource })],
    ['tier within reach', ({ caller, resource }) => ({ caller, resource: { ...resource, tier: null } })],
  ])('is not used where another %s is read: the policy is asked again', async (_, change) => {
    const { policy, early, keyId, claim, facts } = makeWorld();
    await early.begin(claim, keyId, 'encrypt').allows(facts.caller, 'encrypt', facts.resource);
    const changed = change(facts);
    const second = early.begin(claim, keyId, 'encrypt');
    const allowed = await second.allows(changed.caller, 'encrypt', changed.resource);
    expect(allowed).toBe(changed.caller.allowedActions.includes('encrypt'));
    expect(policy.asked.at(-1)).toEqual({ ...changed, action: 'encrypt' });
    expect(policy.asked).toHaveLength(3);
  });

  test('is about the action of its own request', async () => {
    const { early, keyId, claim, facts } = makeWorld();
    expect(await early.begin(claim, keyId, 'encrypt').allows(facts.caller, 'encrypt', facts.resource)).toBe(true);
    expect(await early.begin(claim, keyId, 'decrypt').allows(facts.caller, 'decrypt', facts.resource)).toBe(false);
  });

  test('is not asked for with another secret, on another key, or by a person', async () => {
    const { policy, early, keyId, claim, facts } = makeWorld();
    await early.begin(claim, keyId, 'encrypt').allows(facts.caller, 'encrypt', facts.resource);
    const { apiKeyId } = facts.caller;
    early.begin({ kind: 'api_key', token: { apiKeyId, secret: makeSecret() } }, keyId, 'encrypt');
    early.begin(claim, makeId<KeyId>(), 'encrypt');
    early.begin(claim, undefined, 'encrypt');
    expect(policy.asked).toHaveLength(1);
  });

  test('that fails refuses where it would have been used, and nowhere else', async () => {
    const { policy, early, keyId, claim, facts } = makeWorld();
    await early.begin(claim, keyId, 'encrypt').allows(facts.caller, 'encrypt', facts.resource);
    policy.failure = new Error('down');
    const refused = early.begin(claim, keyId, 'encrypt');
    const changed = early.begin(claim, keyId, 'encrypt');
    await expect(refused.allows(facts.caller, 'encrypt', facts.resource)).rejects.toThrow('down');
    policy.failure = undefined;
    expect(await changed.allows(facts.caller, 'encrypt', { ...facts.resource, tier: 'free' })).toBe(true);
  });
});
