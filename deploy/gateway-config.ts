import { createHash } from 'node:crypto';
import type { Deployment } from './deployment.ts';
import { gatewayDocument } from './gateway.ts';
import { functionAddress } from './names.ts';

/** The file that gcloud reads the gateway's document from. */
export const GATEWAY_DOCUMENT = 'dist/gateway.json';

/** A configuration of the gateway. */
export interface GatewayConfig {
  /** Holds a hash of the document. */
  readonly name: string;
  /** The document as JSON. */
  readonly text: string;
}

/** The gateway's configuration with this deployment's addresses. */
export function gatewayConfig(deployment: Deployment): GatewayConfig {
  const document = gatewayDocument((name) => functionAddress(deployment, name));
  const text = `${JSON.stringify(document, null, 2)}\n`;
  return { name: `v-${createHash('sha256').update(text).digest('hex').slice(0, 12)}`, text };
}
