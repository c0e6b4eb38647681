const AFTER_MS = 1000;
const EVERY_MS = 200;
const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'];

/** Whether the terminal shows a line of progress now. */
let isShown = false;

/**
 * Returns a stream that passes bytes on unchanged, and shows the progress of a long transfer if standard error is a
 * terminal.
 */
export function withProgress(size: number | undefined, isToFile: boolean): TransformStream<Uint8Array, Uint8Array> {
  const isSeen = process.stderr.isTTY === true && (isToFile || process.stdout.isTTY !== true);
  if (!isSeen) return new TransformStream();
  const start = Date.now();
  let bytes = 0;
  let shown = start + AFTER_MS - EVERY_MS;
  const show = (now: number) => {
    const share = size ? `${Math.floor((bytes / size) * 100)} % of ${amount(size)}` : amount(bytes);
    isShown = true;
    process.stderr.write(`\r\u001b[K${share}, ${amount((bytes / (now - start)) * 1000)}/s`);
  };
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.length;
      const now = Date.now();
      if (now - shown >= EVERY_MS) {
        show(now);
        shown = now;
      }
      controller.enqueue(chunk);
    },
    flush: clearProgress,
  });
}

function amount(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  return `${(bytes / 1000 ** power).toFixed(power === 0 ? 0 : 1)} ${UNITS[power]}`;
}

export function clearProgress(): void {
  if (isShown) process.stderr.write('\r\u001b[K');
  isShown = false;
}
