import type { ErrorCode } from '../errors.ts';
import type { Checked } from './route.ts';

/** A check as the documentation lists it. */
export interface Listed {
  /** What is so if the request continues. */
  readonly name: string;
  readonly codes: readonly ErrorCode[];
  /** The codes that are possible on a route, if they are not the same on all routes. */
  readonly codesFor?: (route: Checked) => readonly ErrorCode[];
  /** Whether a refusal can be written to the audit log, as `CATALOGUE` says for its code. */
  readonly isRecorded?: true;
}

/** A check that refuses the request by throwing one of its codes. */
export interface Refusal<Known> extends Listed {
  check(known: Known): unknown;
}

/** A check that also finds out something that later checks need. */
export interface Search<Known, Found extends object> extends Listed {
  check(known: Known): Found | Promise<Found>;
}

/** Checks in their order. Each gets what the earlier ones have found, so checks in a wrong order do not compile. */
export class Checks<Begun extends object, Known extends Begun = Begun> {
  readonly list: readonly Listed[];
  /** Runs one check after the other. Throws the error of the first one that fails. */
  readonly run: (begun: Begun) => Promise<Known>;

  private constructor(list: readonly Listed[], run: (begun: Begun) => Promise<Known>) {
    this.list = list;
    this.run = run;
  }

  /** Returns no checks yet, of what is known at the beginning. */
  static of<Begun extends object>(): Checks<Begun> {
    return new Checks<Begun>([], async (begun) => begun);
  }

  find<Found extends object>(search: Search<Known, Found>): Checks<Begun, Known & Found> {
    return new Checks([...this.list, search], async (begun) => {
      const known = await this.run(begun);
      return Object.assign(known, await search.check(known));
    });
  }

  refuse(refusal: Refusal<Known>): Checks<Begun, Known> {
    return new Checks([...this.list, refusal], async (begun) => {
      const known = await this.run(begun);
      await refusal.check(known);
      return known;
    });
  }
}
