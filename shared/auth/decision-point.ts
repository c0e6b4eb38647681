import http from 'node:http';
import https from 'node:https';
import { urlToHttpOptions } from 'node:url';
import { z } from 'zod';
import { DeadlineExceeded } from '../base/deadline.ts';
import { DEADLINES_MS } from '../deadlines.ts';

export interface Principal {
  readonly id: string;
  readonly roles: readonly string[];
  readonly attr: Readonly<Record<string, unknown>>;
}

export interface ResourceCheck {
  readonly resource: { readonly kind: string; readonly id: string; readonly attr: Readonly<Record<string, unknown>> };
  readonly actions: readonly string[];
}

const decisions = z.object({ results: z.array(z.object({ actions: z.record(z.string(), z.string()) })) });
const health = z.object({ status: z.string() });

/** Calls the policy decision point with Node's HTTP client. Cerbos's own client needs twice the CPU time. */
export class DecisionPoint {
  readonly #address: http.RequestOptions;
  readonly #basePath: string;
  readonly #request: typeof http.request;

  constructor(url: string) {
    const client = url.startsWith('https:') ? https : http;
    this.#basePath = new URL(url).pathname.replace(/\/$/, '');
    const headers = { 'content-type': 'application/json' };
    const agent = new client.Agent({ keepAlive: true, timeout: DEADLINES_MS.idle });
    this.#address = { ...urlToHttpOptions(new URL(url)), agent, headers };
    this.#request = client.request;
  }

  /** Returns, for each resource, the effect of each action, such as `EFFECT_ALLOW`. */
  async check(
    principal: Principal,
    resources: readonly ResourceCheck[],
  ): Promise<readonly Readonly<Record<string, string>>[]> {
    const answer = await this.#call('POST', '/api/check/resources', DEADLINES_MS.policy, { principal, resources });
    return decisions.parse(JSON.parse(answer)).results.map(({ actions }) => actions);
  }

  async ping(): Promise<void> {
    const { status } = health.parse(JSON.parse(await this.#call('GET', '/_cerbos/health', DEADLINES_MS.readiness)));
    if (status !== 'SERVING') throw new Error(`the policy decision point reports the status ${status}`);
  }

  #call(method: string, path: string, deadlineMs: number, body?: object): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const asked = this.#request({ ...this.#address, method, path: this.#basePath + path }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part) => {
        text += part;
      });
      answer.on('error', reject).on('end', () => {
        if (answer.statusCode === 200) resolve(text);
        else reject(new Error(`the policy decision point answered with HTTP status ${answer.statusCode}`));
      });
    });
    const late = setTimeout(() => {
      const error = new DeadlineExceeded(`no answer within ${deadlineMs} ms`);
      reject(error);
      asked.destroy(error);
    }, deadlineMs);
    const settled = () => clearTimeout(late);
    promise.then(settled, settled);
    // If the policy decision point has just closed this reused connection, retry on another connection.
    asked.once('error', (error: NodeJS.ErrnoException) => {
      const wasClosed = asked.reusedSocket && error.code === 'ECONNRESET';
      if (wasClosed) resolve(this.#call(method, path, deadlineMs, body));
      else reject(error);
    });
    asked.end(body && JSON.stringify(body));
    return promise;
  }
}
