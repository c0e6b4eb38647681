import type { EncryptionService } from '../../src/service.ts';
import { KEY } from './objects.ts';

export const bytes = (length = 4) => new Uint8Array(length).fill(7);
export const from = () => new Date('2026-11-20T10:00:00Z');
export const firewall = () => ({
  ...{ name: 'office', container_id: KEY.container_id, allowed_ips: ['192.0.2.0/24', '::/0'] },
});
const { id } = KEY;

/** The arguments of each method of the library, before the options of the call. */
export const METHODS: Readonly<Record<string, () => unknown[]>> = {
  ...named('listKeys getCaller readAuditKey me listMembers listInvitations listApiKeys listContainers', () => []),
  ...named('listFirewalls readBilling startCheckout openPortal signIn live ready openapi', () => []),
  ...named('getKey deleteKey restoreKey freezeKey thawKey rotateKey previewRotation destroyKey', () => [id]),
  ...named('removeMember revokeInvitation getApiKey revokeApiKey getContainer deleteContainer', () => [id]),
  ...named('getFirewall deleteFirewall', () => [id]),
  ...named('readUsage readUsageDaily readStatement', () => [{ period: '2026-11' }]),
  ...named('readAuditSeals readAuditRestorations readAuditEntries', () => [{ from: 1 }]),
  ...named('previewInvitation acceptInvitation', () => ['esi_x']),
  createKey: () => [{ name: 'orders', tier: 'software' }],
  renameKey: () => [id, { name: 'bills' }],
  encrypt: () => [id, { plaintext: bytes(), aad: bytes() }],
  decrypt: () => [id, { ciphertext: bytes(), aad: bytes() }],
  wrap: () => [id, { dek: bytes(32), aad: bytes() }],
  unwrap: () => [id, { wrapped: bytes(), aad: bytes() }],
  rewrap: () => [id, { ciphertext: bytes(), aad: bytes() }],
  readAudit: () => [{ since: from(), limit: 1 }],
  readKeyAudit: () => [id, { since: from(), limit: 1 }],
  renameTenant: () => ['shop'],
  changeRole: () => [id, 'admin'],
  inviteMember: () => [{ role: 'admin', note: 'Ada' }],
  createApiKey: () => [{ name: 'app', allowed_actions: ['encrypt'], key_ids: [id] }],
  updateApiKey: () => [id, { allowed_actions: ['wrap'], key_ids: [id] }],
  createContainer: () => [{ name: 'eu' }],
  renameContainer: () => [id, { name: 'us' }],
  createFirewall: () => [firewall()],
  updateFirewall: () => [id, { allowed_ips: ['192.0.2.1'] }],
};
function named(names: string, args: () => unknown[]) {
  return Object.fromEntries(names.split(' ').map((name) => [name, args]));
}

/** Calls a method, and reads all that it returns. */
export async function callMethod(service: EncryptionService, name: string, args: readonly unknown[]): Promise<unknown> {
  const result = Object(Reflect.apply(Reflect.get(service, name), service, args));
  return Symbol.asyncIterator in result ? Array.fromAsync(result) : result;
}
