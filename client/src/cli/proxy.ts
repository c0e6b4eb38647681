import { wrongUsage } from './failure.ts';
import { tell } from './terminal.ts';

/** Sends all requests through the proxy that the environment names, if it names one. */
export async function useProxyOf(env: NodeJS.ProcessEnv = process.env): Promise<void> {
  const names = ['HTTPS_PROXY', 'HTTP_PROXY'].flatMap((name) => [name, name.toLowerCase()]);
  const set = names.find((name) => env[name]);
  if (set === undefined) return;
  // Loaded only here, because it would delay every start. Older versions of Node have no such function.
  const { default: http } = await import('node:http');
  const useProxy: typeof http.setGlobalProxyFromEnv | undefined = http.setGlobalProxyFromEnv;
  if (useProxy === undefined)
    return tell(`esk: ${set} is ignored by Node ${process.version}; use the executable of esk, or Node 24.14 or newer`);
  try {
    useProxy(withDirectMetadata(env));
  } catch {
    throw wrongUsage(`${set} is not the URL of a proxy`);
  }
}

const METADATA_HOSTS = ['metadata.google.internal', '169.254.169.254'];

/**
 * Excludes Google's metadata server from the proxy. Each machine has a different server, so a proxy would see the token,
 * or return the token of the proxy's machine.
 */
function withDirectMetadata(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const excluded = env.no_proxy || env.NO_PROXY;
  // In a list, Node does not understand the sign for all hosts.
  if (excluded === '*') return env;
  const hosts = [excluded, ...METADATA_HOSTS, env.GCE_METADATA_HOST].filter((host) => host);
  return { ...env, no_proxy: hosts.join(',') };
}
