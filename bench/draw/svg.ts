type Attributes = Readonly<Record<string, string | number>>;

/** An element around what it holds, which is markup already. Lengths are rounded to a tenth of a pixel. */
export function element(name: string, attributes: Attributes, ...inside: readonly string[]): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${show(value)}"`);
  const opening = `<${name}${written.join('')}`;
  return inside.length === 0 ? `${opening}/>` : `${opening}>${inside.join('')}</${name}>`;
}

/** A line of text; `anchor` says which end of it `x` is. */
export function text(x: number, y: number, words: string, look: string, anchor = 'start'): string {
  return element('text', { x, y, class: look, 'text-anchor': anchor }, asText(words));
}

/** A straight line. */
export function line(x1: number, y1: number, x2: number, y2: number, look: string): string {
  return element('line', { x1, y1, x2, y2, class: look });
}

function show(value: string | number): string {
  return typeof value === 'number' ? String(Math.round(value * 10) / 10) : asText(value);
}

function asText(words: string): string {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
