/** Saves a state that changes: many changes may go in one save, and whoever needs to know waits for theirs. */
export interface Saver {
  /** Notes a change; a save that includes it follows. */
  changed(): void;
  /** Resolves once every change so far is saved; rejects when it could not be, and the next call tries again. */
  saved(): Promise<void>;
}

/** A saver that has at most one `save` running, which reads the state when it starts. */
export const makeSaver = (save: () => Promise<void>): Saver => {
  let running = Promise.resolve();
  let queued: Promise<void> | undefined;
  let failed = false;

  const saveNext = async (previous: Promise<void>) => {
    await previous.catch(() => undefined);
    running = queued ?? running;
    queued = undefined;
    try {
      await save();
      failed = false;
    } catch (error) {
      failed = true;
      throw error;
    }
  };
  const changed = () => {
    if (queued !== undefined) return;
    queued = saveNext(running);
    // The failure belongs to those who wait; without anyone waiting it must not end the process.
    queued.catch(() => undefined);
  };
  return {
    changed,
    saved: () => {
      if (failed && queued === undefined) changed();
      return queued ?? running;
    },
  };
};
