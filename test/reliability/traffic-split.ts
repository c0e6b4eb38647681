import http from 'node:http';
import { pipeline } from 'node:stream';
import { listen, portOf } from '../../emulators/base/listen.ts';
import type { Revision } from './revision.ts';

/** The header that names the version that gave the answer. */
export const ANSWERED_BY = 'x-answered-by';

/** Does the work of Cloud Run's traffic split: sends requests in turn to the revisions that have traffic. */
export interface TrafficSplit {
  readonly port: number;
  /** Sends all further requests to these revisions. Requests in progress are not moved. */
  send(to: readonly Pick<Revision, 'name' | 'baseUrl'>[]): void;
  stop(): Promise<void>;
}

/** Starts the traffic split. If a revision breaks a connection, the answer is 502. There is no retry. */
export async function startTrafficSplit(): Promise<TrafficSplit> {
  let revisions: readonly Pick<Revision, 'name' | 'baseUrl'>[] = [];
  let turn = 0;
  const server = http.createServer((message, response) => {
    const revision = revisions[turn++ % revisions.length];
    if (revision === undefined) return void response.writeHead(503).end();
    const { method, headers, url } = message;
    const onward = http.request(revision.baseUrl + url, { method, headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, { ...answer.headers, [ANSWERED_BY]: revision.name });
      pipeline(answer, response, () => undefined);
    });
    onward.once('error', () => (response.headersSent ? response.destroy() : response.writeHead(502).end()));
    message.pipe(onward);
  });
  await listen(server, 0);
  return {
    port: portOf(server),
    send(to) {
      revisions = to;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
