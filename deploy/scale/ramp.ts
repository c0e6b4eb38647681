/** What Firestore advises for a new collection: start with 500 writes a second, and add half every five minutes. */
const START = 500;
const GROWTH = 1.5;
const EVERY_MINUTES = 5;

/** Returns how many minutes of growth traffic needs to reach this many writes a second. */
export function rampMinutes(writesPerSecond: number): number {
  if (writesPerSecond <= START) return 0;
  return EVERY_MINUTES * Math.ceil(Math.log(writesPerSecond / START) / Math.log(GROWTH));
}
