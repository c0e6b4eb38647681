/** The Google Cloud project: Google's emulators and tools reach nothing real under a name that starts with `demo-`. */
export const PROJECT_ID = 'demo-encryption';
