import type { ComponentChildren } from 'preact';
import { EncryptionServiceError } from '../../../client/src/index.ts';
import { Link } from '../address/link.tsx';
import { type Answer, useAnswer } from '../service/answer.ts';
import { Failure, Loading } from './loaded.tsx';
import { Page } from './page.tsx';

/** What is said of things of a kind. */
interface Kind {
  /** The list that such things are in. */
  readonly title: string;
  readonly gone: string;
  readonly goneText: string;
}

interface FoundProps<T> {
  readonly answer: Answer<T>;
  readonly kind: Kind;
  /** The address of the list. */
  readonly list: string;
  /** What else the page shows, as {@link Known} does. */
  readonly also?: readonly Answer<unknown>[];
  readonly children: (thing: T) => ComponentChildren;
}

/** The page of one thing: the thing, that it is not there, or the failure, which says nothing of whether it is. */
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
