import http2 from 'node:http2';

/** Google's front ends use flow-control windows of at least this size. */
const WINDOW_BYTES = 1 << 20;

/**
 * Gives large flow-control windows to the gRPC server that `bind` starts. gRPC for Node has no setting for this. With
 * the default of 64 KiB, each 64 KiB message waits until the previous message is read.
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
