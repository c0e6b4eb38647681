import { KeyManagementServiceClient } from '@google-cloud/kms';
import { credentials } from '@grpc/grpc-js';
import { splitAddress } from '../base/socket-address.ts';
import type { Config } from '../config.ts';
import { DEADLINES_MS } from '../deadlines.ts';
import { makeChannelOptions } from '../grpc/channel.ts';

/** The HTTP/2 window in bytes. With Node's 64 KiB per connection, large answers delay each other. */
const WINDOW = 1 << 20;

export function makeKmsClient(config: Config): KeyManagementServiceClient {
  const channel = { ...makeChannelOptions(DEADLINES_MS.kms), 'grpc-node.flow_control_window': WINDOW };
  const common = { projectId: config.project, ...channel };
  if (config.kmsEmulatorHost === undefined) return new KeyManagementServiceClient(common);
  const [apiEndpoint, port] = splitAddress(config.kmsEmulatorHost);
  return new KeyManagementServiceClient({
    ...common,
    apiEndpoint,
    port,
    sslCreds: credentials.createInsecure(),
    // Set, or the client asks a metadata server, which an emulator does not have.
    universeDomain: 'googleapis.com',
  });
}
