import type { Share } from './shares.ts';

export interface Presented {
  readonly id: string;
  /** The header with the caller's credential, if it occurs once. */
  readonly authorization: string | undefined;
  /** Derived from trusted proxies only. */
  readonly clientAddress: string | undefined;
  readonly share: Share;
}
