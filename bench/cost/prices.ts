/** The names of the prices that operations are charged at, as the price table of docs/performance.md has them. */
const NAMES = {
  read: 'Firestore read',
  write: 'Firestore write',
  kmsCall: 'KMS call',
  gatewayCall: 'API Gateway call',
  runRequest: 'Cloud Run request',
  loggedGib: 'log',
} as const;

/** What one of each costs in US dollars. */
export type Prices = Readonly<Record<keyof typeof NAMES, number>>;

const TABLE = /<!-- prices -->\n([\s\S]*?)<!-- end -->/;

/**
 * Reads the price table of docs/performance.md, given that page: `| NAME | $PRICE | COUNT UNIT |` a line. Throws when a
 * price is not there.
 */
export function readPrices(page: string): Prices {
  const [, table = ''] = TABLE.exec(page) ?? [];
  const each = new Map(
    [...table.matchAll(/^\| ([^|]+?) \| \$([\d.]+) \| ([\d,]+) /gm)].map(([, name = '', dollars, count = '']) => [
      name,
      Number(dollars) / Number(count.replaceAll(',', '')),
    ]),
  );
  const priceOf = (name: keyof typeof NAMES): number => {
    const price = each.get(NAMES[name]);
    if (price === undefined) throw new Error(`the price table has no ${NAMES[name]}`);
    return price;
  };
  return {
    read: priceOf('read'),
    write: priceOf('write'),
    kmsCall: priceOf('kmsCall'),
    gatewayCall: priceOf('gatewayCall'),
    runRequest: priceOf('runRequest'),
    loggedGib: priceOf('loggedGib'),
  };
}
