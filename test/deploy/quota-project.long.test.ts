import { execFile } from 'node:child_process';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { renderScript } from '../../deploy/script.ts';
import { createStore } from '../../deploy/steps/store.ts';
import { listen, portOf } from '../../emulators/base/listen.ts';
import { ROOT } from '../sources.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { EXAMPLE } from './example.ts';

/** Returns an answer to a Google API call that lets firebase-tools continue. */
function answerTo(path: string, requestBody: string): unknown {
  if (path.endsWith('/token')) return { access_token: 'token', expires_in: 3_600 };
  if (path.endsWith(':testIamPermissions')) return JSON.parse(requestBody);
  if (path.includes('/services/')) return { state: 'ENABLED' };
  return path.endsWith('/rulesets') ? { name: 'projects/p/rulesets/r' } : {};
}

test('firebase-tools names the quota project in every call, because Google refuses a person’s Firestore calls without a quota project', async () => {
  const calls: [path: string, quotaProject: IncomingHttpHeaders[string]][] = [];
  const google = createServer(async (request, response) => {
    const { url: path = '', headers } = request;
    const requestBody = await text(request);
    if (!path.endsWith('/token')) calls.push([path, headers['x-goog-user-project']]);
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answerTo(path, requestBody)));
  });
  onTestFinished(() => void google.close());
  await listen(google, 0);
  const url = `http://127.0.0.1:${portOf(google)}`;
  const env = {
    PATH: process.env.PATH,
    HOME: temporaryFolder('quota-project'),
    FIREBASE_TOKEN: 'of a person',
    FIREBASE_TOKEN_URL: url,
    FIREBASE_RESOURCEMANAGER_URL: url,
    FIREBASE_SERVICE_USAGE_URL: url,
    FIREBASE_RULES_URL: url,
    FIRESTORE_URL: url,
  };
  const script = renderScript(
    EXAMPLE,
    createStore(EXAMPLE).filter(({ create }) => create.includes('firebase')),
  );
  await promisify(execFile)('bash', ['-c', script], { cwd: ROOT, env });
  const paths = calls.map(([path]) => path).join();
  expect(paths).toMatch(/\/indexes/);
  expect(paths).toMatch(/\/releases\/cloud\.firestore/);
  expect(calls.filter(([, project]) => project !== EXAMPLE.project)).toEqual([]);
});
