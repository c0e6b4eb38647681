const relative = new Intl.RelativeTimeFormat('en-US', { numeric: 'always', style: 'short' });
const exact = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeStyle: 'long' });

const STEPS = [
  ['second', 60],
  ['minute', 60],
  ['hour', 24],
  ['day', 30],
  ['month', 12],
] as const;

/** Returns a time relative to `now`, such as "3 min. ago" or "in 6 days". */
function inWords(time: Date, now: Date): string {
  let value = (time.getTime() - now.getTime()) / 1000;
  if (Math.abs(value) < 10) return 'just now';
  for (const [unit, size] of STEPS) {
    if (Math.abs(value) < size) return relative.format(Math.round(value), unit);
    value /= size;
  }
  return relative.format(Math.round(value), 'year');
}

/** A relative time. Its tooltip shows the exact local time and UTC. */
export function Moment({ time }: { readonly time: Date }) {
  const title = `${exact.format(time)} · ${time.toJSON()}`;
  return (
    <time dateTime={time.toJSON()} title={title}>
      {inWords(time, new Date())}
    </time>
  );
}

/** The local time, with seconds. Its tooltip also shows UTC. */
export function ExactTime({ time }: { readonly time: Date }) {
  return (
    <time dateTime={time.toJSON()} title={`${exact.format(time)} · ${time.toJSON()}`}>
      {time.toLocaleString('sv-SE')}
    </time>
  );
}
