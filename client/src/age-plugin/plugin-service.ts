import type { KeyService } from '../files/key-service.ts';

/** What the state machines need from around them. */
export interface PluginService {
  /** The service with a credential, asked for when there is something to do. Fails where there is no credential. */
  connect(): Promise<KeyService>;
  /** Words for a person about anything that was thrown. */
  explain(error: unknown): string;
}
