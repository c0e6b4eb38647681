/**
 * Text for one line of a terminal: control characters (C0, C1, DEL) and the marks that turn the direction of writing
 * (Unicode UAX #9) could make it show something else than it says, so they are shown as `�`.
 */
export function oneLine(text: string): string {
  const lines = text.split(/[\r\n]+/).map((line) => line.trim());
  return lines.join(' ').replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');
}
