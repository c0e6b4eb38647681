import { visibleText } from '../visible-text.ts';

/** Returns one line of text whose invisible characters are shown, because they could disguise the text. */
export function oneLine(text: string): string {
  const lines = text.split(/[\r\n]+/).map((line) => line.trim());
  return visibleText(lines.join(' '));
}
