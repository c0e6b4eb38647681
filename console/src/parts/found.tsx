import type { ComponentChildren } from 'preact';
import { EncryptionServiceError } from '../../../client/src/index.ts';
import { Link } from '../address/link.tsx';
import { type Answer, useAnswer } from '../service/answer.ts';
import { COMMON } from '../words.ts';
import { Failure, Loading } from './loaded.tsx';
import { Page } from './page.tsx';

/** The console's texts about one kind of item. */
interface Kind {
  /** The title of the list page. */
  readonly title: string;
  readonly gone: string;
  readonly goneText: string;
}

interface FoundProps<T> {
  readonly answer: Answer<T>;
  readonly kind: Kind;
  /** The path of the list page. */
  readonly list: string;
  /** Other answers on the page. Their errors appear together with the error of `answer`. */
  readonly also?: readonly Answer<unknown>[];
  readonly children: (thing: T) => ComponentChildren;
}

/** The page of one item. It shows different texts if the item does not exist and if the request failed. */
export function Found<T>({ answer, kind: { title, gone, goneText }, list, also = [], children }: FoundProps<T>) {
  const { value, problem } = useAnswer(answer);
  if (problem instanceof EncryptionServiceError && problem.code === 'not_found') {
    return (
      <Page title={gone}>
        <p>
          {goneText} <Link to={list}>{title}</Link>
        </p>
      </Page>
    );
  }
  if (value !== undefined) {
    return (
      <>
        <p class="back">
          <Link to={list}>{COMMON.back(title)}</Link>
        </p>
        <Failure of={[answer, ...also]} />
        {children(value)}
      </>
    );
  }
  if (problem === undefined) return <Loading />;
  return (
    <Page title={title}>
      <Failure of={[answer]} />
    </Page>
  );
}
