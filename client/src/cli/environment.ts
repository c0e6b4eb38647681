import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** What the environment says. An empty variable is as good as none. */
export interface Environment {
  readonly url: string | undefined;
  readonly apiKey: string | undefined;
  /** The folder of the profile: as the XDG base directory specification has it, a relative path counts for nothing. */
  readonly folder: string;
}

/** Reads `ESK_URL`, `ESK_API_KEY` and `XDG_CONFIG_HOME`. */
export function readEnvironment(env: NodeJS.ProcessEnv = process.env): Environment {
  const configHome = env.XDG_CONFIG_HOME;
  const base = configHome && isAbsolute(configHome) ? configHome : join(homedir(), '.config');
  return { url: env.ESK_URL || undefined, apiKey: env.ESK_API_KEY || undefined, folder: join(base, 'esk') };
}
