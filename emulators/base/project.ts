/**
 * The id of the Google Cloud project. Because of the prefix `demo-`, Google's emulators and tools never contact real
 * services.
 */
export const PROJECT_ID = 'demo-encryption';
