const places = 12;

/** A decimal unit amount times a decimal quantity, in whole units, halves rounded away from zero. */
export function multiplyDecimals(unitAmount: string, quantity: string): number {
  const product = scaled(unitAmount) * scaled(quantity);
  const unit = 10n ** BigInt(2 * places);
  const magnitude = product < 0n ? -product : product;
  const rounded = (magnitude + unit / 2n) / unit;
  return Number(product < 0n ? -rounded : rounded);
}

function scaled(decimal: string): bigint {
  const [whole = '', fraction = ''] = decimal.split('.');
  return BigInt(`${whole}${fraction.padEnd(places, '0')}`);
}
