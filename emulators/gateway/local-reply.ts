import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

/** An answer that the gateway makes itself. Its message is public. */
export class LocalReply extends Error {
  override name = 'LocalReply';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }

  /** Answers, unless an answer has begun, which is then cut off. */
  send(response: ServerResponse): void {
    if (response.headersSent) return void response.destroy();
    // What is left of the request's body is not read.
    if (!response.req.complete) response.setHeader('connection', 'close');
    const body = this.#body();
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    response.writeHead(this.status, headers).end(body);
  }

  /** Answers on a bare connection, and closes it. */
  sendOn(socket: Duplex): void {
    const body = this.#body();
    const head = `HTTP/1.1 ${this.status} ${STATUS_CODES[this.status]}\r\ncontent-type: application/json\r\n`;
    socket.end(`${head}content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`);
  }

  #body(): string {
    return JSON.stringify({ code: this.status, message: this.message });
  }
}
