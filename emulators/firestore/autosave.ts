const shortestIntervalMs = 15_000;
/** Saving may take at most this share of the emulator's time. */
const largestShare = 1 / 20;

/** Saves again and again while there is something new, less often where saving takes long. */
export type Autosave = {
  /** Saves once more, and stops. Rejects when that fails. */
  readonly stop: () => Promise<void>;
};

/** Starts it. `revision` changes whenever there may be something to save; a save that fails is tried again later. */
export function startAutosave(save: () => Promise<void>, revision: () => number): Autosave {
  let savedRevision = revision();
  let running: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  const saveIfNew = async (): Promise<number> => {
    const seen = revision();
    if (seen === savedRevision) return shortestIntervalMs;
    const started = performance.now();
    try {
      await save();
      savedRevision = seen;
    } catch {
      // The emulator is stopping or busy: what could not be saved now is saved with the next.
    }
    return Math.max(shortestIntervalMs, (performance.now() - started) / largestShare);
  };
  const schedule = (ms: number): void => {
    timer = setTimeout(() => {
      running = saveIfNew().then((next) => {
        if (timer !== undefined) schedule(next);
      });
    }, ms);
    timer.unref();
  };
  schedule(shortestIntervalMs);
  return {
    stop: async () => {
      clearTimeout(timer);
      timer = undefined;
      await running;
      await save();
    },
  };
}
