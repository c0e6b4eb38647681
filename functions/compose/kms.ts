import type { Config } from '../../shared/config.ts';
import { Kms } from '../../shared/kms/kms.ts';
import { loadKms } from '../../shared/kms/load-kms.ts';

/** The deployment's KMS, whose client is loaded at its first use. */
export function openKms(config: Config): Kms {
  return new Kms(config.keyRing, () => loadKms(config));
}
