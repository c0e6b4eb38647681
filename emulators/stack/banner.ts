import type { Stack } from './stack.ts';

export function banner({ overview, controlUrl }: Pick<Stack, 'overview' | 'controlUrl'>, closed: boolean): string {
  const { base_url, console_url, demo } = overview;
  if (closed) {
    return `
Ready. The service at ${base_url} is closed: it refuses every caller.
The control API is at ${controlUrl}. To seal the audit logs:

curl -s -X POST ${controlUrl}/scheduled/seal-audit; echo

Press Ctrl-C to stop. Start again without --closed to open the service.
`;
  }
  const post = `curl -s -H "Authorization: Bearer $API_KEY" -H 'Content-Type: application/json'`;
  const key = `${base_url}/v1/keys/${demo.key_id}`;
  return `
Ready. The service is at ${base_url}, the control API at ${controlUrl}.
${console_url === null ? '' : `The console is at ${console_url}. Sign in as ${demo.subject} to see the demo tenant.\n`}The demo tenant's API key: ${demo.api_key}

Paste these lines into another terminal. They encrypt and decrypt a value, wrap a new data key, and list the keys:

API_KEY='${demo.api_key}'

CIPHERTEXT=$(${post} ${key}/encrypt \\
  -d '{"plaintext":"${Buffer.from('Hello, world').toString('base64')}"}' | sed 's/.*"ciphertext":"\\([^"]*\\)".*/\\1/'); echo "$CIPHERTEXT"
${post} ${key}/decrypt \\
  -d "{\\"ciphertext\\":\\"$CIPHERTEXT\\"}" | sed 's/.*"plaintext":"\\([^"]*\\)".*/\\1/' | base64 -d; echo

${post} ${key}/wrap -d '{}'; echo

curl -s -H "Authorization: Bearer $API_KEY" ${base_url}/v1/keys; echo

Press Ctrl-C to stop.
`;
}
