/**
 * Characters without an own appearance, which could make a name look like another: control characters, marks of text
 * direction, and characters without width. Allowed are the joiner between two emojis and the sign that selects an emoji.
 */
const INVISIBLE =
  /(?<!\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]{0,2})\u200d|\u200d(?!\p{Extended_Pictographic})|(?<![\p{Extended_Pictographic}#*0-9])\ufe0f|(?![\u200d\ufe0f])[\p{Cc}\p{Cf}\p{DI}\p{Zl}\p{Zp}]/gu;

/** Returns the text with its invisible characters shown as their code points, such as `<U+202E>`. */
export function visibleText(text: string): string {
  return text.replace(INVISIBLE, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
  });
}

/** Returns one line of text whose invisible characters are shown, because they could disguise the text. */
export function oneLine(text: string): string {
  const lines = text.split(/[\r\n]+/).map((line) => line.trim());
  return visibleText(lines.join(' '));
}
