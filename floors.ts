/** The rooms of a folder by floors: a room imports itself and rooms of the floors before its own, types included. */
export type Floors = readonly (readonly string[])[];

/**
 * The floors of the folders that have any, lowest first, one a line. A room is a folder or a file, by its path in the
 * folder without `.ts`. Every file is in a room that is listed.
 */
export const FLOORS: Readonly<Record<string, Floors>> = {
  shared: [
    ['base', 'deadlines', 'errors', 'operations', 'run-time', 'tiers'],
    ['config', 'grpc', 'telemetry', 'transparency'],
    ['store', 'kms'],
    ['tenancy'],
    ['crypto'],
    ['keys'],
    ['audit'],
    ['sealing'],
    ['metering'],
    ['billing'],
    ['auth'],
    ['lifecycle'],
    ['http'],
  ],
  functions: [
    ['preload'],
    ['billing', 'console', 'crypto', 'health', 'keys', 'reports', 'scheduled'],
    ['transit'],
    ['router', 'routes'],
    ['compose'],
    ['entry', 'local'],
  ],
  emulators: [
    ['base'],
    ['firestore', 'gateway', 'hosting', 'identity', 'kms', 'policy', 'stripe'],
    ['stack'],
    ['prepare', 'start'],
  ],
};

/** The folders with source files, and which others each imports. */
export const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  shared: [],
  // What verifies a log is in one place; the build of the client's package takes it in.
  'client/src': ['shared/transparency'],
  'client/generate': ['client/src'],
  console: ['client/src'],
  emulators: [],
  functions: ['shared'],
  operator: ['shared'],
  deploy: ['shared', 'functions', 'console'],
  bench: ['shared', 'client/src', 'deploy', 'emulators'],
  test: ['shared', 'client/src', 'console', 'emulators', 'functions', 'operator', 'deploy', 'bench'],
  'client/test': ['client/src', 'client/generate', 'shared', 'emulators', 'bench', 'test'],
};
