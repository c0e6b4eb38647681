import { closeSync, fdatasyncSync, fstatSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { writeText } from '../atomic-file.ts';
import { EXIT, Failure } from '../failure.ts';
import { isRow } from '../row.ts';
import { isAfter, type Place, parseTime, viewTime } from './place.ts';
import { Printed } from './printed.ts';

/** The file is written anew when it has this many lines more than needed. */
const SPARE_LINES = 10_000;

/** What a state file says. The first line has tenant and start; each further line has an event that was printed. */
export interface Kept {
  readonly tenantId: string;
  /** Where following began: events up to this place are never printed. */
  readonly start: Place;
  readonly printed: readonly Place[];
}

/** Returns the state in a file, or `undefined` if there is no file. Throws a {@link Failure} for a malformed file. */
export function readState(path: string): Kept | undefined {
  const text = readIfThere(path);
  if (text === undefined) return undefined;
  const [first, ...lines] = text.split('\n').slice(0, -1).map(parseLine);
  const start = placeOf(first);
  const printed = lines.map(placeOf).filter((place) => place !== undefined);
  const tenantId = first?.tenant_id;
  // Without its last line break, the file was cut.
  if (!text.endsWith('\n') || typeof tenantId !== 'string' || start === undefined || printed.length < lines.length)
    throw new Failure(EXIT.local, 'invalid_state', `${path} is not a state of esk audit follow; use another file`);
  return { tenantId, start, printed };
}

/** Throws a {@link Failure} for the state of another tenant. */
export function refuseOtherTenant(path: string, { tenantId }: Kept, own: string): void {
  if (tenantId === own) return;
  const words = `${path} is the state of tenant ${tenantId}, but you are signed in to tenant ${own}; use another file`;
  throw new Failure(EXIT.local, 'invalid_state', words);
}

/** The place up to which a log was printed, and the events that were printed lately. Kept in a file, if there is one. */
export class FollowState {
  readonly start: Place;
  readonly printed = new Printed();
  readonly #path: string | undefined;
  readonly #tenantId: string;
  #place: Place;
  #last: Place | undefined;
  #file: number | undefined;
  #lines = 0;

  private constructor({ tenantId, start, printed }: Kept, path: string | undefined) {
    this.#tenantId = tenantId;
    this.start = start;
    this.#place = start;
    this.#path = path;
    for (const place of printed) this.#note(place);
  }

  /** Opens the state. Writes a file that does not exist yet, or that is longer than necessary. */
  static async open(kept: Kept, path: string | undefined): Promise<FollowState> {
    const state = new FollowState(kept, path);
    await state.#write();
    return state;
  }

  get place(): Place {
    return this.#place;
  }

  /** Moves to a time: every event before it was printed. */
  moveTo(us: number): void {
    const place = { us, id: '' };
    if (isAfter(place, this.#place)) this.#place = place;
  }

  /** Adds an event that was printed. It is in the file when this function returns. */
  add(place: Place): void {
    this.#note(place);
    if (this.#file === undefined) return;
    writeLine(this.#file, lineOf(place));
    this.#lines += 1;
  }

  /** Makes the file survive a power failure, and shortens it if necessary. */
  async settle(): Promise<void> {
    if (this.#file === undefined) return;
    if (this.#lines > this.printed.size + SPARE_LINES) await this.#write();
    else fdatasyncSync(this.#file);
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #note(place: Place): void {
    this.printed.add(place);
    if (isAfter(place, this.#place)) this.#place = place;
    if (this.#last !== undefined && !isAfter(place, this.#last)) return;
    this.#last = place;
    // Not before the place, which the file does not have: the next run begins at the last event.
    this.printed.forgetBefore(place.us);
  }

  async #write(): Promise<void> {
    if (this.#path === undefined) return;
    const events = [...this.printed];
    const first = JSON.stringify({ tenant_id: this.#tenantId, ...fieldsOf(this.start) });
    await writeText(this.#path, [`${first}\n`, ...events.map(lineOf)].join(''), 0o600);
    this.close();
    this.#file = openSync(this.#path, 'a');
    this.#lines = events.length;
  }
}

/** Appends a line as a whole or not at all. */
function writeLine(file: number, line: string): void {
  const bytes = Buffer.from(line);
  const { size } = fstatSync(file);
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
  } catch (error) {
    ftruncateSync(file, size);
    throw error;
  }
}

function lineOf(place: Place): string {
  return `${JSON.stringify(fieldsOf(place))}\n`;
}

function fieldsOf({ us, id }: Place) {
  return { ts: viewTime(us), id };
}

function placeOf(line: Readonly<Record<string, unknown>> | undefined): Place | undefined {
  const { ts, id } = line ?? {};
  const us = typeof ts === 'string' ? parseTime(ts) : undefined;
  return us === undefined || typeof id !== 'string' ? undefined : { us, id };
}

function parseLine(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const parsed: unknown = JSON.parse(line);
    return isRow(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error instanceof Error ? Object.assign(error, { path }) : error;
  }
}
