/** Returns a function that makes a value at its first call, and then keeps it. After a failure, the next call tries again. */
export function makeOnce<T>(make: () => Promise<T>): () => Promise<T> {
  let making: Promise<T> | undefined;
  return () => {
    making ??= make().catch((error: unknown) => {
      making = undefined;
      throw error;
    });
    return making;
  };
}
