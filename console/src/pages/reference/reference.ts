/** The API reference as data: `npm run deploy:docs` writes it from the OpenAPI document. */
export interface Reference {
  readonly groups: readonly Group[];
  /** The shapes that several operations share. */
  readonly objects: readonly Shape[];
  readonly codes: readonly Code[];
  /** What every route of a kind can answer. */
  readonly general: readonly General[];
  /** What the examples leave to the reader. */
  readonly variables: readonly Variable[];
}

/** Operations with the same tag. */
export interface Group {
  readonly title: string;
  readonly description: string;
  readonly operations: readonly Operation[];
}

/** One operation. Texts may have code in backticks. */
export interface Operation {
  readonly id: string;
  readonly title: string;
  readonly methods: readonly string[];
  readonly path: string;
  readonly description: string;
  /** Who may call it, in words. */
  readonly credential: string;
  /** What the audit log calls it. */
  readonly audited?: string;
  readonly parameters: readonly Field[];
  readonly body: readonly Field[];
  /** Which fields exclude each other. */
  readonly bodyNote?: string;
  readonly answer: Answer;
  /** The codes that {@link Reference.general} does not imply. */
  readonly codes: readonly OwnCode[];
  readonly curl?: string;
  readonly library?: string;
}

/** A field, by its path in the JSON: `versions[].state`. */
export interface Field {
  readonly name: string;
  readonly type: string;
  /** The shape that the type names. */
  readonly object?: string;
  readonly required: boolean;
  readonly description: string;
}

/** What a success answers. */
export interface Answer {
  readonly status: string;
  readonly type: string;
  readonly object?: string;
  readonly description?: string;
  readonly fields: readonly Field[];
  /** JSON, unless the shape that the type names has it. */
  readonly example?: string;
}

/** A separate shape, with the name that types refer to. */
export interface Shape {
  readonly name: string;
  readonly description?: string;
  readonly fields: readonly Field[];
  readonly example: string;
}

export interface OwnCode {
  readonly status: number;
  readonly code: string;
}

export interface Code extends OwnCode {
  readonly meaning: string;
  readonly action: string;
}

export interface General {
  readonly routes: string;
  readonly codes: readonly string[];
}

export interface Variable {
  readonly name: string;
  readonly meaning: string;
}

/** What types call the codes, which have a table instead of a shape. */
export const ERROR_CODE = 'error code';

/** Where a shape or the codes are explained, by the name that types call them. */
export const anchorOf = (name: string): string =>
  name === ERROR_CODE ? 'error-codes' : `${name.toLowerCase()}-object`;
