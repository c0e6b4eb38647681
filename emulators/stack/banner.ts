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
  return `
Ready. The service is at ${base_url}, the control API at ${controlUrl}.
${console_url === null ? '' : `The console is at ${console_url}. Sign in as ${demo.subject} to see the demo tenant.\n`}The demo tenant's API key: ${demo.api_key}

Paste these lines into another terminal, in the same folder. They encrypt and decrypt a text, and show the usage of keys:

export ESK_URL='${base_url}' ESK_API_KEY='${demo.api_key}'
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
