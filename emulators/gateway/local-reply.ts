import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

/** An answer that the gateway makes itself, thrown where it is decided. Clients see its message. */
export class LocalReply extends Error {
  override name = 'LocalReply';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }

  /** Sends it; where another answer has begun, cuts that off instead. */
  send(response: ServerResponse): void {
    if (response.headersSent) return void response.destroy();
    // What is left of the request's body is not read.
    if (!response.req.complete) response.setHeader('connection', 'close');
    const body = this.#body();
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    response.writeHead(this.status, headers).end(body);
  }

  /** Sends it on a connection without a parsed request, and closes the connection. */
  sendOn(socket: Duplex): void {
    const body = this.#body();
    const head = `HTTP/1.1 ${this.status} ${STATUS_CODES[this.status]}\r\ncontent-type: application/json\r\n`;
    socket.end(`${head}content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`);
  }

  #body(): string {
    return JSON.stringify({ code: this.status, message: this.message });
  }
}
