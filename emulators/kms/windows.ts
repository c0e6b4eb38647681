import http2 from 'node:http2';

/** Google's front ends have windows of this size and larger. */
const WINDOW_BYTES = 1 << 20;

/**
 * Runs `bind` so that the gRPC server it binds gets large flow-control windows, for which gRPC for Node has no setting.
 * With Node's default of 64 KiB for a connection, each message of 64 KiB would wait until the one before is read.
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
