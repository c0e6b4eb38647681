/** The API reference as data. `npm run deploy:docs` generates it from the OpenAPI document. */
export interface Reference {
  readonly groups: readonly Group[];
  /** The objects that several operations have in common. */
  readonly objects: readonly Shape[];
  readonly codes: readonly Code[];
  /** Error codes that every route of a certain kind can return. */
  readonly general: readonly General[];
  /** The placeholders that the examples contain. */
  readonly variables: readonly Variable[];
}

/** Operations with the same tag. */
export interface Group {
  readonly title: string;
  readonly description: string;
  readonly operations: readonly Operation[];
}

/** One operation. Its texts may contain code in backticks. */
export interface Operation {
  readonly id: string;
  readonly title: string;
  readonly methods: readonly string[];
  readonly path: string;
  readonly description: string;
  /** Who may call the operation, as a sentence. */
  readonly credential: string;
  /** The operation's name in the audit log. */
  readonly audited?: string;
  readonly parameters: readonly Field[];
  readonly body: readonly Field[];
  /** Says which fields exclude each other. */
  readonly bodyNote?: string;
  readonly answer: Answer;
  /** The operation's error codes, except those in {@link Reference.general}. */
  readonly codes: readonly OwnCode[];
  readonly curl?: string;
  readonly library?: string;
  /** The call in Python. Only the pages of the docs show it. */
  readonly python?: string;
}

/** A field. Its name is its path in the JSON, such as `versions[].state`. */
export interface Field {
  readonly name: string;
  readonly type: string;
  /** The name of the shared object that the type mentions. */
  readonly object?: string;
  readonly required: boolean;
  readonly description: string;
}

/** The successful response. */
export interface Answer {
  readonly status: string;
  readonly type: string;
  readonly object?: string;
  readonly description?: string;
  readonly fields: readonly Field[];
  /** An example as JSON. Missing if the page of a shared object already shows it. */
  readonly example?: string;
}

/** A shared object. Types refer to it by name. */
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

/**
 * The name of the error codes in a field's type. The reference has a table of error codes instead of a shared object.
 */
export const ERROR_CODE = 'error code';

/** Returns the anchor of a shared object, or of the table of error codes. */
export const anchorOf = (name: string): string =>
  name === ERROR_CODE ? 'error-codes' : `${name.toLowerCase()}-object`;
