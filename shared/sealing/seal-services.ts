import type { Services } from '../services.ts';
import type { Signer } from './log-key.ts';

export type SealServices = Pick<Services, 'store' | 'clock' | 'log'> & {
  readonly signer: Signer;
  readonly config: Pick<Services['config'], 'closed'>;
};
