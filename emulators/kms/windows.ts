import http2 from 'node:http2';

/** Bytes. Google's front ends keep their windows this wide and wider. */
const WINDOW = 1 << 20;

/**
 * Runs `bind`, whose gRPC server gets wide flow-control windows. gRPC's server for Node has no setting for them, and with
 * Node's 64 KiB to a connection, one message of 64 KiB would wait for the last to be taken in, whoever sent it.
 */
export const withWideWindows = async <T>(bind: () => Promise<T>): Promise<T> => {
  const { createServer } = http2;
  http2.createServer = (options: object = {}) => {
    const server = createServer({ ...options, settings: { initialWindowSize: WINDOW } });
    return server.on('session', (session) => session.setLocalWindowSize(WINDOW));
  };
  try {
    return await bind();
  } finally {
    http2.createServer = createServer;
  }
};
