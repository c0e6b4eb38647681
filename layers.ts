/**
 * The modules of a folder, by layer. A module may import only itself and modules in lower layers. This rule includes
 * imports of types.
 */
export type Layers = readonly (readonly string[])[];

/**
 * The layers of each folder that is divided into layers: one line for each layer, lowest first. A module is a folder or
 * a file, named by its path in the folder without `.ts`. Every file must be in a listed module.
 */
export const LAYERS: Readonly<Record<string, Layers>> = {
  shared: [
    ['events'],
    ['base', 'deadlines', 'errors', 'operations', 'run-time', 'tiers'],
    ['workload-issuers'],
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
    ['preload', 'needs'],
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

/** The folders with source files, each with the other folders that it may import. */
export const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  shared: [],
  // The code that verifies logs exists only once. The client's build includes it in the package.
  'client/src': ['shared/transparency'],
  'client/build': ['client/src'],
  'client/generate': ['client/src', 'shared'],
  console: ['client/src'],
  emulators: [],
  functions: ['shared'],
  operator: ['shared'],
  'docs/.vitepress': [],
  deploy: ['shared', 'functions', 'console', 'operator', 'emulators', 'docs/.vitepress'],
  prose: [],
  bench: ['shared', 'client/src', 'deploy', 'emulators'],
  test: [
    'shared',
    'client/src',
    'console',
    'emulators',
    'functions',
    'operator',
    'deploy',
    'bench',
    'prose',
    'docs/.vitepress',
  ],
  'client/test': ['client/src', 'client/build', 'client/generate', 'shared', 'emulators', 'test'],
};
