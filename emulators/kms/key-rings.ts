import { alreadyExists } from './kms-error.ts';
import type { CreateKeyRingRequest, GetRequest, KeyRingView } from './messages.ts';
import { parseId, parseKeyRingName, parseLocationName } from './names.ts';
import { type Kms, loadKeyRing } from './resources.ts';
import { viewKeyRing } from './views.ts';

/** Creates a key ring. Can throw INVALID_ARGUMENT and ALREADY_EXISTS. */
export function createKeyRing(kms: Kms, request: CreateKeyRingRequest): KeyRingView {
  const location = parseLocationName('parent', request.parent);
  const name = `${location}/keyRings/${parseId('key_ring_id', request.keyRingId)}`;
  if (kms.keyRings.has(name)) throw alreadyExists('KeyRing', name);
  const keyRing = { name, createTime: kms.now() };
  kms.keyRings.set(name, keyRing);
  kms.changed();
  return viewKeyRing(keyRing);
}

/** Returns a key ring. Can throw INVALID_ARGUMENT and NOT_FOUND. */
export function getKeyRing(kms: Kms, request: GetRequest): KeyRingView {
  return viewKeyRing(loadKeyRing(kms, parseKeyRingName('name', request.name)));
}
