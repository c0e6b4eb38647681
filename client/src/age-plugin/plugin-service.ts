import type { KeyService } from '../files/key-service.ts';

export interface PluginService {
  /** Connects with a credential, only when needed. Throws if there is no credential. */
  connect(): Promise<KeyService>;
  /** Returns an error message for people. */
  explain(error: unknown): string;
}
