import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Config } from '../config.ts';
import type { Store } from '../store/store.ts';
import type { Signer } from './log-key.ts';

export type SealServices = { readonly store: Store; readonly clock: Clock; readonly log: Log } & {
  readonly signer: Signer;
  readonly config: Pick<Config, 'closed'>;
};
