import { PURPOSE_OF } from './algorithms.ts';
import type { CryptoKeyVersionView, CryptoKeyView, KeyRingView } from './messages.ts';
import type { CryptoKey, CryptoKeyVersion, KeyRing } from './model.ts';
import { versionName } from './names.ts';

/** Converts milliseconds to a google.protobuf.Duration or Timestamp. */
const viewMilliseconds = (milliseconds: number) => ({
  seconds: Math.floor(milliseconds / 1000),
  nanos: Math.round((milliseconds % 1000) * 1_000_000),
});

export const viewKeyRing = ({ name, createTime }: KeyRing): KeyRingView => ({
  name,
  createTime: viewMilliseconds(createTime),
});

export const viewVersion = (key: CryptoKey, version: CryptoKeyVersion): CryptoKeyVersionView => ({
  name: versionName(key.name, version.id),
  state: version.state,
  protectionLevel: key.protectionLevel,
  algorithm: key.algorithm,
  createTime: viewMilliseconds(version.createTime),
  ...('generateTime' in version && { generateTime: viewMilliseconds(version.generateTime) }),
  ...('destroyTime' in version && { destroyTime: viewMilliseconds(version.destroyTime) }),
  ...('destroyEventTime' in version && { destroyEventTime: viewMilliseconds(version.destroyEventTime) }),
});

export const viewCryptoKey = (key: CryptoKey, primary: CryptoKeyVersion | undefined): CryptoKeyView => ({
  name: key.name,
  ...(primary && { primary: viewVersion(key, primary) }),
  purpose: PURPOSE_OF[key.algorithm],
  createTime: viewMilliseconds(key.createTime),
  versionTemplate: { protectionLevel: key.protectionLevel, algorithm: key.algorithm },
  labels: key.labels,
  destroyScheduledDuration: viewMilliseconds(key.destroyScheduledDuration),
});
