import type { KeyService } from '../files/key-service.ts';

export interface PluginService {
  /** Connects to the service. Called only when the plugin needs a key. Throws if there is no credential. */
  connect(): Promise<KeyService>;
  explain(error: unknown): string;
}
