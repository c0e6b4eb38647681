import type { Stack } from './stack.ts';

/** What a stack that has started prints: its addresses, and commands to paste into a shell. */
export function banner({ overview, controlUrl }: Pick<Stack, 'overview' | 'controlUrl'>): string {
  const { base_url, console_url, demo } = overview;
  const post = `curl -s -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json'`;
  const key = `${base_url}/v1/keys/${demo.key_id}`;
  return `
Ready. The service is at ${base_url}, the control API at ${controlUrl}.
${console_url === null ? '' : `The console is at ${console_url}; any subject may sign in, ${demo.subject} owns the demo tenant.\n`}API key (all actions, demo tenant): ${demo.api_key}

Try it:

KEY='${demo.api_key}'

# encrypt, then decrypt what came back
CIPHERTEXT=$(${post} ${key}/encrypt \\
  -d '{"plaintext":"${Buffer.from('Hello, world').toString('base64')}"}' | sed 's/.*"ciphertext":"\\([^"]*\\)".*/\\1/'); echo "$CIPHERTEXT"
${post} ${key}/decrypt \\
  -d "{\\"ciphertext\\":\\"$CIPHERTEXT\\"}" | sed 's/.*"plaintext":"\\([^"]*\\)".*/\\1/' | base64 -d; echo

# wrap a data key; with {} one is made
${post} ${key}/wrap -d '{}'; echo

# list keys
curl -s -H "Authorization: Bearer $KEY" ${base_url}/v1/keys; echo

Ctrl-C stops everything.
`;
}
