import { viewInstant, viewOptionalInstant } from '../../shared/base/clock.ts';
import type { Key, KeyVersion } from '../../shared/keys/key.ts';
import type { CryptoKeyVersion } from '../../shared/kms/inventory.ts';
import type { Finding } from './part.ts';
import type { CheckServices } from './services.ts';

/** Returns the commands that enable a version. If its destruction is scheduled, it must be restored first. */
function reviveCommand(version: string, state: string): string {
  const enable = gcloud('enable', version);
  return state === 'DESTROY_SCHEDULED' ? `${gcloud('restore', version)} && ${enable}` : enable;
}

function gcloud(verb: string, version: string): string {
  const [, project, , location, , keyRing, , key, , number] = version.split('/');
  return `gcloud kms keys versions ${verb} ${number} --key=${key} --keyring=${keyRing} --location=${location} --project=${project}`;
}

/** Returns a finding with the key's id, tenant and tier added to its text and fields. */
export function findingAbout(key: Key, { kind, about, text, ...rest }: Finding): Finding {
  const { id: key_id, tenant_id, tier } = key;
  return {
    kind,
    about: { tenant_id, key_id, tier, ...about },
    text: `tenant ${tenant_id}, ${tier} key ${key_id}: ${text}`,
    ...rest,
  };
}

/** Returns a finding if the KMS cannot use this enabled version. */
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
  const make = (kind: Finding['kind'], text: string, more: Finding['about'] = {}, remedy = {}) => [
    findingAbout(key, {
      kind,
      about: { version, name, state, ...more },
      text: `version ${version} ${text}`,
      ...remedy,
    }),
  ];
  const repair = reviveCommand(name, state);
  switch (state) {
    case 'ENABLED':
      return [];
    case 'DISABLED':
      return make('version-disabled', 'is disabled in the KMS', { repair }, { remedy: `To enable it: ${repair}` });
    case 'DESTROY_SCHEDULED':
      return make(
        'version-scheduled',
        `will be destroyed in the KMS at ${viewTime(at)}`,
        { until: viewOptionalInstant(at), repair },
        { remedy: `To keep it, run before that time: ${repair}` },
      );
    case 'DESTROYED':
      return make('version-destroyed', `was destroyed in the KMS at ${viewTime(at)}, so what it encrypted is lost`, {
        since: viewOptionalInstant(at),
      });
    default:
      return make('version-missing', found === undefined ? 'is not in the KMS' : `has the state ${state} in the KMS`);
  }
}

/** Returns a finding for each enabled version whose data key cannot be unwrapped. */
export async function checkDataKeys(
  services: CheckServices,
  key: Key,
  enabled: readonly KeyVersion[],
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { version, material } of enabled) {
    if (material.kind !== 'data_key') continue;
    const reason = await whyNotUnwrapped(services, key, version, material.wrapped);
    if (reason === undefined) continue;
    const { why, ...remedy } = reason;
    const text = `the data key of version ${version} cannot be unwrapped: ${why}`;
    findings.push(findingAbout(key, { kind: 'data-key-unopened', about: { version }, text, ...remedy }));
  }
  return findings;
}

async function whyNotUnwrapped(
  { dataKeys, unwraps, inventory, config }: CheckServices,
  key: Key,
  version: number,
  wrapped: Buffer | null,
): Promise<{ readonly why: string; readonly remedy?: string } | undefined> {
  if (wrapped === null) return { why: 'the stored key does not contain the data key' };
  if (dataKeys === undefined || config.wrappedRoot === undefined) return { why: 'WRAPPED_ROOT is not set' };
  await unwraps.wait('', ['all']);
  if (await dataKeys.canUnwrap({ tenantId: key.tenant_id, keyId: key.id, version }, wrapped)) return undefined;
  const unusable = (await inventory.versions(config.wrappedRoot))?.filter(({ state }) => state !== 'ENABLED') ?? [];
  const states = unusable.map(({ number, state, destroyAt }) => {
    const time = destroyAt === null ? '' : ` (${viewInstant(destroyAt)})`;
    return `, and version ${number} of the root is ${state}${time}`;
  });
  const repairs = unusable.filter(({ state }) => state !== 'DESTROYED');
  const commands = repairs.map(({ name, state }) => reviveCommand(name, state)).join(' && ');
  const why = `the KMS refuses to unwrap it with the wrapped root${states.join('')}`;
  return commands === '' ? { why } : { why, remedy: `To use the root's versions again: ${commands}` };
}

function viewTime(at: CryptoKeyVersion['destroyAt']): string {
  return at === null ? 'an unknown time' : viewInstant(at);
}
