import http2 from 'node:http2';

/** The size of the flow-control windows. Google's front ends use at least this size. */
const WINDOW_BYTES = 1 << 20;

/**
 * Calls `bind`, which starts a gRPC server, and makes the flow-control windows of this server large. gRPC for Node has
 * no setting for their size. With the default of 64 KiB, each message of 64 KiB would have to wait until the previous
 * message is read.
 */
export async function withWideWindows<T>(bind: () => Promise<T>): Promise<T> {
  const { createServer } = http2;
  http2.createServer = (options: object = {}) => {
    const server = createServer({ ...options, settings: { initialWindowSize: WINDOW_BYTES } });
    return server.on('session', (session) => session.setLocalWindowSize(WINDOW_BYTES));
  };
  try {
    return await bind();
  } finally {
    http2.createServer = createServer;
  }
}
