export type CheckName =
  | 'address'
  | 'tls'
  | 'clock'
  | 'readiness'
  | 'credential'
  | 'firewall'
  | 'rights'
  | 'billing'
  | 'allowance';

export interface Verdict {
  /** `warn`: calls succeed, but something needs attention. `fail`: calls fail. `skipped`: the check could not run. */
  readonly state: 'ok' | 'warn' | 'fail' | 'skipped';
  readonly found: string;
  readonly advice: string | null;
}

export interface Finding extends Verdict {
  readonly check: CheckName;
}

export function ok(found: string): Verdict {
  return { state: 'ok', found, advice: null };
}

export function warn(found: string, advice: string): Verdict {
  return { state: 'warn', found, advice };
}

export function fail(found: string, advice: string): Verdict {
  return { state: 'fail', found, advice };
}

export function skipped(found: string): Verdict {
  return { state: 'skipped', found, advice: null };
}

export function anotherServer(url: string | URL): Verdict {
  return fail(
    `The server at ${url} does not answer as this service does.`,
    'Check the URL, including its path, and any proxy on the way.',
  );
}
