import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

/** An error answer from the gateway itself. Clients see its message. */
export class LocalReply extends Error {
  override name = 'LocalReply';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }

  /** Sends the answer. If another answer has already started, closes the connection instead. */
  send(response: ServerResponse): void {
    if (response.headersSent) return void response.destroy();
    // The gateway does not read the rest of the request's body, so the connection cannot be reused.
    if (!response.req.complete) response.setHeader('connection', 'close');
    const body = this.#body();
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    response.writeHead(this.status, headers).end(body);
  }

  /** Sends the answer on a connection whose request could not be parsed, then closes the connection. */
  sendOn(socket: Duplex): void {
    const body = this.#body();
    // After CONNECT, Node no longer handles errors of the connection, such as a reset by the client.
    socket.on('error', () => undefined);
    const head = `HTTP/1.1 ${this.status} ${STATUS_CODES[this.status]}\r\ncontent-type: application/json\r\n`;
    socket.end(`${head}content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`);
  }

  #body(): string {
    return JSON.stringify({ code: this.status, message: this.message });
  }
}
