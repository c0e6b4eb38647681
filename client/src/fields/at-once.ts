/** The most calls to the service at a time. */
const AT_ONCE = 8;

/** Does the work for each item, at most eight at a time. After an error, starts no more. */
export async function eight<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const left = items.values();
  let isFailed = false;
  const worker = async () => {
    for (const item of left) {
      if (isFailed) return;
      try {
        await work(item);
      } catch (error) {
        isFailed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, worker));
}

/** The most values that are encrypted or decrypted at a time, which bounds the memory. */
const PART = 64;

/** Does the work for all items, a part of them at a time. */
export async function inParts<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  for (let at = 0; at < items.length; at += PART) await Promise.all(items.slice(at, at + PART).map(work));
}
