import { once } from 'node:events';
import { z } from 'zod';

const targets = z.tuple([z.object({ webSocketDebuggerUrl: z.url() })]).rest(z.unknown());
const answer = z.object({ id: z.int(), result: z.unknown() });
const usage = z.object({ usedSize: z.number() });

/** A connection to the inspector of a Node process, which uses the Chrome DevTools Protocol. */
export interface Inspector {
  /** Collects garbage. Returns the number of bytes that are still in use on the heap. */
  reachableBytes(): Promise<number>;
  close(): void;
}

/** Connects to a local process that was started with `--inspect` on this port. */
export async function connectInspector(port: number): Promise<Inspector> {
  const listed = await fetch(`http://127.0.0.1:${port}/json/list`);
  const [{ webSocketDebuggerUrl }] = targets.parse(await listed.json());
  const socket = new WebSocket(webSocketDebuggerUrl);
  await once(socket, 'open');
  let lastId = 0;
  const call = (method: string): Promise<unknown> => {
    const id = ++lastId;
    return new Promise((resolve) => {
      const listen = ({ data }: MessageEvent) => {
        const parsed = answer.safeParse(JSON.parse(String(data)));
        if (!parsed.success || parsed.data.id !== id) return;
        socket.removeEventListener('message', listen);
        resolve(parsed.data.result);
      };
      socket.addEventListener('message', listen);
      socket.send(JSON.stringify({ id, method }));
    });
  };
  return {
    async reachableBytes() {
      // The second run collects the objects that the first run has finalized.
      await call('HeapProfiler.collectGarbage');
      await call('HeapProfiler.collectGarbage');
      return usage.parse(await call('Runtime.getHeapUsage')).usedSize;
    },
    close: () => socket.close(),
  };
}
