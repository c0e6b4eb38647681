import { visibleText } from '../../../client/src/visible-text.ts';

/**
 * A name that somebody chose. It cannot change the direction of the text around it, and shows characters that cannot be
 * seen, so that no name looks like another.
 */
export function Name({ text }: { readonly text: string }) {
  return <bdi>{visibleText(text)}</bdi>;
}
