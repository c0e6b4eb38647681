import type { KeyService } from '../files/key-service.ts';

export interface PluginService {
  /** Connects with a credential, only when needed. Throws if there is no credential. */
  connect(): Promise<KeyService>;
  explain(error: unknown): string;
}
