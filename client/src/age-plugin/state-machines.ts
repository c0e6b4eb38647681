import { unwrapWithIdentities } from './identity-v1.ts';
import type { Peer } from './peer.ts';
import type { PluginService } from './plugin-service.ts';
import { wrapForRecipients } from './recipient-v1.ts';

export const STATE_MACHINES: ReadonlyMap<string, (peer: Peer, service: PluginService) => Promise<void>> = new Map([
  ['recipient-v1', wrapForRecipients],
  ['identity-v1', unwrapWithIdentities],
]);
