import type { ComponentChildren } from 'preact';
import { type Answer, useAnswer, useAnswers } from '../service/answer.ts';
import { COMMON } from '../words.ts';
import { Problem } from './problem.tsx';

interface LoadedProps<T> {
  readonly answer: Answer<T>;
  readonly children: (value: T) => ComponentChildren;
}

/**
 * Shows the value once it is loaded, and a loading line before. Shows an error if the request failed. If a later
 * request fails, the error appears above the old value.
 */
export function Loaded<T>({ answer, children }: LoadedProps<T>) {
  const { value, problem } = useAnswer(answer);
  return (
    <>
      <Failure of={[answer]} />
      {value !== undefined ? children(value) : problem === undefined && <Loading />}
    </>
  );
}

/**
 * Shows the value once it is loaded. Unlike {@link Loaded}, it shows no error, because the page shows all errors in one
 * {@link Failure}.
 */
export function Known<T>({ answer, children }: LoadedProps<T>) {
  const { value, problem } = useAnswer(answer);
  if (value !== undefined) return <>{children(value)}</>;
  return problem === undefined ? <Loading /> : <p class="muted">{COMMON.unknown}</p>;
}

/** Shows the first error of several answers, with a button that reloads all failed answers. */
export function Failure({ of: answers }: { readonly of: readonly Answer<unknown>[] }) {
  useAnswers(...answers);
  const failed = answers.filter(({ problem }) => problem !== undefined);
  if (failed.length === 0) return null;
  const askAgain = (): void => {
    for (const { ask } of failed) void ask();
  };
  return (
    <>
      <Problem problem={failed[0]?.problem} request="repeated-read" onRetry={askAgain} />
      {failed.some(({ value }) => value !== undefined) && <p class="small muted">{COMMON.outdated}</p>}
    </>
  );
}

/**
 * A loading line. The stylesheet shows it only after a short delay, so that it does not flash when an answer arrives
 * quickly.
 */
export function Loading() {
  return (
    <p class="loading muted" role="status">
      {COMMON.loading}
    </p>
  );
}
