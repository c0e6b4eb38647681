import { viewInstant, viewOptionalInstant } from '../../shared/base/clock.ts';
import type { Key, KeyVersion } from '../../shared/keys/key.ts';
import type { CryptoKeyVersion } from '../../shared/kms/inventory.ts';
import { reviveCommand } from './kms-commands.ts';
import type { Finding } from './part.ts';
import type { CheckServices } from './services.ts';

/** A finding about a key, which its text begins with. */
export function findingAbout(key: Key, kind: Finding['kind'], text: string, more: Finding['about'] = {}): Finding {
  const about = { tenant_id: key.tenant_id, key_id: key.id, tier: key.tier, ...more };
  return { kind, about, text: `tenant ${key.tenant_id}, ${key.tier} key ${key.id}: ${text}` };
}

/** What keeps the KMS from using an enabled version. */
export function checkVersion(
  key: Key,
  { version, material }: KeyVersion,
  inKms: readonly CryptoKeyVersion[],
): Finding[] {
  if (material.kind !== 'crypto_key_version') return [];
  const { name } = material;
  const found = inKms.find((one) => one.name === name);
  const state = found?.state ?? 'missing';
  const at = found?.destroyAt ?? null;
  const make = (kind: Finding['kind'], text: string, more: Finding['about'] = {}) => [
    findingAbout(key, kind, `version ${version} ${text}`, { version, name, state, ...more }),
  ];
  const repair = reviveCommand(name, state);
  switch (state) {
    case 'ENABLED':
      return [];
    case 'DISABLED':
      return make('version-disabled', `is disabled in the KMS. To enable it: ${repair}`, { repair });
    case 'DESTROY_SCHEDULED':
      return make('version-scheduled', `will be destroyed at ${viewTime(at)}. To save it before: ${repair}`, {
        until: viewOptionalInstant(at),
        repair,
      });
    case 'DESTROYED':
      return make('version-destroyed', `was destroyed at ${viewTime(at)}. What was encrypted with it is lost`, {
        since: viewOptionalInstant(at),
      });
    default:
      return make('version-missing', found === undefined ? 'is not in the KMS' : `has the state ${state} in the KMS`);
  }
}

/** The enabled versions whose data keys the wrapped root does not unwrap. */
export async function checkDataKeys(
  services: CheckServices,
  key: Key,
  enabled: readonly KeyVersion[],
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { version, material } of enabled) {
    if (material.kind !== 'data_key') continue;
    const reason = await whyUnopened(services, key, version, material.wrapped);
    if (reason === undefined) continue;
    const text = `the data key of version ${version} cannot be unwrapped: ${reason}`;
    findings.push(findingAbout(key, 'data-key-unopened', text, { version }));
  }
  return findings;
}

async function whyUnopened(
  { dataKeys, unwraps, inventory, config }: CheckServices,
  key: Key,
  version: number,
  wrapped: Buffer | null,
): Promise<string | undefined> {
  if (wrapped === null) return 'the stored key does not have it';
  if (dataKeys === undefined || config.wrappedRoot === undefined) return 'WRAPPED_ROOT is not set';
  await unwraps.turn();
  if (await dataKeys.canUnwrap({ tenantId: key.tenant_id, keyId: key.id, version }, wrapped)) return undefined;
  const unusable = (await inventory.versions(config.wrappedRoot))?.filter(({ state }) => state !== 'ENABLED') ?? [];
  return `the wrapped root refuses it${unusable.length > 0 ? `. ${describeUnusable(unusable)}` : ''}`;
}

function describeUnusable(unusable: readonly CryptoKeyVersion[]): string {
  const states = unusable.map(({ number, state, destroyAt }) => {
    const time = destroyAt === null ? '' : ` (${viewInstant(destroyAt)})`;
    return `version ${number} is ${state}${time}`;
  });
  const repairs = unusable
    .filter(({ state }) => state !== 'DESTROYED')
    .map(({ name, state }) => reviveCommand(name, state));
  const repair = repairs.length > 0 ? `. To use it again: ${repairs.join(' && ')}` : '';
  return `In the root, ${states.join(', ')}${repair}`;
}

function viewTime(at: CryptoKeyVersion['destroyAt']): string {
  return at === null ? 'an unknown time' : viewInstant(at);
}
