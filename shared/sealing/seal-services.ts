import type { Services } from '../services.ts';
import type { Signer } from './log-key.ts';

/** What sealing depends on. */
export type SealServices = Pick<Services, 'store' | 'clock' | 'log'> & {
  readonly signer: Signer;
  readonly config: Pick<Services['config'], 'closed'>;
};
