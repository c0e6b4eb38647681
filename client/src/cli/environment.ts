import { userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { EXIT, Failure } from './failure.ts';

export interface Environment {
  readonly url: string | undefined;
  readonly apiKey: string | undefined;
  /** A file with a token. */
  readonly apiKeyFile: string | undefined;
  /** The kind of workload whose ID token is the credential, and the API key that it is for. */
  readonly workload: string | undefined;
  readonly apiKeyId: string | undefined;
  /** The profile's folder. Throws a {@link Failure} if the user has no home, which only a sign-in needs. */
  readonly folder: string;
}

export function readEnvironment(env: NodeJS.ProcessEnv = process.env): Environment {
  return {
    url: env.ESK_URL || undefined,
    apiKey: env.ESK_API_KEY || undefined,
    apiKeyFile: env.ESK_API_KEY_FILE || undefined,
    workload: env.ESK_WORKLOAD || undefined,
    apiKeyId: env.ESK_API_KEY_ID || undefined,
    get folder() {
      return userFolder('XDG_CONFIG_HOME', '.config', env);
    },
  };
}

/**
 * Returns the folder of `esk` under the folder that the variable names, or else under a folder of the user's home.
 * Ignores relative paths (XDG base directory specification): the current folder may belong to someone else.
 */
export function userFolder(variable: string, inHome: string, env: NodeJS.ProcessEnv): string {
  const named = env[variable];
  return join(named && isAbsolute(named) ? named : join(homeOf(env), inHome), 'esk');
}

function homeOf({ HOME }: NodeJS.ProcessEnv): string {
  const home = HOME && isAbsolute(HOME) ? HOME : homeOfAccount();
  if (home !== undefined && isAbsolute(home)) return home;
  throw new Failure(
    EXIT.local,
    'no_home',
    'you have no home folder; set HOME to an absolute path, or set ESK_URL and ESK_API_KEY',
  );
}

function homeOfAccount(): string | undefined {
  try {
    return userInfo().homedir;
  } catch {
    // The system has no account for this user ID, as is common in containers.
    return undefined;
  }
}
