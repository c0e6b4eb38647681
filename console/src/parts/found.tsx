import type { ComponentChildren } from 'preact';
import { EncryptionServiceError } from '../../../client/src/index.ts';
import { Link } from '../address/link.tsx';
import { type Answer, useAnswer } from '../service/answer.ts';
import { Loading } from './loaded.tsx';
import { Page } from './page.tsx';
import { Problem } from './problem.tsx';

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
  readonly children: (thing: T) => ComponentChildren;
}

/** The page of one thing: the thing, that it is not there, or the failure, which says nothing of whether it is. */
export function Found<T>({ answer, kind: { title, gone, goneText }, list, children }: FoundProps<T>) {
  const { value, problem, ask } = useAnswer(answer);
  const isGone = problem instanceof EncryptionServiceError && problem.code === 'not_found';
  if (isGone) {
    return (
      <Page title={gone}>
        <p>
          {goneText} <Link to={list}>{title}</Link>
        </p>
      </Page>
    );
  }
  const notice = problem !== undefined && <Problem problem={problem} isReading onRetry={() => void ask()} />;
  if (value !== undefined) {
    return (
      <>
        {notice}
        {children(value)}
      </>
    );
  }
  return problem === undefined ? <Loading /> : <Page title={title}>{notice}</Page>;
}
