/** The modules of a folder by layer: a module imports itself and modules of the layers below its own, types included. */
export type Layers = readonly (readonly string[])[];

/**
 * The layers of the folders that have any, lowest first, one a line. A module is a folder or a file, by its path in the
 * folder without `.ts`. Every file is in a module that is listed.
 *
 * `shared/services.ts` is not in a layer: it only declares types, it names every module, and every module may import it.
 */
export const LAYERS: Readonly<Record<string, Layers>> = {
  shared: [
    ['events'],
    ['base', 'deadlines', 'errors', 'operations', 'run-time', 'tiers'],
    ['config', 'error-advice', 'grpc', 'telemetry', 'transparency'],
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
    ['framework'],
    ['compose'],
    ['entry', 'local'],
  ],
  emulators: [
    ['base'],
    ['firestore', 'gateway', 'hosting', 'identity', 'kms', 'policy', 'stripe'],
    ['stack'],
    ['start'],
  ],
};

/** The folders with source files, and which others each imports. */
export const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  shared: [],
  // What verifies a log is in one place; the build of the client's package takes it in.
  'client/src': ['shared/transparency'],
  'client/build': ['client/src'],
  'client/generate': ['client/src', 'shared'],
  console: ['client/src'],
  emulators: [],
  functions: ['shared'],
  operator: ['shared'],
  deploy: ['shared', 'functions', 'console', 'operator'],
  prose: [],
  bench: ['shared', 'deploy', 'emulators'],
  test: ['shared', 'client/src', 'console', 'emulators', 'functions', 'operator', 'deploy', 'bench', 'prose'],
  'client/test': ['client/src', 'client/build', 'client/generate', 'shared', 'emulators', 'test'],
};
