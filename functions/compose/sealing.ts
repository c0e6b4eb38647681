import type { Config, SealingConfig } from '../../shared/config.ts';
import { loadKms } from '../../shared/kms/load-kms.ts';
import { SigningKey } from '../../shared/kms/signing-key.ts';
import type { Signer } from '../../shared/sealing/log-key.ts';
import { type SealSummary, sealAudit } from '../../shared/sealing/seal-audit.ts';
import type { Store } from '../../shared/store/store.ts';
import type { Process } from './process.ts';

/** What signs the logs, whose client is loaded at its first use. */
export function openSigner(config: Config, { origin, signingKey }: SealingConfig): Signer {
  return { origin, key: new SigningKey(signingKey, () => loadKms(config)) };
}

/** The work of `seal-audit`: none where logs are not sealed. */
export function bindSealing(own: Process, store: Store): () => Promise<SealSummary> {
  const { config } = own;
  if (config.sealing === undefined) return async () => ({ sealed: 0, entries: 0, failed: 0 });
  const needs = { ...own, store, signer: openSigner(config, config.sealing) };
  return () => sealAudit(needs);
}
