import { KeyManagementServiceClient } from '@google-cloud/kms';
import type { Config } from '../config.ts';
import { DEADLINES_MS } from '../deadlines.ts';
import { emulatorSettings, makeChannelOptions } from '../grpc/channel.ts';

/** The HTTP/2 window in bytes. With Node's 64 KiB per connection, large answers delay each other. */
const WINDOW = 1 << 20;

export function makeKmsClient({ project, kmsEmulatorHost }: Config): KeyManagementServiceClient {
  const channel = { ...makeChannelOptions(DEADLINES_MS.kms), 'grpc-node.flow_control_window': WINDOW };
  return new KeyManagementServiceClient({ projectId: project, ...channel, ...emulatorSettings(kmsEmulatorHost) });
}
