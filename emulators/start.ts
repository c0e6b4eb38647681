import { join } from 'node:path';
import { REPOSITORY_ROOT } from './base/repository.ts';
import { StartError } from './base/start-error.ts';
import { parseFlags, USAGE, UsageError } from './stack/flags.ts';
import type { Stack, StackOptions } from './stack/stack.ts';
import { startStack } from './stack/start-stack.ts';

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function printError(line: string): void {
  process.stderr.write(`${line}\n`);
}

// Writing to a terminal that was closed fails. Ignore this error, so that the process can still save its state.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

const SAME_SIGNAL_MS = 500;

async function run(options: StackOptions): Promise<void> {
  let stack: Stack | undefined;
  let stoppingSince: number | undefined;
  const stop = async (): Promise<void> => {
    if (stoppingSince !== undefined) {
      // Ctrl-C sends the signal twice: the terminal and npm each send it. A later signal is a second Ctrl-C.
      if (performance.now() - stoppingSince > SAME_SIGNAL_MS) process.exit(1);
      return;
    }
    stoppingSince = performance.now();
    try {
      await stack?.stop();
      print('Stopped.');
      process.exit(0);
    } catch (error) {
      printError(`Stopped, but ${error instanceof Error ? error.message : error}`);
      process.exit(1);
    }
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  // Starting the stack changes these variables.
  const proxied = usesProxy(process.env);
  stack = await startStack({ ...options, log: print });
  print(banner(stack, options.closed ?? false, proxied));
}

try {
  const options = parseFlags(process.argv.slice(2), join(REPOSITORY_ROOT, '.local'));
  if (options === undefined) print(USAGE);
  else await run(options);
} catch (error) {
  const isUserError = error instanceof UsageError || error instanceof StartError;
  printError(isUserError ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.exit(error instanceof UsageError ? 2 : 1);
}

/** Returns whether programs such as `curl` send requests for 127.0.0.1 to a proxy. */
function usesProxy(env: NodeJS.ProcessEnv): boolean {
  const has = (...names: string[]): boolean => names.some((name) => env[name] || env[name.toUpperCase()]);
  const excluded = [env.no_proxy, env.NO_PROXY].join(',').split(/[\s,]+/);
  return has('http_proxy', 'https_proxy', 'all_proxy') && !excluded.includes('127.0.0.1') && !excluded.includes('*');
}

function banner(
  { overview, controlUrl }: Pick<Stack, 'overview' | 'controlUrl'>,
  closed: boolean,
  proxied: boolean,
): string {
  const { base_url, console_url, demo } = overview;
  const direct = proxied ? 'export no_proxy=127.0.0.1,localhost NO_PROXY=127.0.0.1,localhost\n' : '';
  if (closed) {
    return `
Ready. The service at ${base_url} is closed: it refuses every caller.
The control API is at ${controlUrl}. To seal the audit logs:

${direct}curl -s -X POST ${controlUrl}/scheduled/seal-audit; echo

Press Ctrl-C to stop. Start again without --closed to open the service.
`;
  }
  return `
Ready. The service is at ${base_url}, the control API at ${controlUrl}.
${console_url === null ? '' : `The console is at ${console_url}. Sign in as ${demo.subject} to see the demo tenant.\n`}The demo tenant's API key: ${demo.api_key}

Paste these lines into another terminal, in the same folder. They encrypt and decrypt a text, and show the usage of keys:

${direct}export ESK_URL='${base_url}' ESK_API_KEY='${demo.api_key}'
SECRET=$(echo 'Hello, world' | npx esk encrypt --key demo --armor) && echo "$SECRET"
echo "$SECRET" | npx esk decrypt
npx esk usage

Or over HTTP. Binary fields are base64:

curl -s -H "Authorization: Bearer $ESK_API_KEY" ${base_url}/v1/keys; echo
curl -s -H "Authorization: Bearer $ESK_API_KEY" -H 'Content-Type: application/json' \\
  ${base_url}/v1/keys/${demo.key_id}/encrypt -d '{"plaintext":"SGVsbG8="}'; echo

Press Ctrl-C to stop.
`;
}
