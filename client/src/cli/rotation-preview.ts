import type { Key, RotationPreview } from '../types.ts';

const NOT_USED = 'In the last 30 days, the key was not used.';
const DECRYPT_FIRST = 'Rewrapping does not help with this tier: decrypt what you want to keep before you rotate.';
const REWRAP_FIRST = 'Rewrap older data first; files with: esk rewrap FILE…';

export function describeRotation(
  { tier, state, frozen_at }: Pick<Key, 'tier' | 'state' | 'frozen_at'>,
  preview: RotationPreview,
): string {
  const { next_version, keeps, retires, recent } = preview;
  const keepsOne = tier === 'free' || tier === 'wrapped';
  const sentences = [
    state === 'pending_deletion' && 'The key is pending deletion: restore it before you rotate it.',
    frozen_at !== null && 'The key is frozen: thaw it before you rotate it.',
    `Version ${next_version} becomes the primary version.`,
    keeps.length > 0 && `${versions(keeps)} can still decrypt.`,
    retirement(retires),
    keepsOne ? use(recent) : olderUse(recent),
    retires.length > 0 && (keepsOne ? DECRYPT_FIRST : REWRAP_FIRST),
  ];
  return sentences
    .filter((sentence) => sentence !== false)
    .map((sentence) => `${sentence}\n`)
    .join('');
}

function retirement(retires: readonly number[]): string {
  if (retires.length === 0) return 'No version is retired.';
  const [are, them] = retires.length === 1 ? ['is', 'it'] : ['are', 'them'];
  return `${versions(retires)} ${are} retired: data encrypted with ${them} can no longer be decrypted.`;
}

function use({ ops }: RotationPreview['recent']): string {
  return ops === 0 ? NOT_USED : `In the last 30 days, the key performed ${operations(ops)}.`;
}

function olderUse({ ops, older_version_ops, last_older_use }: RotationPreview['recent']): string {
  if (ops === 0) return NOT_USED;
  if (last_older_use === null)
    return `In the last 30 days, the key performed ${operations(ops)}; none needed an older version.`;
  return `In the last 30 days, ${older_version_ops} of ${operations(ops)} needed an older version, the last on ${last_older_use}.`;
}

function operations(count: number): string {
  return `${count} ${count === 1 ? 'operation' : 'operations'}`;
}

/** Returns `Version 1`, `Versions 1 and 2`, `Versions 1, 2 and 3`, and so on. */
function versions(numbers: readonly number[]): string {
  const last = numbers.at(-1);
  if (numbers.length === 1) return `Version ${last}`;
  return `Versions ${numbers.slice(0, -1).join(', ')} and ${last}`;
}
