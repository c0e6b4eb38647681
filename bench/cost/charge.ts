import type { Prices } from './prices.ts';

const MILLION = 1_000_000;
const GIB = 2 ** 30;

/** What one operation takes, to a hundredth; bytes to a whole one. */
export interface Consumption {
  /** Documents read, missing ones too. */
  readonly reads: number;
  /** Documents written. */
  readonly writes: number;
  readonly kmsCalls: number;
  readonly loggedBytes: number;
}

/** What a million operations cost in US dollars. */
export interface Charge {
  readonly firestore: number;
  readonly kms: number;
  readonly logs: number;
  /** API Gateway and Cloud Run by the request, which nothing of an operation changes. */
  readonly requests: number;
  readonly sum: number;
}

/** What a million operations cost at these prices, beyond free quotas and without Cloud Run's time. */
export function chargeMillion({ reads, writes, kmsCalls, loggedBytes }: Consumption, prices: Prices): Charge {
  const firestore = MILLION * (reads * prices.read + writes * prices.write);
  const kms = MILLION * kmsCalls * prices.kmsCall;
  const logs = ((MILLION * loggedBytes) / GIB) * prices.loggedGib;
  const requests = MILLION * (prices.gatewayCall + prices.runRequest);
  return { firestore, kms, logs, requests, sum: firestore + kms + logs + requests };
}
