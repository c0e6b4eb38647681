import { currentSession } from '../session/session.ts';
import type { Line } from './snippet.tsx';

const apiUrl = (): string => {
  const session = currentSession();
  return session.state === 'signed-in' ? session.apiUrl : '';
};

const curl = (method: string, path: string, body: string | undefined): string =>
  `curl -X ${method} ${apiUrl()}${path} -H "Authorization: Bearer $ESK_API_KEY"${
    body === undefined ? '' : ` -H 'Content-Type: application/json' -d '${body}'`
  }`;

/** How a program does something: with curl, with the command line, with the library. */
export function ways(method: string, path: string, body: string | undefined, esk: string, library: string): Line[] {
  return [
    { with: 'curl', text: curl(method, path, body) },
    { with: 'esk', text: esk },
    { with: 'TypeScript', text: library },
  ];
}

export const waysToCreateKey = (): Line[] =>
  ways(
    'POST',
    '/v1/keys',
    '{"name":"orders","tier":"free"}',
    'npx esk keys create orders --tier free',
    "await service.createKey({ name: 'orders', tier: 'free' });",
  );

export const waysToEncrypt = (id: string): Line[] =>
  ways(
    'POST',
    `/v1/keys/${id}/encrypt`,
    '{"plaintext":"SGVsbG8="}',
    `npx esk encrypt --key ${id} -o letter.age letter.txt`,
    `const { ciphertext } = await service.encrypt('${id}', { plaintext: new TextEncoder().encode('Hello') });`,
  );

export const waysToRewrap = (id: string): Line[] =>
  ways(
    'POST',
    `/v1/keys/${id}/rewrap`,
    '{"ciphertext":"…"}',
    'npx esk rewrap *.age',
    `const { ciphertext } = await service.rewrap('${id}', { ciphertext: stored });`,
  );

export const waysToCreateApiKey = (): Line[] =>
  ways(
    'POST',
    '/v1/api-keys',
    '{"name":"shop","allowed_actions":["encrypt","decrypt"]}',
    'npx esk api-keys create shop --actions encrypt,decrypt',
    "const { token } = await service.createApiKey({ name: 'shop', allowed_actions: ['encrypt', 'decrypt'] });",
  ).map((line) => ({ ...line, text: line.text.replace('$ESK_API_KEY', '$ACCESS_TOKEN') }));

export const waysToCreateFirewall = (): Line[] =>
  ways(
    'POST',
    '/v1/firewalls',
    '{"name":"office","allowed_ips":["192.0.2.0/24"]}',
    'npx esk firewalls create office --networks 192.0.2.0/24',
    "await service.createFirewall({ name: 'office', allowed_ips: ['192.0.2.0/24'] });",
  ).map((line) => ({ ...line, text: line.text.replace('$ESK_API_KEY', '$ACCESS_TOKEN') }));
