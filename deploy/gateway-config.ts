import { createHash } from 'node:crypto';
import type { Deployment } from './deployment.ts';
import { gatewayDocument } from './gateway.ts';
import { functionAddress } from './names.ts';

/** Where the gateway's document is written for gcloud to read. */
export const GATEWAY_DOCUMENT = 'dist/gateway.json';

/** The gateway's document with this deployment's addresses, and the name of a configuration that has it. */
export function gatewayConfig(deployment: Deployment): { name: string; text: string } {
  const document = gatewayDocument((name) => functionAddress(deployment, name));
  const text = `${JSON.stringify(document, null, 2)}\n`;
  return { name: `v-${createHash('sha256').update(text).digest('hex').slice(0, 12)}`, text };
}
