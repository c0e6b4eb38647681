import type { ComponentChildren } from 'preact';
import { type Answer, useAnswer, useAnswers } from '../service/answer.ts';
import { COMMON } from '../words.ts';
import { Problem } from './problem.tsx';

interface LoadedProps<T> {
  readonly answer: Answer<T>;
  readonly children: (value: T) => ComponentChildren;
}

/** Shows a loading line, the error, or the value. A value stays visible below the error of a later request. */
export function Loaded<T>({ answer, children }: LoadedProps<T>) {
  const { value, problem } = useAnswer(answer);
  return (
    <>
      <Failure of={[answer]} />
      {value !== undefined ? children(value) : problem === undefined && <Loading />}
    </>
  );
}

/** Like {@link Loaded}, for a page that reports all its errors in one {@link Failure}. */
export function Known<T>({ answer, children }: LoadedProps<T>) {
  const { value, problem } = useAnswer(answer);
  if (value !== undefined) return <>{children(value)}</>;
  return problem === undefined ? <Loading /> : <p class="muted">{COMMON.unknown}</p>;
}

/** Shows the first error among several answers, and a button that reloads all failed ones. */
export function Failure({ of: answers }: { readonly of: readonly Answer<unknown>[] }) {
  useAnswers(...answers);
  const failed = answers.filter(({ problem }) => problem !== undefined);
  if (failed.length === 0) return null;
  const askAgain = (): void => {
    for (const { ask } of failed) void ask();
  };
  return (
    <>
      <Problem problem={failed[0]?.problem} isReading onRetry={askAgain} />
      {failed.some(({ value }) => value !== undefined) && <p class="small muted">{COMMON.outdated}</p>}
    </>
  );
}

/** The stylesheet shows this line only after a short delay, so that it does not flash. */
export function Loading() {
  return (
    <p class="loading muted" role="status">
      {COMMON.loading}
    </p>
  );
}
