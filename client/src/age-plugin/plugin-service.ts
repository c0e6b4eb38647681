import type { KeyService } from '../files/key-service.ts';

export interface PluginService {
  /** Connects to the service. The plugin connects only when it needs a key. Throws if there is no credential. */
  connect(): Promise<KeyService>;
  explain(error: unknown): string;
}
