import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

export interface Environment {
  readonly url: string | undefined;
  readonly apiKey: string | undefined;
  /** The profile's folder. A relative path in the variable is ignored (XDG base directory specification). */
  readonly folder: string;
}

export function readEnvironment(env: NodeJS.ProcessEnv = process.env): Environment {
  const configHome = env.XDG_CONFIG_HOME;
  const base = configHome && isAbsolute(configHome) ? configHome : join(homedir(), '.config');
  return { url: env.ESK_URL || undefined, apiKey: env.ESK_API_KEY || undefined, folder: join(base, 'esk') };
}
